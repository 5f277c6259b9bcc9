import FPSMessages
import KeyServerModule
import Testing

@Suite("Policy documents")
struct PolicyTests {
    private func policy(_ json: String, for track: TrackKind = .unspecified) throws(PolicyError) -> LicensePolicy {
        try LicensePolicy(json: Array(json.utf8), for: track)
    }

    private func error(_ json: String, for track: TrackKind = .unspecified) -> PolicyError? {
        do {
            _ = try policy(json, for: track)
            return nil
        } catch {
            return error
        }
    }

    @Test("Every field is decoded and encoded to the same JSON")
    func roundTrip() throws {
        let json = """
            {"adapter":"deny","airplay":"allow","bindRentalToDevice":true,"devices":5,"hdcp":"type1","lease":"PT10M",\
            "maximumSPCAge":"PT6H","minimumKDL":31,"name":"premium-streaming",\
            "networks":["192.0.2.0/24","2001:db8::/32"],"origins":["https://play.example.com"],"osVersions":\
            {"appleMobile":"15.0.0"},"otherClients":"deny","renewAfterExpiry":false,"rental":"P2D",\
            "rentalStart":"token","securityLevel":"main","streams":2,"undatedSPC":"allow","virtualMachines":"deny"}
            """
        let read = try policy(json)
        #expect(String(decoding: read.json, as: UTF8.self) == json)
        #expect(read.lease == Seconds(rawValue: 600))
        #expect(read.osVersions == [.appleMobile: OSVersion(15)])
        #expect(read.streams == 2)
        #expect(read.rentalStart == .token)
        #expect(try policy(#"{"networks":[],"origins":[]}"#) == LicensePolicy())
        #expect(try policy(String(decoding: LicensePolicy.default.json, as: UTF8.self)) == .default)
    }

