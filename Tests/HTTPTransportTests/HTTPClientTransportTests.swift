import ContentKeySession
import HTTPTransport
import Testing

@Suite("The transport over async-http-client", .timeLimit(.minutes(10)))
struct HTTPClientTransportTests {
    let transport = HTTPClientTransport()

    private func failure(_ request: KeyTransportRequest) async -> KeyTransportError? {
        do throws(KeyTransportError) {
            _ = try await transport.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("sends method, path, headers and body, and returns status, headers and body")
    func exchange() async throws {
        let server = try SocketServer { _ in
            .bytes("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
        }
        let request = KeyTransportRequest(
            .post,
            server.address + "/fps/license?assetId=movie",
            headers: [.init("Content-Type", "text/plain"), .init("Authorization", "Bearer t")],
            body: Array("body".utf8)
        )
        let answer = try await transport.send(request)
        #expect(answer.status == 503)
        #expect(answer.header("retry-after") == "7")
        #expect(answer.body == Array("abc".utf8))
        let heard = try #require(server.requests.first)
        #expect(heard.hasPrefix("POST /fps/license?assetId=movie HTTP/1.1\r\n"))
        #expect(heard.contains("Authorization: Bearer t\r\n"))
        #expect(heard.hasSuffix("\r\n\r\nbody"))
    }

    @Test("does not follow redirects, because they would leak the token")
    func redirect() async throws {
        let server = try SocketServer { _ in
            .bytes("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        let answer = try await transport.send(KeyTransportRequest(.get, server.address + "/fps/certificate"))
        #expect(answer.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test("reports a failed connection if no server listens")
    func noServer() async throws {
        // A stopped server leaves a port on which no server listens.
        let address = try SocketServer { _ in .unfinished("") }.address
        #expect(await failure(KeyTransportRequest(.get, address + "/")) == .noConnection)
    }

    @Test(
        "reports an interrupted connection if a response is incomplete",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", "HTTP/1.1 200", "",
        ]
    )
    func brokenOff(bytes: String) async throws {
        let server = try SocketServer { _ in .bytes(bytes) }
        #expect(await failure(KeyTransportRequest(.get, server.address + "/")) == .noConnection)
    }

    @Test(
        "accepts a response of the maximum size and rejects a larger one",
        arguments: [(3, KeyTransportError?.none), (2, KeyTransportError.tooLarge)]
    )
    func size(maximum: Int, error: KeyTransportError?) async throws {
        let server = try SocketServer { _ in
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
        }
        let request = KeyTransportRequest(.get, server.address + "/", maximumResponseSize: maximum)
        #expect(await failure(request) == error)
    }

    @Test(
        "ends at its deadline, before the head and within the body",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
        ]
    )
    func deadline(bytes: String) async throws {
        let server = try SocketServer { _ in .unfinished(bytes) }
        let request = KeyTransportRequest(.get, server.address + "/", timeout: .milliseconds(20))
        #expect(await failure(request) == .deadline)
    }

    @Test("ends when its task is cancelled")
    func cancelling() async throws {
        let server = try SocketServer { _ in .unfinished("") }
        let task = Task { await failure(KeyTransportRequest(.get, server.address + "/", timeout: .seconds(3600))) }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("rejects an invalid address", arguments: ["", "movie", "skd://movie", "http://", "http:///x"])
    func badAddress(url: String) async {
        #expect(await failure(KeyTransportRequest(.get, url)) == .badAddress)
    }
}
