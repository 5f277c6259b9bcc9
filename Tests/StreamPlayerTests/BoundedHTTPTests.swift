import ContentKeySession
import StreamPlayer
import Testing

@Suite("Bounded requests over HTTP")
struct BoundedHTTPTests {
    private let http = BoundedHTTP()

    private func failure(_ request: BoundedHTTP.Request) async -> BoundedHTTP.Failure? {
        do throws(BoundedHTTP.Failure) {
            _ = try await http.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("say in words why there is no connection")
    func refused() async throws {
        let address = try SocketServer { _ in .unfinished("") }.address
        let error = await failure(.init(address + "/", timeout: .seconds(60), maximumAnswer: 10))
        #expect(error?.code == .noConnection)
        #expect(error?.reason == "Connection refused")
    }

    @Test("say in words that a server does not speak TLS")
    func tls() async throws {
        let server = try SocketServer { _ in .bytes("") }
        let error = await failure(
            .init("https" + server.address.dropFirst(4), timeout: .seconds(60), maximumAnswer: 10)
        )
        #expect(error?.code == .noConnection)
        #expect(error?.reason.contains("Optional") == false)
    }

    @Test("do not read a body that is not wanted, however long it is")
    func unwanted() async throws {
        let server = try SocketServer { _ in
            .bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\nConnection: close\r\n\r\n")
        }
        var request = BoundedHTTP.Request(server.address + "/", timeout: .seconds(60), maximumAnswer: 10)
        request.readsBody = { $0 == 200 }
        let answer = try await http.send(request)
        #expect(answer.status == 404 && answer.body.isEmpty)
    }
}
