import HTTPTypes
import Hummingbird
import HummingbirdCore
import KeyStore
import Logging
import NIOCore
import Testing

@testable import KeyServer

@Suite("A listener on a real port", .timeLimit(.minutes(10)))
struct ListenerTests {
    @Test("It responds to health checks, and keeps the connection open")
    func health() async throws {
        try await withServer { server in
            let answers = try await server.exchange { client in
                client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                let first = client.readAnswer()
                client.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return [first, client.readToEnd()]
            }
            #expect(answers[0].hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answers[0].hasSuffix("\r\n\r\nok\n"))
            #expect(answers[1].hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test("Failures are problem documents with the request ID")
    func problems() async throws {
        try await withServer { server in
            for (path, status, type) in [
                ("/nothing", "404", "not-found"), ("/fault", "500", "internal-error"),
                ("/locked", "503", "unavailable"),
                ("/corrupt", "500", "internal-error"), ("/busy", "503", "overloaded"),
            ] {
                let answer = try await server.get(path)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path)")
                #expect(answer.contains(#""type":"urn:keyway:problem:\#(type)""#), "\(path)")
                #expect(answer.contains("Content-Type: application/problem+json\r\n"), "\(path)")
                let id = try #require(answer.value(of: "X-Request-Id"))
                #expect(answer.contains(#""instance":"\#(id)""#), "\(path)")
                #expect(answer.contains("Retry-After: 1\r\n") == (status == "503"), "\(path)")
                #expect(!answer.contains("movie-7"), "\(path)")
            }
        }
    }

    @Test("A body within the limit arrives, and the connection stays open")
    func bodies() async throws {
        try await withServer { server in
            let answers = try await server.exchange { client in
                [65_536, 0, 1].map { count in
                    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
                    client.send(String(repeating: "x", count: count))
                    return client.readAnswer()
                }
            }
            let counts = answers.map { String($0.split(separator: "\r\n").last ?? "") }
            #expect(counts == ["65536", "0", "1"])
        }
    }

    @Test("A body with an announced length beyond the limit is refused before it is sent")
    func announcedBody() async throws {
        try await withServer { server in
            let answer = try await server.exchange { client in
                client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n")
                return client.readAnswer()
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.contains("urn:keyway:problem:body-too-large"))
            #expect(answer.contains("Connection: close\r\n"))
        }
    }

    @Test("A body that grows too large is refused")
    func chunkedBody() async throws {
        try await withServer { server in
            let answer = try await server.exchange { client in
                client.send("POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in 0..<9 { client.send("2000\r\n" + String(repeating: "x", count: 8_192) + "\r\n") }
                return client.readAnswer()
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("An incomplete body is malformed, and the server continues")
    func brokenBody() async throws {
        try await withServer { server in
            let answer = try await server.exchange { client in
                client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
                client.finishSending()
                return client.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(try await server.get("/healthz").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A client with an incomplete request head is disconnected")
    func slowHead() async throws {
        try await withServer(limits: impatient(\.headDeadline)) { server in
            let answer = try await server.exchange { client in
                client.send("GET /healthz HTTP/1.1\r\nHost: ")
                while client.send("a") { client.pause() }
                return client.readToEnd()
            }
            #expect(answer.isEmpty)
        }
    }

    @Test("A client with a slow body gets a response and is disconnected, although it never pauses for long")
    func slowBody() async throws {
        try await withServer(limits: impatient(\.bodyDeadline)) { server in
            let answer = try await server.exchange { client in
                client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
                while !client.hasAnswer, client.send("x") { client.pause() }
                return client.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("urn:keyway:problem:request-timeout"))
            #expect(answer.contains("Connection: close\r\n"))
        }
    }

    @Test("A silent connection is closed, before and after a request")
    func silence() async throws {
        try await withServer(limits: impatient(\.headDeadline)) { server in
            let answer = try await server.exchange { client in client.readToEnd() }
            #expect(answer.isEmpty)
        }
        try await withServer(limits: impatient(\.idleTimeout)) { server in
            let answer = try await server.exchange { client in
                client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.readToEnd()
            }
            #expect(answer.hasSuffix("ok\n"))
        }
    }

    @Test("Request heads are limited, and input that is not HTTP is refused")
    func heads() async throws {
        try await withServer { server in
            let field = "X: " + String(repeating: "x", count: 20_000) + "\r\n"
            let fields = String(repeating: "X: y\r\n", count: 200)
            for head in [
                "GET / HTTP/1.1\r\n\(field)\r\n", "GET / HTTP/1.1\r\n\(fields)\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
            ] {
                let answer = try await server.exchange { client in
                    client.send(head)
                    return client.readToEnd()
                }
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 431 "))
            }
            #expect(try await server.get("/healthz").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("The log contains the route, and neither body nor query nor header nor error text")
    func logging() async throws {
        let log = LogRecorder()
        try await withServer(log: log) { server in
            _ = try await server.exchange { client in
                client.send("POST /count?token=query-secret HTTP/1.1\r\nHost: a\r\nAuthorization: header-secret\r\n")
                client.send("Content-Length: 11\r\nConnection: close\r\n\r\nbody-secret")
                return client.readToEnd()
            }
            _ = try await server.get("/fault")
        }
        let text = log.text
        #expect(text.contains("/count"))
        #expect(text.contains("A route failed with an error of type Fault"))
        for secret in ["query-secret", "header-secret", "body-secret", "movie-7"] { #expect(!text.contains(secret)) }
    }

    /// Only one limit is short, so that a busy machine does not miss another.
    private func impatient(_ limit: WritableKeyPath<ListenerLimits, Duration>) -> ListenerLimits {
        var limits = ListenerLimits()
        limits[keyPath: limit] = .milliseconds(200)
        return limits
    }
}
