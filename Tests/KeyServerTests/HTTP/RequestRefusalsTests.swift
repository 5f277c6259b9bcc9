import Hummingbird
import Logging
import Testing

@testable import KeyServer

/// RFC 9112 and RFC 9110, byte for byte over a port: refused requests, and whether the connection stays open.
@Suite("Requests as written", .timeLimit(.minutes(10)))
struct RequestRefusalsTests {
    /// A request with its expected result.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let request: String
        let status: Int
        /// True if the connection stays open for another request.
        var isKept = false

        var testDescription: String { name }
    }

    private static let host = "Host: a\r\n"

    private static func get(_ fields: String, _ target: String = "/healthz", version: String = "HTTP/1.1") -> String {
        "GET \(target) \(version)\r\n\(fields)\r\n"
    }

    private static func post(_ fields: String, _ body: String = "", path: String = "/fps/license") -> String {
        "POST \(path) HTTP/1.1\r\n\(host)\(fields)\r\n\(body)"
    }

    private static let chunks = "1\r\nx\r\n0\r\n\r\n"

    static let rows: [Row] = framing + fields + targets + connections

    private static let framing: [Row] = [
        Row(name: "chunked", request: post("Transfer-Encoding: chunked\r\n", chunks), status: 200, isKept: true),
        Row(name: "Chunked", request: post("Transfer-Encoding: Chunked\r\n", chunks), status: 200, isKept: true),
        Row(name: "identity, chunked", request: post("Transfer-Encoding: identity, chunked\r\n", chunks), status: 400),
        Row(name: "identity", request: post("Transfer-Encoding: identity\r\n", chunks), status: 400),
        Row(name: "gzip, chunked", request: post("Transfer-Encoding: gzip, chunked\r\n", chunks), status: 501),
        Row(name: "an unknown coding", request: post("Transfer-Encoding: new, chunked\r\n", chunks), status: 501),
        Row(name: "gzip", request: post("Transfer-Encoding: gzip\r\n", chunks), status: 400),
        Row(name: "chunked, gzip", request: post("Transfer-Encoding: chunked, gzip\r\n", chunks), status: 400),
        Row(name: "chunked, chunked", request: post("Transfer-Encoding: chunked, chunked\r\n", chunks), status: 400),
        Row(
            name: "chunked on two lines",
            request: post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks),
            status: 400
        ),
        Row(name: "xchunked", request: post("Transfer-Encoding: xchunked\r\n", chunks), status: 400),
        Row(name: "chunked with a parameter", request: post("Transfer-Encoding: chunked;a=b\r\n", chunks), status: 400),
        Row(name: "no coding", request: post("Transfer-Encoding:\r\n", chunks), status: 400),
        Row(name: "an empty coding", request: post("Transfer-Encoding: ,chunked\r\n", chunks), status: 400),
        Row(
            name: "a coding of a request that has no body",
            request: get(host + "Transfer-Encoding: x\r\n"),
            status: 400
        ),
        Row(
            name: "chunked in HTTP/1.0",
            request: "POST /fps/license HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\(chunks)",
            status: 400
        ),
        Row(
            name: "Content-Length and Transfer-Encoding",
            request: post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", chunks),
            status: 400
        ),
        Row(
            name: "Transfer-Encoding and Content-Length",
            request: post("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", chunks),
            status: 400
        ),
        Row(
            name: "two different lengths",
            request: post("Content-Length: 1\r\nContent-Length: 2\r\n", "xx"),
            status: 400
        ),
        Row(name: "a list of lengths", request: post("Content-Length: 1, 1\r\n", "x"), status: 400),
        Row(name: "a length with a sign", request: post("Content-Length: +1\r\n", "x"), status: 400),
        Row(name: "an empty length", request: post("Content-Length:\r\n", "x"), status: 400),
        Row(
            name: "an impossible length",
            request: post("Content-Length: 99999999999999999999\r\n"),
            status: 400
        ),
        Row(name: "a length beyond 63 bits", request: post("Content-Length: 9999999999999999999\r\n"), status: 413),
        Row(name: "a length over the limit, without the body", request: post("Content-Length: 101\r\n"), status: 413),
        Row(
            name: "a length over the limit on another route",
            request: post("Content-Length: 101\r\n", path: "/other"),
            status: 413
        ),
        Row(
            name: "chunks over the limit",
            request: post("Transfer-Encoding: chunked\r\n", "c8\r\n" + String(repeating: "x", count: 200) + "\r\n"),
            status: 413
        ),
        Row(name: "a chunk without a size", request: post("Transfer-Encoding: chunked\r\n", "z\r\n"), status: 400),
        Row(
            name: "an invalid chunk of a body that is not read",
            request: "GET /healthz HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nz\r\n",
            status: 200
        ),
    ]

    private static let fields: [Row] = [
        Row(name: "no Host", request: get(""), status: 400),
        Row(name: "two Hosts", request: get(host + host), status: 400),
        Row(name: "an empty Host", request: get("Host:\r\n"), status: 200, isKept: true),
        Row(name: "a Host with a port", request: get("Host: a.example:80\r\n"), status: 200, isKept: true),
        Row(name: "an IPv6 Host", request: get("Host: [2001:db8::1]:80\r\n"), status: 200, isKept: true),
        Row(name: "a Host with a space", request: get("Host: a b\r\n"), status: 400),
        Row(name: "a Host with a path", request: get("Host: a/b\r\n"), status: 400),
        Row(name: "a Host with a user", request: get("Host: a@b\r\n"), status: 400),
        Row(name: "a Host with a wrong port", request: get("Host: a:b\r\n"), status: 400),
        Row(name: "a folded line", request: get(host + "X: a\r\n b\r\n"), status: 400),
        Row(name: "a line folded by a tab", request: get(host + "X: a\r\n\tb\r\n"), status: 400),
        Row(name: "a folded first line", request: get(" X: a\r\n" + host), status: 400),
        Row(name: "a bare CR in a value", request: get(host + "X: a\rb\r\n"), status: 400),
        Row(name: "a bare LF in a value", request: get(host + "X: a\nY: b\r\n"), status: 400),
        Row(name: "NUL in a value", request: get(host + "X: a\0b\r\n"), status: 400),
        Row(name: "a control character in a value", request: get(host + "X: a\u{1}b\r\n"), status: 400),
        Row(name: "a space before the colon", request: get(host + "X : a\r\n"), status: 400),
        Row(name: "a tab before the colon", request: get(host + "X\t: a\r\n"), status: 400),
        Row(name: "a line without a colon", request: get(host + "X\r\n"), status: 400),
        Row(name: "a field without a name", request: get(host + ": a\r\n"), status: 400),
        Row(name: "a name with a parenthesis", request: get(host + "X(: a\r\n"), status: 400),
        Row(
            name: "a name too long",
            request: get(host + "X: \(String(repeating: "a", count: 17_000))\r\n"),
            status: 400
        ),
        Row(name: "too many fields", request: get(host + String(repeating: "X: a\r\n", count: 101)), status: 400),
    ]

    private static let targets: [Row] = [
        Row(name: "an absolute target", request: get(host, "http://a/healthz"), status: 200, isKept: true),
        Row(name: "an absolute target of another scheme", request: get(host, "ftp://a/healthz"), status: 400),
        Row(name: "an absolute target without a host", request: get(host, "http:///healthz"), status: 400),
        Row(name: "a target without a slash", request: get(host, "healthz"), status: 400),
        Row(name: "an authority as target", request: "CONNECT a:80 HTTP/1.1\r\n\(host)\r\n", status: 400),
        Row(name: "the asterisk", request: "OPTIONS * HTTP/1.1\r\n\(host)\r\n", status: 404, isKept: true),
        Row(name: "a second slash", request: get(host, "//healthz"), status: 404, isKept: true),
        Row(name: "a trailing slash", request: get(host, "/healthz/"), status: 404, isKept: true),
        Row(name: "an unknown method", request: "BREW /healthz HTTP/1.1\r\n\(host)\r\n", status: 400),
    ]

    private static let connections: [Row] = [
        Row(name: "HTTP/1.1", request: get(host), status: 200, isKept: true),
        Row(name: "Connection: Close, in capitals", request: get(host + "Connection: Close\r\n"), status: 200),
        Row(name: "Connection: close in a list", request: get(host + "Connection: x, close\r\n"), status: 200),
        Row(name: "HTTP/1.0", request: get("", version: "HTTP/1.0"), status: 200),
        Row(
            name: "HTTP/1.0 and keep-alive",
            request: get("Connection: keep-alive\r\n", version: "HTTP/1.0"),
            status: 200
        ),
        Row(name: "HTTP/0.9", request: "GET /healthz\r\n\r\n", status: 400),
        Row(name: "HTTP/2.0", request: get(host, version: "HTTP/2.0"), status: 400),
        Row(
            name: "an upgrade to another protocol",
            request: get(host + "Connection: upgrade\r\nUpgrade: h2c\r\n"),
            status: 200
        ),
    ]

    /// A server with the routes of the rows; `isForApps`: as the listener for players, which sheds load, or as the
    /// other.
    static func serve(
        isForApps: Bool = false,
        metrics: ServerMetrics? = nil,
        _ test: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let router = Listener.makeRouter()
        for path in ["/fps/license", "/other"] {
            router.post(RouterPath(path)) { request, _ in "\(try await request.boundedBody(upTo: 100).count) bytes" }
        }
        router.post("/unread") { _, _ -> String in throw ProblemDocument(.unauthorized) }
        router.get("/stream") { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(.init(string: "streamed"))
                    try await writer.finish(nil)
                }
            )
        }
        var limits = ListenerLimits()
        limits.licenseBody = 100
        // No row waits for a deadline.
        limits.bodyDeadline = .seconds(600)
        let shedding = isForApps ? LoadShedding(room: 100) : nil
        let logger = Logger(label: "test") { _ in LogRecorder() }
        try await withListener(router, limits: limits, metrics: metrics, shedding: shedding, logger) { port, _ in
            try await test(TestServer(port: port))
        }
    }

    @Test(
        "have their status, and the connection is closed if the next request cannot be located",
        arguments: [true, false]
    )
    func table(isForApps: Bool) async throws {
        try await Self.serve(isForApps: isForApps) { server in
            for row in Self.rows {
                let (first, rest) = try await server.exchange { client in
                    client.send(row.request)
                    let first = client.readAnswer()
                    if row.isKept { client.send(Self.get(Self.host + "Connection: close\r\n")) }
                    return (first, client.readToEnd())
                }
                #expect(first.split(separator: " ").dropFirst().first == "\(row.status)", "\(row.name): \(first)")
                if row.status >= 400 {
                    #expect(first.value(of: "Content-Type") == "application/problem+json", "\(row.name)")
                    #expect(first.contains("urn:keyway:problem:"), "\(row.name)")
                    #expect(first.value(of: "X-Request-Id")?.isEmpty == false, "\(row.name)")
                }
                #expect(
                    first.value(of: "Connection")?.lowercased() == (row.isKept ? nil : "close"),
                    "\(row.name): \(first)"
                )
                // One response to each request, and none to what follows the last.
                if row.isKept {
                    #expect(rest.hasPrefix("HTTP/1.1 200 OK"), "\(row.name): \(rest)")
                } else {
                    #expect(rest.isEmpty, "\(row.name): \(rest)")
                }
            }
        }
    }

    @Test("A refusal waits for the responses to earlier requests, and ends the connection")
    func order() async throws {
        try await Self.serve(isForApps: true) { server in
            let (answers, rest) = try await server.exchange { client in
                client.send(Self.post("Content-Length: 3\r\n", "abc") + Self.get("") + Self.get(Self.host))
                return ([client.readAnswer(), client.readAnswer()], client.readToEnd())
            }
            #expect(answers[0].hasSuffix("3 bytes"))
            #expect(answers[1].hasPrefix("HTTP/1.1 400"))
            #expect(rest.isEmpty)
        }
    }

    @Test("The response to a refused HEAD has no body")
    func head() async throws {
        try await Self.serve { server in
            let answer = try await server.exchange { client in
                client.send("HEAD /healthz HTTP/1.1\r\n\r\n")
                return client.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(answer.hasSuffix("\r\n\r\n"))
            #expect(!answer.contains("{"))
        }
    }

    @Test("Requests that are refused before routing are counted")
    func counted() async throws {
        let metrics = ServerMetrics()
        try await Self.serve(metrics: metrics) { server in
            _ = try await server.exchange { client in
                client.send(Self.get(""))
                return client.readToEnd()
            }
        }
        let text = await metrics.registry.exposition()
        #expect(text.contains(#"keyway_http_requests_total{method="GET",route="other",status="400"} 1"#))
    }

    @Test("HTTP/1.0 gets a response of unknown length without chunks, up to the end of the connection")
    func oldStream() async throws {
        try await Self.serve { server in
            let answers = try await server.exchange { client in
                client.send(Self.get("", "/stream", version: "HTTP/1.0"))
                return client.readToEnd()
            }
            #expect(answers.hasPrefix("HTTP/1.0 200"))
            #expect(answers.value(of: "Transfer-Encoding") == nil)
            #expect(answers.hasSuffix("\r\n\r\nstreamed"))
        }
    }
}

