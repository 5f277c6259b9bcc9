import Foundation
import HTTPRequests
import Testing

@Suite("Bounded HTTP requests", .timeLimit(.minutes(10)))
struct BoundedHTTPTests {
    private let http = BoundedHTTP.withoutRedirects

    private func failure(_ request: BoundedHTTP.Request) async -> BoundedHTTP.Failure? {
        do throws(BoundedHTTP.Failure) {
            _ = try await http.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("describe why a connection failed")
    func refused() async throws {
        let address = try SocketServer { _ in .unfinished("") }.address
        let error = await failure(.init(address + "/", timeout: .seconds(60), maximumResponseSize: 10))
        #expect(error?.code == .noConnection)
        #expect(error?.reason == "Connection refused")
    }

    @Test("describe that a server does not use TLS")
    func tls() async throws {
        let server = try SocketServer { _ in .bytes("") }
        let error = await failure(
            .init("https" + server.address.dropFirst(4), timeout: .seconds(60), maximumResponseSize: 10)
        )
        #expect(error?.code == .noConnection)
        #expect(error?.reason.contains("Optional") == false)
    }

    @Test("do not read an unwanted body, regardless of its length")
    func unwanted() async throws {
        let server = try SocketServer { _ in
            .bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\nConnection: close\r\n\r\n")
        }
        var request = BoundedHTTP.Request(server.address + "/", timeout: .seconds(60), maximumResponseSize: 10)
        request.readsBody = { $0 == 200 }
        let answer = try await http.send(request)
        #expect(answer.status == 404 && answer.body.isEmpty)
    }

    @Test("distinguish a failed connection from one that was interrupted within the response")
    func brokenOff() async throws {
        let server = try SocketServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc") }
        let error = await failure(.init(server.address + "/", timeout: .seconds(60), maximumResponseSize: 1000))
        #expect(error?.code == .brokenOff)
    }

    @Test("reject a body by its announced length before it arrives")
    func announced() async throws {
        let server = try SocketServer { _ in .unfinished("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n") }
        let error = await failure(.init(server.address + "/", timeout: .seconds(3600), maximumResponseSize: 10))
        #expect(error?.code == .tooLarge)
    }

    @Test("last as long as the response makes progress, and end when it does not")
    func progress() async throws {
        let slow = try SocketServer { request in
            request.hasPrefix("GET /head")
                ? .unfinished("") : .unfinished("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        }
        for path in ["/head", "/body"] {
            var request = BoundedHTTP.Request(slow.address + path, timeout: .seconds(3600), maximumResponseSize: 10)
            request.idleTimeout = .milliseconds(50)
            #expect(await failure(request)?.code == .deadline)
        }
    }

    @Test(
        "return the delay that the server requires",
        arguments: [
            (["Retry-After: 7"], 7), (["Retry-After:  0 "], 0), (["Retry-After: 99999999999999999999999"], 86_400),
            (["Retry-After: Sun, 06 Nov 1994 08:49:47 GMT"], 10),
            (["Retry-After: Sunday, 06-Nov-94 08:49:47 GMT", "Date: Sun, 06 Nov 1994 08:49:40 GMT"], 7),
            (["Retry-After: Sun Nov  6 08:49:47 1994"], 10), (["Retry-After: Sun, 06 Nov 1993 08:49:47 GMT"], 0),
            (["Retry-After: Sun, 06 Nov 2094 08:49:47 GMT"], 86_400), (["Retry-After: soon"], nil),
            (["Retry-After: -1"], nil), (["Retry-After: "], nil), ([], nil),
        ] as [([String], Int?)]
    )
    func retryAfter(fields: [String], seconds: Int?) throws {
        let headers = fields.map { field in
            let parts = field.split(separator: ":", maxSplits: 1).map(String.init)
            return BoundedHTTP.Header(parts[0], parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        let answer = BoundedHTTP.Answer(status: 503, headers: headers, url: "http://a.test/")
        // Sun, 06 Nov 1994 08:49:37 GMT.
        let delay = BoundedHTTP.retryAfter(now: Date(timeIntervalSince1970: 784_111_777)) { answer.header($0) }
        #expect(delay == seconds.map { .seconds($0) })
    }

    @Test("return a body of many parts completely, with the URL after a redirect")
    func largeBody() async throws {
        let text = String(repeating: "0123456789abcdef", count: 100_000)
        let server = try SocketServer { request in
            request.hasPrefix("GET /old")
                ? .bytes("HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                : .bytes("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text)
        }
        let request = BoundedHTTP.Request(
            server.address + "/old",
            timeout: .seconds(600),
            maximumResponseSize: text.utf8.count
        )
        let answer = try await BoundedHTTP.followingRedirects.send(request)
        #expect(answer.status == 200 && answer.url == server.address + "/new" && answer.majorVersion == 1)
        #expect(answer.body == Array(text.utf8))
    }

    @Test("reject a body without an announced length as soon as it is too long")
    func tooLong() async throws {
        let server = try SocketServer { _ in .unfinished("HTTP/1.1 200 OK\r\n\r\n01234567890") }
        let error = await failure(.init(server.address + "/", timeout: .seconds(3600), maximumResponseSize: 10))
        #expect(error?.code == .tooLarge)
    }

    @Test("end when the task is cancelled, before and after the head of the response")
    func cancellation() async throws {
        let server = try SocketServer { request in
            request.hasPrefix("GET /head")
                ? .unfinished("") : .unfinished("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        }
        for path in ["/head", "/body"] {
            let request = BoundedHTTP.Request(server.address + path, timeout: .seconds(3600), maximumResponseSize: 10)
            let task = Task { await failure(request) }
            while !server.requests.contains(where: { $0.hasPrefix("GET \(path)") }) { await Task.yield() }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
        }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(.init(server.address + "/early", timeout: .seconds(3600), maximumResponseSize: 10))
        }
        #expect(await early.value?.code == .cancelled)
        #expect(!server.requests.contains { $0.hasPrefix("GET /early") })
    }

    @Test("end when the caller no longer wants the response")
    func abandoned() async throws {
        let server = try SocketServer { _ in .unfinished("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }
        let request = BoundedHTTP.Request(server.address + "/", timeout: .seconds(3600), maximumResponseSize: 10)
        let error = await #expect(throws: BoundedHTTP.Failure.self) {
            // The progress of the body is known while it arrives.
            _ = try await http.send(request) { $0.received < 3 }
        }
        #expect(error?.code == .abandoned)
    }

    @Test("end at the timeout, however much progress the response makes")
    func timeout() async throws {
        let server = try SocketServer { _ in .unfinished("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }
        var request = BoundedHTTP.Request(server.address + "/", timeout: .milliseconds(50), maximumResponseSize: 10)
        request.idleTimeout = .seconds(3600)
        let error = await failure(request)
        #expect(error?.code == .deadline && error?.reason == "the response was not complete in time")
    }

    @Test("reject an invalid URL")
    func invalid() async {
        for url in ["", "a.test", "ftp://a.test/", "http://"] {
            let error = await failure(.init(url, timeout: .seconds(60), maximumResponseSize: 10))
            #expect(error?.code == .badAddress, "\(url)")
        }
    }

    @Test("end if redirects are cyclic or endless")
    func redirects() async throws {
        let server = try SocketServer { request in
            let number = request.split(separator: " ")[1].dropFirst().count
            let place = request.hasPrefix("GET /circle") ? "/circle" : "/" + String(repeating: "x", count: number + 1)
            return .bytes("HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        for (path, reason) in [("/x", "too many times"), ("/circle", "in a loop")] {
            let error = await #expect(throws: BoundedHTTP.Failure.self) {
                let request = BoundedHTTP.Request(server.address + path, timeout: .seconds(60), maximumResponseSize: 10)
                _ = try await BoundedHTTP.followingRedirects.send(request)
            }
            #expect(error?.code == .redirects)
            #expect(error?.reason.contains(reason) == true)
        }
    }

    @Test("print neither the values of header fields nor bodies")
    func printing() {
        var request = BoundedHTTP.Request("https://a.test/?token=secret", timeout: .seconds(1), maximumResponseSize: 1)
        request.headers = [.init("Authorization", "secret")]
        request.body = Array("secret".utf8)
        let answer = BoundedHTTP.Answer(status: 200, headers: request.headers, url: request.url, body: [0x73])
        var dumped = ""
        dump((request, answer, request.headers), to: &dumped)
        #expect(!"\(request) \(answer) \(request.headers) \(dumped)".contains("secret"))
        #expect("\(answer)" == "status 200, 1 bytes")
    }
}