    @Test("A rule can require the report that it depends on")
    func requiredReports() throws {
        let json = """
            {"adapter":"deny","airplay":{"requireReport":true,"value":"deny"},\
            "osVersions":{"requireReport":true,"value":{"appleMobile":"15.0.0"}},\
            "securityLevel":{"requireReport":true,"value":"main"},"unclassifiedDevices":"allow",\
            "virtualMachines":{"requireReport":true}}
            """
        let read = try policy(json)
        #expect(read.requiredReports == [.airplay, .osVersions, .securityLevel, .virtualMachines])
        #expect(read.airplay == .deny)
        #expect(read.virtualMachines == nil)
        #expect(read.osVersions == [.appleMobile: OSVersion(15)])
        #expect(read.securityLevel == .main)
        #expect(read.unclassifiedDevices == .allow)
        #expect(String(decoding: read.json, as: UTF8.self) == json)
        #expect(try policy(#"{"airplay":{"value":"deny"}}"#) == LicensePolicy(airplay: .deny))
        #expect(try policy(#"{"airplay":{"value":"deny","requireReport":false}}"#) == LicensePolicy(airplay: .deny))
        let wrong = [
            #"{"airplay":{"value":"allow","requireReport":true}}"#, #"{"airplay":{"requireReport":true}}"#,
            #"{"virtualMachines":{"value":"allow","requireReport":true}}"#,
            #"{"securityLevel":{"value":"baseline","requireReport":true}}"#,
            #"{"osVersions":{"value":{},"requireReport":true}}"#,
        ]
        for json in wrong { #expect(error(json)?.code == .contradiction, "\(json)") }
        #expect(error(#"{"airplay":{"value":"deny","requireReports":true}}"#)?.field == "airplay.requireReports")
        #expect(error(#"{"airplay":{"value":"perhaps"}}"#)?.code == .invalidValue)
        #expect(error(#"{"airplay":{"requireReport":"yes"}}"#)?.code == .invalidValue)
        #expect(error(#"{"hdcp":{"value":"type1","requireReport":true}}"#)?.code == .invalidValue)
    }

    @Test(
        "A merged policy requires every report of its policies, and allows unknown devices only if all do"
    )
    func mergedReports() throws {
        let first = try policy(#"{"airplay":{"value":"deny","requireReport":true},"unclassifiedDevices":"allow"}"#)
        let second = try policy(#"{"virtualMachines":{"requireReport":true},"airplay":"allow"}"#)
        let merged = try LicensePolicy.strictest([first, second])
        #expect(merged.requiredReports == [.airplay, .virtualMachines])
        #expect(merged.airplay == .deny)
        #expect(merged.unclassifiedDevices != .allow)
        #expect(try LicensePolicy.strictest([first, first]).unclassifiedDevices == .allow)
        // A token that can loosen a policy replaces the rules that it sets.
        let loose = merged.loosened(by: try policy(#"{"airplay":"deny","unclassifiedDevices":"allow"}"#))
        #expect(loose.requiredReports == [.virtualMachines])
        #expect(loose.unclassifiedDevices == .allow)
    }

    @Test(
        "Each form of persistence is decoded and encoded to the same JSON",
        arguments: [
            ("{}", LicensePolicy.Persistence.unlimited),
            (#"{"validity":"P7D"}"#, .limited(Seconds(rawValue: 604_800))),
            (
                #"{"playback":"P2D","storage":"P30D"}"#,
                .dual(storage: Seconds(rawValue: 2_592_000), playback: Seconds(rawValue: 172_800), fallback: nil)
            ),
            (
                #"{"fallback":"P1D","playback":"PT0S","storage":"P30D"}"#,
                .dual(
                    storage: Seconds(rawValue: 2_592_000),
                    playback: Seconds(rawValue: 0),
                    fallback: Seconds(rawValue: 86_400)
                )
            ),
        ]
    )
    func persistence(json: String, expected: LicensePolicy.Persistence) throws {
        let read = try policy("{\"persist\":\(json)}")
        #expect(read.persist == expected)
        #expect(String(decoding: read.json, as: UTF8.self) == "{\"persist\":\(json)}")
    }

    @Test(
        "Invalid policies are refused with the name of the field",
        arguments: [
            ("[]", "not-an-object", ""),
            ("nonsense", "not-an-object", ""),
            ("", "not-an-object", ""),
            (#"{"hdpc":"type1"}"#, "unknown-field", "hdpc"),
            (#"{"streams":2}"#, "contradiction", "streams"),
            (#"{"streams":0,"lease":"PT10M"}"#, "invalid-value", "streams"),
            (#"{"streams":1.5,"lease":"PT10M"}"#, "invalid-value", "streams"),
            (#"{"devices":1001}"#, "invalid-value", "devices"),
            (#"{"devices":"2"}"#, "invalid-value", "devices"),
            (#"{"rentalStart":"firstLicense"}"#, "contradiction", "rentalStart"),
            (#"{"rentalStart":"now","rental":"P2D"}"#, "invalid-value", "rentalStart"),
            (#"{"rentalStart":"token","persist":{}}"#, "contradiction", "rentalStart"),
            (#"{"bindRentalToDevice":true}"#, "contradiction", "bindRentalToDevice"),
            (#"{"bindRentalToDevice":true,"lease":"PT10M"}"#, "contradiction", "bindRentalToDevice"),
            (#"{"bindRentalToDevice":true,"persist":{}}"#, "contradiction", "bindRentalToDevice"),
            (
                #"{"bindRentalToDevice":true,"persist":{"storage":"PT0S","playback":"P2D"}}"#, "contradiction",
                "bindRentalToDevice"
            ),
            (#"{"rentalStart":"token","persist":{"storage":"P2D","playback":"PT0S"}}"#, "contradiction", "rentalStart"),
            (#"{"bindRentalToDevice":"yes"}"#, "invalid-value", "bindRentalToDevice"),
            (#"{"renewAfterExpiry":1}"#, "invalid-value", "renewAfterExpiry"),
            (#"{"networks":"192.0.2.0/24"}"#, "invalid-value", "networks"),
            (#"{"networks":["192.0.2.0/24","192.0.2.1/24"]}"#, "invalid-value", "networks.1"),
            (#"{"origins":["https://play.example.com/"]}"#, "invalid-value", "origins.0"),
            (#"{"otherClients":"maybe"}"#, "invalid-value", "otherClients"),
            (#"{"onlineLimit":"PT10M"}"#, "unknown-field", "onlineLimit"),
            (#"{"hdcp":"type2"}"#, "invalid-value", "hdcp"),
            (#"{"hdcp":1}"#, "invalid-value", "hdcp"),
            (#"{"lease":600}"#, "invalid-value", "lease"),
            (#"{"lease":"10 minutes"}"#, "invalid-value", "lease"),
            (#"{"lease":"P1M"}"#, "invalid-value", "lease"),
            (#"{"lease":"PT0S"}"#, "invalid-value", "lease"),
            (#"{"minimumKDL":-1}"#, "invalid-value", "minimumKDL"),
            (#"{"minimumKDL":4294967296}"#, "invalid-value", "minimumKDL"),
            (#"{"virtualMachines":true}"#, "invalid-value", "virtualMachines"),
            (#"{"osVersions":{"android":"15"}}"#, "unknown-field", "osVersions.android"),
            (#"{"osVersions":{"appleMobile":"fifteen"}}"#, "invalid-value", "osVersions.appleMobile"),
            (#"{"persist":true}"#, "invalid-value", "persist"),
            (#"{"persist":{"storage":"P30D"}}"#, "invalid-value", "persist"),
            (#"{"persist":{"validity":"P30D","storage":"P30D"}}"#, "invalid-value", "persist"),
            (#"{"persist":{"validity":"PT0S"}}"#, "invalid-value", "persist.validity"),
            (#"{"persist":{"validity":null}}"#, "invalid-value", "persist"),
            (#"{"persist":{"storage":"P1D","playback":"P1D","fallback":"P3D"}}"#, "contradiction", "persist.fallback"),
            (#"{"persist":{"storage":"P30D","playback":"P2D"},"lease":"PT10M"}"#, "contradiction", "persist"),
            (#"{"persist":{"storage":"P30D","playback":"P2D"},"rental":"P2D"}"#, "contradiction", "persist"),
            (#"{"persist":{},"rental":"P2D"}"#, "contradiction", "persist"),
            (#"{"persist":{"validity":"P7D"},"rental":"P2D"}"#, "contradiction", "persist.validity"),
            (#"{"name":"Premium"}"#, "invalid-value", "name"),
            (#"{"name":""}"#, "invalid-value", "name"),
        ]
    )
    func mistakes(json: String, code: String, field: String) {
        let found = error(json)
        #expect(found?.code.rawValue == code, "\(json): \(found.map { "\($0)" } ?? "accepted")")
        #expect(found?.field == field)
    }

    @Test("At most a hundred networks and origins are accepted")
    func tooMany() {
        for (field, form) in [("networks", "10.0.N.0/24"), ("origins", "https://N.example")] {
            func list(_ count: Int) -> String {
                let items = (0..<count).map { "\"\(form.replacing("N", with: "\($0)"))\"" }
                return "{\"\(field)\":[\(items.joined(separator: ","))]}"
            }
            #expect(error(list(100)) == nil)
            #expect(error(list(101))?.field == field)
        }
    }

    @Test("The security level must fit the track")
    func tracks() {
        for level in ["baseline", "main", "appleMain"] {
            #expect(error("{\"securityLevel\":\"\(level)\"}", for: .audio)?.code == .contradiction)
            #expect(error("{\"securityLevel\":\"\(level)\"}", for: .video) == nil)
        }
        #expect(error(#"{"securityLevel":"audio"}"#, for: .video)?.code == .contradiction)
        #expect(error(#"{"securityLevel":"audio"}"#, for: .audio) == nil)
    }

    @Test(
        "Durations are ISO 8601 durations of fixed length",
        arguments: [
            ("PT1S", 1), ("PT10M", 600), ("PT1H30M", 5400), ("P1D", 86_400), ("P2W", 1_209_600), ("P1DT12H", 129_600),
            ("PT0S", 0), ("PT4294967294S", 4_294_967_294),
        ]
    )
    func durations(text: String, seconds: UInt32) throws {
        let read = try #require(Seconds(iso8601: text))
        #expect(read.rawValue == seconds)
        #expect(Seconds(iso8601: read.description) == read)
    }

    @Test(
        "Other durations are refused",
        arguments: [
            "", "P", "PT", "P1DT", "T1S", "1S", "P1S", "PT1D", "P1Y", "P1M", "PT1.5S", "PT-1S", "P-1D", "PT1S1M",
            "PT1M1M",
            "PT4294967295S", "P99999999999D", "P9999999999W", "pt1s", "PT1S ", "PT١S", "PTS", "PT1ST1S",
        ]
    )
    func wrongDurations(text: String) { #expect(Seconds(iso8601: text) == nil) }
}