@Suite("Expect: 100-continue", .timeLimit(.minutes(10)))
struct ExpectContinueTests {
    private static func head(_ path: String, length: Int, version: String = "HTTP/1.1", expect: String = "100-continue")
        -> String
    {
        "POST \(path) \(version)\r\nHost: a\r\nContent-Length: \(length)\r\nExpect: \(expect)\r\n\r\n"
    }

    @Test(
        "The client gets 100 Continue before it has sent anything, and its body arrives",
        arguments: ["/fps/license", "/other"],
        ["100-continue", "100-Continue"]
    )
    func continues(path: String, expect: String) async throws {
        try await RequestRefusalsTests.serve(isForApps: true) { server in
            let (first, second, third) = try await server.exchange { client in
                client.send(Self.head(path, length: 3, expect: expect))
                let first = client.readAnswer()
                client.send("abc")
                let second = client.readAnswer()
                // The connection stays open.
                client.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return (first, second, client.readToEnd())
            }
            #expect(first == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(second.hasPrefix("HTTP/1.1 200") && second.hasSuffix("3 bytes"))
            #expect(third.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test(
        "A request that is refused immediately gets no 100 Continue",
        arguments: [("/fps/license", 101, 413), ("/other", 101, 413), ("/unread", 3, 401), ("/nothing", 3, 404)]
    )
    func refused(path: String, length: Int, status: Int) async throws {
        try await RequestRefusalsTests.serve(isForApps: true) { server in
            let answer = try await server.exchange { client in
                client.send(Self.head(path, length: length))
                return client.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            #expect(answer.value(of: "Connection") == "close")
        }
    }

    @Test("A body that is sent without waiting gets only the final response, and HTTP/1.0 does not wait")
    func withoutWaiting() async throws {
        try await RequestRefusalsTests.serve(isForApps: true) { server in
            for version in ["HTTP/1.1", "HTTP/1.0"] {
                let answer = try await server.exchange { client in
                    client.send(Self.head("/other", length: 3, version: version) + "abc")
                    client.finishSending()
                    return client.readToEnd()
                }
                #expect(answer.hasPrefix("\(version) 200") && answer.hasSuffix("3 bytes"), "\(answer)")
            }
        }
    }
}
