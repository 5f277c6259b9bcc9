import DRMSignaling
import Testing

@Suite("Output protection")
struct OutputProtectionTests {
    /// The limits are those of the rules hdcp-level-missing and hdcp-level-too-low.
    @Test(
        "The class of a track depends on both of its sides",
        arguments: [
            (1, 1, TrackClass.sd), (720, 576, .sd), (1024, 576, .sd), (576, 1024, .sd), (1025, 576, .hd),
            (1024, 577, .hd), (1280, 720, .hd), (1280, 544, .hd), (1920, 1080, .hd), (1080, 1920, .hd),
            (1921, 1080, .uhd), (1920, 1081, .uhd), (2048, 858, .uhd), (3840, 2160, .uhd), (2160, 3840, .uhd),
        ]
    )
    func classes(_ width: Int, _ height: Int, _ expected: TrackClass) {
        #expect(TrackClass(width: width, height: height) == expected)
    }

    @Test("Names are parsed in any letter case")
    func words() {
        #expect(TrackClass(parsing: "Uhd") == .uhd)
        #expect(TrackClass(parsing: "AUDIO") == .audio)
        #expect(TrackClass(parsing: "4k") == nil)
        #expect(HDCPRequirement(parsing: "type-1") == .type1)
        #expect(HDCPRequirement(parsing: "TYPE0") == .type0)
        #expect(HDCPRequirement(parsing: "None") == HDCPRequirement.none)
        #expect(HDCPRequirement(parsing: "TYPE-2") == nil)
        #expect(HDCPRequirement(parsing: "") == nil)
        #expect(HDCPRequirement.allCases.sorted() == [.none, .type0, .type1])
    }

    @Test("A label consists of letters, digits and hyphens")
    func labels() {
        #expect(CPCLabel(rawValue: "AppleMain") == .appleMain)
        #expect(CPCLabel(rawValue: "HW-1")?.rawValue == "HW-1")
        for text in ["", "a/b", "a,b", "a:b", "a b", "a\"", "ä"] { #expect(CPCLabel(rawValue: text) == nil) }
    }

    /// Apple's HLS Authoring Specification, 13.5 and 13.6; section 9 of the FairPlay Streaming guide.
    @Test("The standard rules")
    func standard() {
        let rules = OutputProtectionRules.standard
        #expect(rules[.audio].hdcp == HDCPRequirement.none)
        #expect(rules[.audio].allowedCPC(for: [.fairPlay]) == nil)
        #expect(rules[.sd].hdcp == HDCPRequirement.none)
        #expect(rules[.hd].hdcp == .type0)
        #expect(rules[.uhd].hdcp == .type1)
        let everyone = "com.apple.streamingkeydelivery:AppleBaseline/Baseline"
        #expect(rules[.sd].allowedCPC(for: [.fairPlay, .common]) == everyone)
        #expect(rules[.hd].allowedCPC(for: [.common, .fairPlay]) == everyone)
        #expect(rules[.uhd].allowedCPC(for: [.fairPlay]) == "com.apple.streamingkeydelivery:AppleMain/Main")
        #expect(rules[.uhd].allowedCPC(for: [.common]) == nil)
        #expect(rules[.uhd].allowedCPC(for: []) == nil)
        #expect(OutputProtectionRules().protection(of: .uhd) == OutputProtection())
    }

    @Test("ALLOWED-CPC has an entry for each system with labels, in the order of the systems")
    func entries() throws {
        let label = try #require(CPCLabel(rawValue: "HW"))
        let other = ProtectionSystem(name: "other", systemID: nil, keyFormat: "urn:x:y")
        let protection = OutputProtection(labels: [.fairPlay: [.main], other: [label, .main], .common: []])
        #expect(
            protection.allowedCPC(for: [other, .common, .fairPlay])
                == "urn:x:y:HW/Main,com.apple.streamingkeydelivery:Main"
        )
    }

    @Test("Exceptions apply to a class or to a single variant")
    func exceptions() throws {
        var rules = OutputProtectionRules.standard
        try rules.require(hdcp: "uhd=type0")
        try rules.require(hdcp: "video=1080=none")
        try rules.require(cpc: "HD=applemain/Main/AppleMain")
        try rules.require(cpc: "video-720=none")
        #expect(rules.protection(of: .uhd).hdcp == .type0)
        #expect(rules[.uhd].labels[.fairPlay] == [.appleMain, .main])
        #expect(rules[.hd].hdcp == .type0)
        #expect(rules[.hd].labels[.fairPlay] == [.appleMain, .main])
        #expect(rules.protection(of: .hd, variant: "another") == rules[.hd])
        let first = rules.protection(of: .hd, variant: "video=1080")
        #expect(first.hdcp == HDCPRequirement.none)
        #expect(first.labels == rules[.hd].labels)
        let second = rules.protection(of: .hd, variant: "video-720")
        #expect(second.hdcp == .type0)
        #expect(second.allowedCPC(for: [.fairPlay]) == nil)
        #expect(rules.namedVariants == ["video-720", "video=1080"])
    }

    @Test("The error for an invalid exception lists the valid values")
    func refused() {
        for text in ["", "HD", "=TYPE-1", "HD=", "HD=TYPE-9"] {
            let error = failure { () throws(SignalingError) in
                var rules = OutputProtectionRules.standard
                try rules.require(hdcp: text)
            }
            #expect(error?.code == .invalidOutputProtection, "\(text)")
            #expect(error?.subject == "HDCP-LEVEL")
        }
        for text in ["", "HD", "=Main", "HD=", "HD=Main/", "HD=Main,Baseline", "HD=SL3000"] {
            let error = failure { () throws(SignalingError) in
                var rules = OutputProtectionRules.standard
                try rules.require(cpc: text)
            }
            #expect(error?.code == .invalidOutputProtection, "\(text)")
            #expect(error?.subject == "ALLOWED-CPC")
        }
    }

    @Test("Variants with different levels must have different keys")
    func keys() {
        func check(_ assignments: [KeyAssignment]) -> SignalingError? {
            failure { () throws(SignalingError) in try KeyAssignment.check(assignments) }
        }
        let sd = KeyAssignment(variant: "480", keyID: firstID, hdcp: nil)
        let other = KeyAssignment(variant: "540", keyID: firstID, hdcp: HDCPRequirement.none)
        let hd = KeyAssignment(variant: "1080", keyID: firstID, hdcp: .type0)
        let hdAlone = KeyAssignment(variant: "1080", keyID: secondID, hdcp: .type0)
        #expect(check([sd, other, hdAlone]) == nil)
        let error = check([sd, other, hd])
        #expect(error?.code == .sharedKey)
        #expect(error?.description.contains("“480” with HDCP-LEVEL=NONE and “1080” with HDCP-LEVEL=TYPE-0") == true)
        #expect(KeyAssignment.strictest([sd, hd, other]) == [firstID: .type0])
        #expect(KeyAssignment.strictest([sd, hdAlone]) == [firstID: HDCPRequirement.none, secondID: .type0])
    }
}
