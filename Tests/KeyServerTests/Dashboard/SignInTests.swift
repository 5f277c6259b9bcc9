import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Signing in to the dashboard", .timeLimit(.minutes(10)))
struct SignInTests {
    /// The state of a browser.
    private struct Browser {
        let server: LicenseServer
        var cookie: String?
        var change: String?

        func send(
            _ method: String,
            _ path: String,
            _ body: String? = nil,
            _ headers: [String: String] = [:]
        ) async throws -> ReceivedResponse {
            var all = headers
            if let cookie { all["Cookie"] = cookie }
            if body != nil { all["Content-Type"] = "application/json" }
            return try await ReceivedResponse.of(
                method,
                "http://127.0.0.1:\(server.adminPort)/admin\(path)",
                all,
                body.map { Array($0.utf8) }
            )
        }

        mutating func signIn(_ token: String, _ headers: [String: String] = [:]) async throws -> ReceivedResponse {
            let answer = try await send("POST", "/session", #"{"token": "\#(token)"}"#, headers)
            cookie = answer.headers["set-cookie"].flatMap { $0.split(separator: ";").first.map { String($0) } }
            if case .string(let text)? = answer.json["change"] { change = text }
            return answer
        }
    }

    @Test(
        "A token is exchanged for a cookie that scripts and other sites cannot use, with the permissions of the token"
    )
    func signIn() async throws {
        try await LicenseServer.run { server in
            var browser = Browser(server: server)
            #expect(try await browser.send("GET", "/session").status == 401)
            let answer = try await browser.signIn(LicenseServer.token)
            #expect(answer.status == 200)
            #expect(answer.json["role"] == .string("admin"))
            #expect(answer.json["idleSeconds"] == .integer(1_800))
            let cookie = try #require(answer.headers["set-cookie"])
            #expect(cookie.hasPrefix("keyway-session="))
            for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict"] { #expect(cookie.contains(part)) }
            #expect(!cookie.contains("Secure"))
            #expect(!answer.text.contains(LicenseServer.token))
            let again = try await browser.send("GET", "/session")
            #expect(again.json["change"] == answer.json["change"])
            #expect(try await browser.send("GET", "/policies").status == 200)
            #expect(
                try await server.changes() == ["admin-sign-in by admin-token: signed in to the dashboard, role admin"]
            )
        }
    }

    @Test("Over TLS the cookie is limited to TLS, also if TLS is terminated at a proxy")
    func secure() async throws {
        try await LicenseServer.run { server in
            var browser = Browser(server: server)
            let origin = ["Origin": "https://127.0.0.1:\(server.adminPort)"]
            let cookie = try #require(try await browser.signIn(LicenseServer.token, origin).headers["set-cookie"])
            #expect(cookie.hasPrefix("__Host-keyway-session="))
            #expect(cookie.contains("; Secure"))
            #expect(try await browser.send("GET", "/session").status == 200)
        }
    }

    @Test("A change needs a value that only the server's pages can read, and is refused from other sites")
    func changes() async throws {
        try await LicenseServer.run { server in
            var browser = Browser(server: server)
            _ = try await browser.signIn(LicenseServer.token)
            var other = Browser(server: server)
            _ = try await other.signIn(LicenseServer.token)
            let change = try #require(browser.change)
            let wrong = try #require(other.change)
            let own = [
                "Keyway-Change": change, "Origin": "http://127.0.0.1:\(server.adminPort)",
                "Sec-Fetch-Site": "same-origin",
            ]
            let refused: [([String: String], String)] = [
                ([:], "change-token"),
                (["Keyway-Change": wrong], "change-token"),
                (own.merging(["Origin": "https://evil.example"]) { $1 }, "cross-origin"),
                (own.merging(["Origin": "null"]) { $1 }, "cross-origin"),
                (own.merging(["Sec-Fetch-Site": "same-site"]) { $1 }, "cross-origin"),
            ]
            for (headers, reason) in refused {
                let answer = try await browser.send("PUT", "/policies/p", "{}", headers)
                #expect(answer.status == 403)
                #expect(answer.json["reason"] == .string(reason), "\(headers)")
            }
            // Other sites' pages cannot even read.
            #expect(try await browser.send("GET", "/policies", nil, ["Sec-Fetch-Site": "cross-site"]).status == 403)
            #expect(try await server.store.policy(name: "p") == nil)
            #expect(try await browser.send("PUT", "/policies/p", "{}", own).status == 201)
            #expect(try await server.changes().last == "admin-policy-put by admin-token: policy p created")
        }
    }

    @Test("A session has the permissions of its token, ends with it, and ends when its user signs out")
    func ends() async throws {
        try await LicenseServer.run { server in
            var browser = Browser(server: server)
            let token = try await server.token(.viewer)
            #expect(try await browser.signIn(token).json["permissions"] == .array([.string("read")]))
            let headers = ["Keyway-Change": browser.change ?? ""]
            let answer = try await browser.send("PUT", "/policies/p", "{}", headers)
            #expect(answer.status == 403)
            #expect(answer.json["reason"] == nil)
            try await server.store.deleteAdminToken(name: "a-viewer")
            #expect(try await browser.send("GET", "/policies").status == 401)

            _ = try await browser.signIn(LicenseServer.token)
            #expect(try await browser.send("DELETE", "/session").status == 403)
            let gone = try await browser.send("DELETE", "/session", nil, ["Keyway-Change": browser.change ?? ""])
            #expect(gone.status == 204)
            #expect(gone.headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await browser.send("GET", "/session").status == 401)
        }
    }

    @Test("Invalid tokens are counted as for other routes, and other sites cannot sign in")
    func guesses() async throws {
        try await LicenseServer.run { server in
            var browser = Browser(server: server)
            #expect(try await browser.signIn(LicenseServer.token, ["Origin": "https://evil.example"]).status == 403)
            #expect(try await browser.send("POST", "/session", "{}").status == 400)
            for _ in 0..<FailedTokens.burst { #expect(try await browser.signIn("wrong").status == 401) }
            // On a busy machine attempts may be so slow that another one is allowed meanwhile.
            var late = try await browser.signIn("wrong")
            for _ in 0..<100 where late.status == 401 { late = try await browser.signIn("wrong") }
            #expect(late.status == 429)
            #expect(late.headers["retry-after"] != nil)
            #expect(browser.cookie == nil)
        }
    }
}
