import FPSCrypto
import KeyServerModule
import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Raw keys are issued only if both the configuration and a policy allow it", .timeLimit(.minutes(10)))
struct OtherClientsPermissionTests {
    /// Policies of all kinds, none of which may enable a route that is not configured.
    private static let policies: [String?] = [
        nil, "{}", #"{"airplay":"deny"}"#, #"{"hdcp":"none"}"#, #"{"hdcp":"type1","otherClients":"allow"}"#,
        #"{"otherClients":"allow"}"#, #"{"otherClients":"deny"}"#,
    ]
    private static let allow = #"{"otherClients":"allow"}"#

    private func isUnknownRoute(_ answer: ReceivedResponse) -> Bool {
        answer.status == 404 && answer.json["type"] == .string("urn:keyway:problem:not-found")
    }

    @Test("The default configuration lists no such clients")
    func standard() throws {
        #expect(ServerConfiguration().licenses.otherClients == [])
    }

    @Test("Without the setting there is no route, for any policy, token or signed URL")
    func unrouted() async throws {
        try await OtherClientsServer.run(clients: ServerConfiguration().licenses.otherClients) { server in
            let unknown = try await server.send("GET", "/nothing")
            for (byte, policy) in zip((1 as UInt8)..., Self.policies) {
                let stored = try await server.add(byte, policy: policy)
                let signed = try #require(
                    OtherClientsServer.signer.path(keyID: stored.keyID, account: "a", expires: .max)
                )
                for answer in [
                    try await server.clearKey(byte),
                    try await server.send("GET", "/keys/\(Hexadecimal.encode(stored.keyID))"),
                    try await server.send("GET", signed, token: nil),
                ] {
                    #expect(isUnknownRoute(answer))
                    #expect(answer.json["detail"] == unknown.json["detail"])
                }
            }
            #expect(try await server.audit().isEmpty)
        }
    }

    @Test("Each kind of client has the route that the setting lists, and no other", arguments: OtherClientKind.allCases)
    func one(kind: OtherClientKind) async throws {
        try await OtherClientsServer.run(clients: [kind]) { server in
            let keyID = try await server.add(1).keyID
            let clearKey = try await server.clearKey(1)
            let aes128 = try await server.send("GET", "/keys/\(Hexadecimal.encode(keyID))")
            #expect((clearKey.status == 200) == (kind == .clearKey))
            #expect((aes128.status == 200) == (kind == .aes128))
            #expect(isUnknownRoute(kind == .clearKey ? aes128 : clearKey))
        }
    }

    @Test("With the setting, a policy without allow issues no key")
    func silent() async throws {
        try await OtherClientsServer.run { server in
            for (byte, policy) in zip((1 as UInt8)..., Self.policies) where policy?.contains("allow") != true {
                let keyID = try await server.add(byte, policy: policy).keyID
                let expected = JSONValue.string("client-not-protected")
                #expect(try await server.clearKey(byte).json["reason"] == expected, "\(policy ?? "none")")
                let aes128 = try await server.send("GET", "/keys/\(Hexadecimal.encode(keyID))")
                #expect(aes128.status == 403 && aes128.json["reason"] == expected, "\(policy ?? "none")")
            }
        }
    }

    /// The places of a policy.
    enum Place: String, CaseIterable, Sendable {
        case title, track, content, token
    }

    /// Returns the result of a Clear Key request for one key.
    private func outcome(_ policies: [Place: String], allowPolicyOverride: Bool = false) async throws -> Int {
        var authorization = PlaybackAuthorization(account: "viewer", expires: OtherClientsServer.now + 60)
        authorization.policyName = policies[.token].map { _ in "token" }
        authorization.allowPolicyOverride = allowPolicyOverride
        let status = Switch(0)
        try await OtherClientsServer.run(authorization) { server in
            let store = server.store
            for (place, json) in policies {
                let record = try ContentDefaults.policy(name: place.rawValue, json: Array(json.utf8))
                try await store.putPolicy(record, replacing: false)
            }
            func name(_ place: Place) -> String? { policies[place].map { _ in place.rawValue } }
            let title = try TitleRecord(name: "film", policyName: name(.title), time: 0)
            try await store.putTitle(title, replacing: false)
            let track = try TrackRecord(title: "film", name: "hd", kind: .hd, policyName: name(.track))
            try await store.putTrack(track, replacing: false)
            let keyID = [UInt8](repeating: 1, count: 16)
            let content = try ContentRecord(
                assetID: ContentInfo.assetID(forKeyID: keyID),
                keyID: keyID,
                contentKey: SecretBytes(copying: [UInt8](repeating: 2, count: 16)),
                iv: keyID,
                policyName: name(.content),
                titleName: "film",
                trackName: "hd",
                time: 0
            )
            try await store.putContent(content, replacing: false)
            let clearKey = try await server.clearKey(1)
            #expect(try await server.send("GET", "/keys/\(Hexadecimal.encode(keyID))").status == clearKey.status)
            status.value = clearKey.status
        }
        return status.value
    }

    @Test("Allow in one place and no deny issues the key", arguments: Place.allCases)
    func allowed(place: Place) async throws {
        var policies = Dictionary(uniqueKeysWithValues: Place.allCases.map { ($0, #"{"hdcp":"type1"}"#) })
        #expect(try await outcome(policies) == 403)
        policies[place] = Self.allow
        #expect(try await outcome(policies) == 200)
        #expect(try await outcome([place: Self.allow]) == 200)
    }

    @Test("A deny in one place refuses the key, even if others allow it", arguments: Place.allCases)
    func denied(place: Place) async throws {
        var policies = Dictionary(uniqueKeysWithValues: Place.allCases.map { ($0, Self.allow) })
        #expect(try await outcome(policies) == 200)
        policies[place] = #"{"otherClients":"deny"}"#
        #expect(try await outcome(policies) == 403)
    }

    @Test("A deny stays in effect, even if the token's issuer may loosen policies")
    func loosened() async throws {
        let policies = [Place.title: #"{"otherClients":"deny"}"#, .token: Self.allow]
        #expect(try await outcome(policies) == 403)
        #expect(try await outcome(policies, allowPolicyOverride: true) == 403)
        #expect(
            try await outcome([.title: #"{"hdcp":"type1"}"#, .token: Self.allow], allowPolicyOverride: true) == 200
        )
    }
}
