import KeyServerModule
import Testing

@testable import KeyServer

@Suite("Rules for clients without FairPlay")
struct OtherClientsRulesTests {
    private let now: Int64 = 1_800_000_000

    /// Returns the code of the refusal, or nil.
    private func refusal(
        _ json: String,
        notAfter: Int64? = nil,
        rentalStart: Int64? = nil,
        address: String? = nil,
        origin: String? = nil
    ) throws -> String? {
        var authorization = PlaybackAuthorization(account: "a", expires: now + 60)
        authorization.notAfter = notAfter
        authorization.rentalStart = rentalStart
        let policy = try LicensePolicy(json: Array(json.utf8))
        var found: Set<String?> = []
        for kind in OtherClientKind.allCases {
            let verdict = OtherClientRules.decide(
                policy,
                kind,
                authorization,
                remoteAddress: address,
                origin: origin,
                now: now
            )
            if case .refuse(let error) = verdict { found.insert(error.code.rawValue) } else { found.insert(nil) }
        }
        #expect(found.count == 1)
        return found.first ?? nil
    }

    @Test(
        "Only a policy with allow issues keys to such clients, despite rules that they cannot enforce",
        arguments: [
            "", #""hdcp":"none""#, #""securityLevel":"audio""#, #""persist":{}"#, #""airplay":"deny""#,
            #""hdcp":"type0""#, #""hdcp":"type1""#, #""securityLevel":"baseline""#, #""securityLevel":"main""#,
            #""lease":"PT10M""#, #""rental":"P2D""#, #""lease":"PT10M","streams":2"#, #""devices":2"#,
            #""persist":{"validity":"P7D"}"#, #""persist":{"storage":"P30D","playback":"P2D"}"#,
        ]
    )
    func permission(fields: String) throws {
        let comma = fields.isEmpty ? "" : ","
        #expect(try refusal("{\(fields)}") == "client-not-protected")
        #expect(try refusal("{\(fields)\(comma)\"otherClients\":\"allow\"}") == nil)
        #expect(try refusal("{\(fields)\(comma)\"otherClients\":\"deny\"}") == "client-not-protected")
        let forbidding = "{\(fields)\(comma)\"networks\":[\"192.0.2.0/24\"],\"otherClients\":\"allow\"}"
        #expect(try refusal(forbidding) == "network-denied")
    }

    @Test("An expiring permission does not end the key of such a client, which needs allow in any case")
    func notAfter() throws {
        #expect(try refusal("{}", notAfter: now + 3600) == "client-not-protected")
        #expect(try refusal(#"{"otherClients":"allow"}"#, notAfter: now + 3600) == nil)
    }

    @Test("Networks and origins apply to all clients")
    func whereabouts() throws {
        let networks = #"{"networks":["192.0.2.0/24"],"otherClients":"allow"}"#
        #expect(try refusal(networks, address: "192.0.2.1") == nil)
        #expect(try refusal(networks, address: "192.0.3.1") == "network-denied")
        #expect(try refusal(networks) == "network-denied")
        let origins = #"{"origins":["https://a.example"],"otherClients":"allow"}"#
        #expect(try refusal(origins, origin: "https://a.example") == nil)
        #expect(try refusal(origins, origin: "https://b.example") == "origin-denied")
        #expect(try refusal(origins) == "origin-denied")
    }

    @Test("A rental that starts at the token's time ends on time")
    func rental() throws {
        let policy = #"{"rental":"PT1H","rentalStart":"token","otherClients":"allow"}"#
        #expect(try refusal(policy) == "rental-start-missing")
        #expect(try refusal(policy, rentalStart: now - 3599) == nil)
        #expect(try refusal(policy, rentalStart: now - 3600) == "rental-expired")
        #expect(try refusal(policy, rentalStart: .max) == nil)
        #expect(try refusal(policy, rentalStart: .min) == "rental-expired")
    }
}
