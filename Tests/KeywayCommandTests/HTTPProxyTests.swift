import ContentKeySession
import Foundation
import HTTPRequests
import StreamPlayer
import Synchronization
import Testing

@testable import keyway

@Suite("Proxies of the environment", .timeLimit(.minutes(10)))
struct HTTPProxyTests {
    private final class Log: Sendable {
        let requests = Mutex<[LittleServer.Request]>([])
    }

    private static func send(_ request: BoundedHTTP.Request, _ proxies: HTTPProxies) async throws -> BoundedHTTP.Answer
    {
        let http = CommandHTTP(proxies: proxies)
        let url = try #require(URL(string: request.url))
        let result: Result<BoundedHTTP.Answer, any Error>
        do { result = .success(try await http.send(request, to: url, while: nil)) } catch { result = .failure(error) }
        await http.shutdown()
        return try result.get()
    }

    private static func proxy(_ url: String, _ variables: [String: String]) throws -> String? {
        try HTTPProxies(variables).proxy(for: try #require(URL(string: url)))?.name
    }

    @Test("are selected by scheme; HTTP_PROXY is ignored under CGI, which sets it from a request header")
    func variables() throws {
        #expect(try Self.proxy("http://a.example/", ["http_proxy": "http://p.example:3128"]) == "p.example:3128")
        #expect(try Self.proxy("http://a.example/", ["http_proxy": "p.example:3128"]) == "p.example:3128")
        #expect(try Self.proxy("http://a.example/", ["http_proxy": "http://p.example"]) == "p.example:1080")
        #expect(try Self.proxy("http://a.example/", ["HTTP_PROXY": "p.example:1"]) == "p.example:1")
        #expect(try Self.proxy("http://a.example/", ["HTTP_PROXY": "p.example:1", "REQUEST_METHOD": "GET"]) == nil)
        #expect(try Self.proxy("https://a.example/", ["HTTPS_PROXY": "p.example:1"]) == "p.example:1")
        #expect(try Self.proxy("https://a.example/", ["http_proxy": "p.example:1"]) == nil)
        #expect(try Self.proxy("https://a.example/", ["ALL_PROXY": "socks5://p.example:1"]) == "p.example:1")
        #expect(try Self.proxy("http://a.example/", ["http_proxy": ""]) == nil)
        #expect(throws: HTTPProxies.BadVariable.self) {
            try Self.proxy("http://a.example/", ["http_proxy": "https://p.example:1"])
        }
    }

    @Test(
        "are not used for this machine and for the hosts in no_proxy",
        arguments: [
            ("http://localhost:8080/", "", true), ("http://127.0.0.1/", "", true), ("http://[::1]/", "", true),
            ("http://a.example/", "*", true), ("http://a.example/", "b.example, *", false),
            ("http://a.example/", "example", true), ("http://a.example/", ".example", true),
            ("http://A.Example./", "a.example", true), ("http://aexample/", "example", false),
            ("http://a.example/", "b.example a.example", true), ("http://10.1.2.3/", "10.0.0.0/8", true),
            ("http://11.1.2.3/", "10.0.0.0/8", false), ("http://10.1.2.3/", "2.3", false),
            ("http://[fe80::1]/", "fe80::/10", true), ("http://a.example/", "", false),
        ]
    )
    func exceptions(url: String, exceptions: String, isDirect: Bool) throws {
        let proxy = try Self.proxy(url, ["http_proxy": "p.example:1", "no_proxy": exceptions])
        #expect((proxy == nil) == isDirect)
    }

    @Test("receive requests with the complete URL, the Host header, and the proxy's password")
    func forwarding() async throws {
        let log = Log()
        let server = try LittleServer { request in
            log.requests.withLock { $0.append(request) }
            return .init(body: Array("through".utf8))
        }
        let address = server.address.dropFirst("http://".count)
        let proxies = HTTPProxies(["http_proxy": "http://user:pass@\(address)"])
        let request = BoundedHTTP.Request(
            "http://keys.example:81/a%20b?c=d",
            timeout: .seconds(300),
            maximumResponseSize: 100
        )
        let answer = try await Self.send(request, proxies)
        #expect(answer.body == Array("through".utf8))
        let heard = try #require(log.requests.withLock { $0 }.first)
        #expect(heard.method == "GET")
        #expect(heard.path == "http://keys.example:81/a%20b?c=d")
        #expect(heard.headers["host"] == "keys.example:81")
        #expect(heard.headers["proxy-authorization"] == "Basic dXNlcjpwYXNz")
    }

    @Test("receive CONNECT requests for https, and are named in errors")
    func tunnel() async throws {
        let log = Log()
        let server = try LittleServer { request in
            log.requests.withLock { $0.append(request) }
            return .init(status: 403)
        }
        let proxies = HTTPProxies(["https_proxy": server.address])
        let request = BoundedHTTP.Request("https://keys.example/", timeout: .seconds(300), maximumResponseSize: 100)
        let error = await #expect(throws: BoundedHTTP.Failure.self) {
            try await Self.send(request, proxies)
        }
        #expect(error?.reason.contains(server.address.dropFirst("http://".count)) == true)
        let heard = try #require(log.requests.withLock { $0 }.first)
        #expect(heard.method == "CONNECT" && heard.path == "keys.example:443")
    }
}
