import Testing

@testable import KeyServerModule

@Suite("Descriptions of permissive policy settings")
struct PolicyOpeningsTests {
    private func permissiveSettings(_ json: String) throws -> String {
        try LicensePolicy(json: Array(json.utf8)).permissiveSettings.joined(separator: "\n")
    }

    private static let strict =
        #""hdcp":"type1","securityLevel":"main","lease":"PT10M","streams":2,"airplay":"deny","adapter":"deny""#

    @Test("A policy without permissive settings has no description")
    func nothing() throws {
        #expect(try permissiveSettings("{\(Self.strict),\"otherClients\":\"deny\"}") == "")
    }

    @Test(
        "Each permissive field has a sentence, which is absent if the field is strict",
        arguments: [
            (#""otherClients":"allow""#, "get the raw key if the server's licenses.otherClients lists them"),
            (#""hdcp":"none""#, "HDCP is not required"),
            (#""virtualMachines":"allow""#, "Virtual machines get the key"),
            (#""airplay":"allow""#, "playback through AirPlay."),
            (#""adapter":"allow""#, "playback through the digital AV adapter."),
            (#""undatedSPC":"allow""#, "A request without a creation date"),
            (#""persist":{}"#, "offline playback never expires"),
            (#""persist":{"validity":"P7D"}"#, "requested again after it has expired"),
            (#""securityLevel":"audio""#, nil),
            (#""renewAfterExpiry":false,"persist":{"validity":"P7D"}"#, nil),
        ] as [(String, String?)]
    )
    func sentences(field: String, words: String?) throws {
        let name = String(field.split(separator: "\"").first ?? "")
        let rest = (Self.strict + #","otherClients":"deny""#).split(separator: ",").filter {
            !$0.hasPrefix("\"\(name)\"")
        }
        let found = try permissiveSettings("{\(([field] + rest.map(String.init)).joined(separator: ","))}")
        guard let words else { return #expect(found == "") }
        #expect(found.contains(words), "\(found)")
        #expect(!found.contains("\n"), "\(found)")
    }

    @Test("An empty policy has no limit, no HDCP setting and any level, and gives no key to other clients")
    func empty() throws {
        let found = try permissiveSettings("{}")
        for words in [
            "get no key from this policy alone", "An online key has no time limit", "HDCP is not specified",
            "Devices of any security level", "playback through AirPlay and the digital AV adapter",
            "any number of devices",
        ] { #expect(found.contains(words), "\(words): \(found)") }
    }

    @Test("The fields that clients with the raw key do not enforce are listed")
    func unenforced() throws {
        #expect(try permissiveSettings(#"{"otherClients":"allow"}"#).contains("do not enforce") == false)
        let found = try permissiveSettings("{\(Self.strict),\"otherClients\":\"allow\"}")
        #expect(
            found.contains("They do not enforce hdcp, securityLevel, lease, streams, airplay, adapter."),
            "\(found)"
        )
    }

    @Test("A rental without a lease limits only the start of playback")
    func rental() throws {
        #expect(
            try permissiveSettings(#"{"rental":"P2D"}"#).contains("can continue without an end after it has started")
        )
    }
}
