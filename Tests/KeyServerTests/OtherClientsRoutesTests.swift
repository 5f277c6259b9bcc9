import KeyServerModule
import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Clear Key and AES-128 over HTTP", .timeLimit(.minutes(10)))
struct OtherClientsRoutesTests {
    private static let protected = #"{"hdcp":"type1","securityLevel":"main"}"#

    private func kid(_ byte: UInt8) -> String { Hexadecimal.encode([UInt8](repeating: byte, count: 16)) }

    private func type(_ answer: ReceivedResponse) -> String? {
        guard case .string(let type)? = answer.json["type"] else { return nil }
        return type.split(separator: ":").last.map(String.init)
    }

    private func keys(_ answer: ReceivedResponse) -> [JSONValue] {
        guard case .array(let keys)? = answer.json["keys"] else { return [] }
        return keys
    }

    @Test("A Clear Key license has the existing keys, and each is audited")
    func clearKey() async throws {
        try await OtherClientsServer.run { server in
            let first = try await server.add(1)
            try await server.add(2, policy: #"{"otherClients":"allow","hdcp":"type0"}"#)
            let answer = try await server.clearKey(1, 2, 3, 1)
            #expect(answer.status == 200)
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.json["type"] == .string("temporary"))
            #expect(keys(answer).count == 2)
            #expect(
                keys(answer).first
                    == .object([
                        "kty": .string("oct"), "kid": .string("AQEBAQEBAQEBAQEBAQEBAQ"),
                        "k": .string(Base64.encodeURLSafe(first.key)),
                    ])
            )
            let audit = try await server.audit()
            #expect(audit.map(\.outcome).sorted() == ["issued", "issued", "unknown-asset"])
            #expect(audit.map(\.account) == ["viewer", "viewer", "viewer"])
            #expect(Set(audit.map(\.policyName)) == [nil, "policy-1", "policy-2"])
            let own = try #require(audit.first { $0.assetID == Array("asset-1".utf8) })
            #expect(own.route == "/clearkey")
            #expect(own.detail == "Clear Key, key ID \(kid(1))")
        }
    }

    @Test("A key without a policy uses the default one, which does not allow such clients")
    func defaultPolicy() async throws {
        try await OtherClientsServer.run { server in
            try await server.add(1, policy: nil)
            #expect(try await server.clearKey(1).json["reason"] == .string("client-not-protected"))
            #expect(try await server.send("GET", "/keys/\(kid(1))").json["reason"] == .string("client-not-protected"))
            let open = try ContentDefaults.policy(name: "default", json: Array(#"{"otherClients":"allow"}"#.utf8))
            try await server.store.putPolicy(open, replacing: false)
            #expect(keys(try await server.clearKey(1)).count == 1)
            #expect(try await server.send("GET", "/keys/\(kid(1))").status == 200)
        }
    }

    @Test("Only authorized clients learn that a key is not valid yet")
    func notValidYet() async throws {
        try await OtherClientsServer.run { server in
            try await server.add(1, validFrom: OtherClientsServer.now + 1)
            for (token, status, word) in [
                (nil, 401, "token-missing"), ("wrong", 401, "token-signature"),
                (OneToken.token, 403, "refused-by-policy"),
            ] {
                let (aes, clearKey) = (
                    try await server.send("GET", "/keys/\(kid(1))", token: token),
                    try await server.clearKey(1, token: token)
                )
                #expect(aes.status == status && type(aes) == word)
                #expect(clearKey.status == status && type(clearKey) == word)
            }
            #expect(try await server.audit().map(\.outcome).suffix(2) == ["key-not-valid", "key-not-valid"])
        }
    }

    @Test("A request is authorized once, independent of the number of its keys")
    func askedOnce() async throws {
        let authorizer = CountingAuthorizer()
        try await OtherClientsServer.run(authorizer: authorizer) { server in
            for byte in 1...3 as ClosedRange<UInt8> { try await server.add(byte) }
            #expect(keys(try await server.clearKey(1, 2, 3)).count == 3)
            #expect(authorizer.asked.value.map(\.assetID) == [nil])
            // One key is one asset, which the authorizer gets.
            _ = try await server.clearKey(2)
            _ = try await server.send("GET", "/keys/\(kid(3))")
            #expect(
                authorizer.asked.value.dropFirst().map(\.assetID) == [Array("asset-2".utf8), Array("asset-3".utf8)]
            )
        }
    }

    @Test("Every key counts for its account and its address, and in the metrics")
    func limited() async throws {
        var limits = RateLimits()
        limits.license.account = RateLimit(perMinute: 1, burst: 5)
        limits.license.address = RateLimit(perMinute: 1, burst: 7)
        try await OtherClientsServer.run(rates: limits) { server in
            for byte in 1...4 as ClosedRange<UInt8> { try await server.add(byte) }
            try await server.add(9, policy: Self.protected)
            #expect(keys(try await server.clearKey(1, 2, 3, 9, from: "192.0.2.1")).count == 3)
            let account = try await server.clearKey(1, 2, from: "192.0.2.1")
            #expect(account.status == 429 && account.json["reason"] == .string("account"))
            #expect(try await server.send("GET", "/keys/\(kid(1))", from: "192.0.2.1").status == 200)
            #expect(try await server.send("GET", "/keys/\(kid(1))", from: "192.0.2.2").status == 429)
            // A signed URL has its account; two licenses are left to the address.
            func path(_ account: String) throws -> String {
                let keyID = [UInt8](repeating: 1, count: 16)
                let path = OtherClientsServer.signer.path(keyID: keyID, account: account, expires: .max)
                return try #require(path)
            }
            for (account, status) in [("a", 200), ("b", 200), ("c", 429)] as [(String, Int)] {
                let answer = try await server.send("GET", try path(account), token: nil, from: "192.0.2.1")
                #expect(answer.status == status)
            }
            let refused = try await server.audit().filter { $0.outcome == "rate-limited" }
            #expect(refused.map(\.account) == ["viewer", "viewer", "c"])
            let text = await server.exposition()
            #expect(text.contains(#"keyway_licenses_total{outcome="issued",reason="none"} 6"#))
            #expect(text.contains(#"keyway_licenses_total{outcome="refused",reason="client-not-protected"} 1"#))
            #expect(text.contains(#"keyway_rate_limited_total{by="account",class="license"} 2"#))
            #expect(text.contains(#"keyway_rate_limited_total{by="address",class="license"} 1"#))
        }
    }

    @Test("Keys that no policy allows are omitted; without any key the response is the refusal")
    func protected() async throws {
        try await OtherClientsServer.run { server in
            try await server.add(1)
            try await server.add(2, policy: Self.protected)
            #expect(keys(try await server.clearKey(1, 2)).count == 1)
            let refused = try await server.clearKey(2, 3)
            #expect(refused.status == 403)
            #expect(type(refused) == "refused-by-policy")
            #expect(refused.json["reason"] == .string("client-not-protected"))
            let unknown = try await server.clearKey(3, 4)
            #expect(unknown.status == 404)
            #expect(type(unknown) == "unknown-asset")
            let aes = try await server.send("GET", "/keys/\(kid(2))")
            #expect(aes.status == 403)
            #expect(aes.json["reason"] == .string("client-not-protected"))
            let outcomes = try await server.audit().map(\.outcome)
            #expect(outcomes.filter { $0 == "client-not-protected" }.count == 3)
            #expect(outcomes.count == 7)
        }
    }

    @Test(
        "Other Clear Key requests are refused",
        arguments: [
            ("", "malformed-request"), ("[]", "malformed-request"), ("{}", "malformed-request"),
            (#"{"kids":[]}"#, "malformed-request"), (#"{"kids":["AQEB"]}"#, "malformed-request"),
            (#"{"kids":[1]}"#, "malformed-request"), (#"{"kids":["????????????????????????"]}"#, "malformed-request"),
            (#"{"kids":["AQEBAQEBAQEBAQEBAQEBAQ"],"type":"persistent-license"}"#, "refused-by-policy"),
            (#"{"kids":["AQEBAQEBAQEBAQEBAQEBAQ"],"type":"other"}"#, "malformed-request"),
            (#"{"kids":["AQEBAQEBAQEBAQEBAQEBAQ"],"type":1}"#, "malformed-request"),
            (String(repeating: "[", count: 8_000), "malformed-request"),
            (String(repeating: " ", count: 8_193), "body-too-large"),
        ]
    )
    func malformed(body: String, expected: String) async throws {
        try await OtherClientsServer.run { server in
            try await server.add(1)
            let answer = try await server.send("POST", "/clearkey", body)
            #expect(type(answer) == expected)
            // The only one of these refusals that is not about the form of the request.
            let reason = expected == "refused-by-policy" ? "persistent-license-unsupported" : nil
            #expect(reason == nil || answer.json["reason"] == reason.map { .string($0) })
        }
    }

    @Test("Up to 32 keys are issued at once; the type is optional, other fields are ignored")
    func many() async throws {
        @Sendable func body(_ count: UInt8) -> String {
            let kids = (1...count).map { "\"\(Base64.encodeURLSafe([UInt8](repeating: $0, count: 16)))\"" }
            return "{\"kids\":[\(kids.joined(separator: ","))],\"extra\":1}"
        }
        try await OtherClientsServer.run { server in
            for byte in 1...33 as ClosedRange<UInt8> { try await server.add(byte) }
            #expect(keys(try await server.send("POST", "/clearkey", body(32))).count == 32)
            #expect(try await server.send("POST", "/clearkey", body(33)).status == 400)
        }
    }

    @Test("An AES-128 key is sixteen bytes that must not be cached")
    func key() async throws {
        try await OtherClientsServer.run { server in
            let stored = try await server.add(0xab)
            for path in [kid(0xab), kid(0xab).uppercased(), "abababab-abab-abab-abab-abababababab"] {
                let answer = try await server.send("GET", "/keys/\(path)")
                #expect(answer.status == 200)
                #expect(answer.body == stored.key)
                #expect(answer.headers["content-type"] == "application/octet-stream")
                #expect(answer.headers["cache-control"] == "no-store")
            }
            for path in ["ab", kid(0xab) + "ab", "abababab-ababababababababababababab", "zz" + kid(0xab).dropFirst(2)] {
                #expect(try await server.send("GET", "/keys/\(path)").status == 400)
            }
            #expect(try await server.send("GET", "/keys/\(kid(1))").status == 404)
            #expect(try await server.audit().map(\.outcome) == ["issued", "issued", "issued", "unknown-asset"])
            #expect(!server.log.text.contains(Hexadecimal.encode(stored.key)))
        }
    }

    @Test("Without a token there is no key, and no information about its existence")
    func token() async throws {
        try await OtherClientsServer.run { server in
            try await server.add(1)
            for token in [nil, "wrong"] as [String?] {
                for byte in [1, 2] as [UInt8] {
                    let expected = token == nil ? "token-missing" : "token-signature"
                    #expect(type(try await server.send("GET", "/keys/\(kid(byte))", token: token)) == expected)
                    #expect(type(try await server.clearKey(byte, token: token)) == expected)
                }
            }
            #expect(try await server.audit().count == 8)
        }
    }

    @Test("A token is checked for the key: its assets, its title, its device and its single use")
    func limitedToken() async throws {
        var authorization = PlaybackAuthorization(account: "viewer", expires: OtherClientsServer.now + 60)
        authorization.assets = ["asset-1"]
        try await OtherClientsServer.run(authorization) { server in
            try await server.add(1)
            try await server.add(2)
            #expect(keys(try await server.clearKey(1, 2)).count == 1)
            #expect(type(try await server.clearKey(2)) == "token-asset")
            #expect(try await server.send("GET", "/keys/\(kid(1))").status == 200)
            #expect(type(try await server.send("GET", "/keys/\(kid(2))")) == "token-asset")
        }
        var others = [PlaybackAuthorization](
            repeating: PlaybackAuthorization(account: "viewer", expires: OtherClientsServer.now + 60),
            count: 3
        )
        others[0].title = "movie"
        others[1].device = [UInt8](repeating: 1, count: 32)
        others[2].binding = TokenBindingClaim(token: [UInt8](repeating: 1, count: 32), expires: .max)
        for (authorization, expected) in zip(others, ["token-asset", "token-device", "token-device"]) {
            try await OtherClientsServer.run(authorization) { server in
                try await server.add(1)
                #expect(type(try await server.clearKey(1)) == expected)
                #expect(type(try await server.send("GET", "/keys/\(kid(1))")) == expected)
            }
        }
    }

    @Test("A signed URL needs no token, returns only its own key, and expires")
    func signedURL() async throws {
        try await OtherClientsServer.run { server in
            let stored = try await server.add(1)
            try await server.add(2)
            try await server.add(3, policy: Self.protected)
            @Sendable func path(_ byte: UInt8, _ expires: Int64 = OtherClientsServer.now + 1, _ network: String? = nil)
                throws
                -> String
            {
                let keyID = [UInt8](repeating: byte, count: 16)
                let network = network.flatMap { IPNetwork(rawValue: $0) }
                let path = OtherClientsServer.signer.path(
                    keyID: keyID,
                    account: "zoë",
                    expires: expires,
                    network: network
                )
                return try #require(path)
            }
            let answer = try await server.send("GET", try path(1), token: nil)
            #expect(answer.status == 200)
            #expect(answer.body == stored.key)
            #expect(try await server.audit().last?.account == "zoë")
            // Other parameters, such as those of a player, are ignored.
            #expect(try await server.send("GET", try path(1) + "&_t=1", token: nil).status == 200)
            #expect(try await server.send("GET", try path(1, .max, "127.0.0.0/8"), token: nil).status == 200)

            let query = try path(1).split(separator: "?").last ?? ""
            for (path, expected) in [
                (try path(1, OtherClientsServer.now), "key-url-expired"),
                ("/keys/\(kid(2))?\(query)", "key-url-signature"),
                (try path(1).replacing("acc=", with: "acc=x"), "key-url-signature"),
                (try path(1, .max, "192.0.2.0/24"), "forbidden"),
                (try path(3), "refused-by-policy"), (try path(4), "unknown-asset"),
                (try path(1).replacing("&sig=", with: "&gis="), "token-missing"),
            ] {
                #expect(type(try await server.send("GET", path, token: nil)) == expected, "\(path)")
            }
            // A valid token does not replace a valid signature.
            #expect(type(try await server.send("GET", "/keys/\(kid(1))?sig=x")) == "key-url-signature")
            let records = try await server.audit().suffix(8)
            // The account of a URL is known if its signature is valid.
            #expect(records.map(\.account) == ["zoë", nil, nil, "zoë", "zoë", "zoë", nil, nil])
            #expect(
                records.map(\.outcome) == [
                    "key-url-expired", "key-url-signature", "key-url-signature", "forbidden", "client-not-protected",
                    "unknown-asset", "token-missing", "key-url-signature",
                ]
            )
        }
        try await OtherClientsServer.run(signsURLs: false) { server in
            let path = OtherClientsServer.signer.path(
                keyID: [UInt8](repeating: 1, count: 16),
                account: "a",
                expires: .max
            )
            try await server.add(1)
            #expect(type(try await server.send("GET", try #require(path), token: nil)) == "key-url-signature")
        }
    }

    @Test("Networks and origins of the policy apply")
    func whereabouts() async throws {
        try await OtherClientsServer.run { server in
            try await server.add(1, policy: #"{"networks":["192.0.2.0/24"],"otherClients":"allow"}"#)
            try await server.add(
                2,
                policy: #"{"origins":["https://play.example"],"networks":["127.0.0.0/8"],"otherClients":"allow"}"#
            )
            #expect(try await server.clearKey(1).json["reason"] == .string("network-denied"))
            #expect(try await server.clearKey(2).json["reason"] == .string("origin-denied"))
            #expect(try await server.send("GET", "/keys/\(kid(2))", origin: "https://play.example").status == 200)
            #expect(try await server.send("GET", "/keys/\(kid(2))", origin: "https://other.example").status == 403)
        }
    }
}
