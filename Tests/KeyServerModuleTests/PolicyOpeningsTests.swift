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

    @Test(
        "Each rule that refuses requests has a phrase",
        arguments: [
            ("{}", ["virtual machines", "requests without a creation date"]),
            (#"{"virtualMachines":"allow","undatedSPC":"allow"}"#, []),
            (
                #"{"virtualMachines":"allow","undatedSPC":"allow","hdcp":"type1","securityLevel":"main","lease":"PT10M","#
                    + #""streams":1,"devices":5,"airplay":"deny","adapter":"deny","otherClients":"deny"}"#,
                [
                    "devices that cannot enforce HDCP Type 1", "devices below the security level main",
                    "more than 1 concurrent stream of an account", "more than 5 devices of an account", "AirPlay",
                    "the digital AV adapter", "devices of an unknown class", "Clear Key and AES-128 clients",
                ]
            ),
            (
                #"{"virtualMachines":"allow","undatedSPC":"allow","osVersions":{"appleDesktop":"14.0.0"},"maximumSPCAge":"PT1H","#
                    + #""unclassifiedDevices":"allow","networks":["192.0.2.0/24"],"origins":["https://a.example"],"#
                    + #""persist":{"validity":"P7D"},"renewAfterExpiry":false,"bindRentalToDevice":true}"#,
                [
                    "other devices than the first one of a rental",
                    "persistent keys for accounts whose last one has expired",
                    "OS versions before 14.0.0 of appleDesktop",
                    "requests older than PT1H", "clients outside of the networks",
                    "apps, and web pages of other origins",
                ]
            ),
        ] as [(String, [String])]
    )
    func refusals(json: String, phrases: [String]) throws {
        #expect(try LicensePolicy(json: Array(json.utf8)).refusals == phrases)
    }

    @Test(
        "A rule that a device passes without a report is named, unless the report is required",
        arguments: [
            ("{}", ["virtualMachines"]), (#"{"virtualMachines":"deny"}"#, ["virtualMachines"]),
            (#"{"virtualMachines":"allow"}"#, []),
            (#"{"virtualMachines":{"value":"deny","requireReport":true}}"#, []),
            (#"{"airplay":"deny","adapter":"deny"}"#, ["airplay", "adapter", "virtualMachines"]),
            // Without a level or a class, these refuse.
            (#"{"virtualMachines":"allow","securityLevel":"main","osVersions":{"appleDesktop":"14.0.0"}}"#, []),
        ] as [(String, [String])]
    )
    func unproven(json: String, fields: [String]) throws {
        let sentences = try LicensePolicy(json: Array(json.utf8)).unprovenRules
        #expect(sentences.count == fields.count)
        for (sentence, field) in zip(sentences, fields) {
            #expect(sentence.hasPrefix("Nothing proves \(field): "), "\(sentence)")
            #expect(sentence.contains(#"set \#(field) to {"value": "deny", "requireReport": true}."#), "\(sentence)")
        }
    }
}
