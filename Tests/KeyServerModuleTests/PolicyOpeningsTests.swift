import Testing

@testable import KeyServerModule

@Suite("What a policy opens, in words")
struct PolicyOpeningsTests {
    private func openings(_ json: String) throws -> String {
        try LicensePolicy(json: Array(json.utf8)).openings.joined(separator: "\n")
    }

    private static let strict =
        #""hdcp":"type1","securityLevel":"main","lease":"PT10M","streams":2,"airplay":"deny","adapter":"deny""#

    @Test("A policy that leaves nothing open says nothing")
    func nothing() throws {
        #expect(try openings("{\(Self.strict),\"otherClients\":\"deny\"}") == "")
    }

    @Test(
        "Each field that opens something has a sentence, which is gone where the field closes it",
        arguments: [
            (#""otherClients":"allow""#, "get the raw key, if the server's licenses.otherClients lists them"),
            (#""hdcp":"none""#, "No HDCP is asked for"),
            (#""virtualMachines":"allow""#, "Virtual machines get the key"),
            (#""airplay":"allow""#, "playback by AirPlay."),
            (#""adapter":"allow""#, "playback by the digital AV adapter."),
            (#""undatedSPC":"allow""#, "A request that has no date"),
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
        let found = try openings("{\(([field] + rest.map(String.init)).joined(separator: ","))}")
        guard let words else { return #expect(found == "") }
        #expect(found.contains(words), "\(found)")
        #expect(!found.contains("\n"), "\(found)")
    }

    @Test("An empty policy has no limit, no HDCP of its own and any level, and gives other clients nothing by itself")
    func empty() throws {
        let found = try openings("{}")
        for words in [
            "get no key from this policy alone", "An online key has no time limit", "HDCP is left to the device",
            "Devices of any security level", "playback by AirPlay and the digital AV adapter", "any number of devices",
        ] { #expect(found.contains(words), "\(words): \(found)") }
    }

    @Test("What does not bind clients that get the raw key is named")
    func unenforced() throws {
        #expect(try openings(#"{"otherClients":"allow"}"#).contains("do not follow") == false)
        let found = try openings("{\(Self.strict),\"otherClients\":\"allow\"}")
        #expect(found.contains("They do not follow hdcp, securityLevel, lease, streams, airplay, adapter."), "\(found)")
    }

    @Test("A rental without a lease limits only the start of playback")
    func rental() throws {
        #expect(try openings(#"{"rental":"P2D"}"#).contains("may go on without an end once it has begun"))
    }
}
