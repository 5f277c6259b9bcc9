import ByteCoding
import FPSCrypto
import FPSMessages
import Testing

@testable import KeyServerModule

/// Creates the request of an SPC from blocks, without a message.
func request(_ contents: [any TLLVContent]) throws -> SPCRequest {
    var random = SeededRandom(seed: 5)
    let asset: [any TLLVContent] = contents.contains { $0 is AssetID } ? [] : [AssetID(Array("movie".utf8))!]
    return try SPCRequest(TLLVSequence(parsing: (asset + contents).flatMap { $0.block(using: &random).encoded }))
}

func playback(_ state: MediaPlaybackState.State = .readyToStart, age: Int64 = 0) -> MediaPlaybackState {
    MediaPlaybackState(creationDate: UInt32(TestKeys.creationDate - age), state: state, sessionID: 1)
}

func identity(_ deviceClass: DeviceClass, _ osVersion: OSVersion = OSVersion(26)) -> DeviceIdentity {
    DeviceIdentity(
        deviceClass: deviceClass,
        vendorHash: 1,
        productHash: 2,
        fairPlayVersionREE: 3,
        fairPlayVersionTEE: 4,
        osVersion: osVersion
    )
}

@Suite("License checks")
struct LicenseCheckTests {
    /// Returns the code of the first refusal, or nil.
    private func verdict(
        _ policy: LicensePolicy,
        _ contents: [any TLLVContent],
        earlier: RestrictingReports = RestrictingReports(),
        _ configure: (inout KSM.Configuration) -> Void = { _ in }
    ) throws -> String? {
        var configuration = KSM.Configuration()
        configure(&configuration)
        let request = try request(contents)
        let question = LicenseCheckInput(
            policy: policy,
            track: .unspecified,
            request: request,
            device: ReportedDevice(request).bound(by: earlier),
            configuration: configuration,
            now: TestKeys.creationDate
        )
        for check in LicenseChecks.all {
            if case .refuse(let error) = check.decide(question) { return error.code.rawValue }
        }
        return nil
    }

    @Test("Playback states 1, 2 and 3 are allowed; halted and unknown states are refused")
    func states() throws {
        for state in [MediaPlaybackState.State.readyToStart, .playingOrPaused, .leaseAboutToExpire] {
            #expect(try verdict(.default, [playback(state)]) == nil)
        }
        #expect(try verdict(.default, [playback(.halted)]) == "playback-halted")
        #expect(try verdict(.default, [playback(.init(rawValue: 1))]) == "playback-state-unknown")
    }

    @Test(
        "Without a playback state, policies with a time limit refuse; others refuse unless undated SPCs are allowed"
    )
    func missingState() throws {
        #expect(try verdict(.default, []) == "playback-state-missing")
        #expect(try verdict(LicensePolicy(undatedSPC: .allow), []) == nil)
        for policy in [
            LicensePolicy(lease: Seconds(rawValue: 60), undatedSPC: .allow),
            LicensePolicy(rental: Seconds(rawValue: 60), undatedSPC: .allow),
            LicensePolicy(persist: .unlimited, undatedSPC: .allow),
        ] {
            #expect(try verdict(policy, []) == "playback-state-missing")
            #expect(try verdict(policy, []) { $0.maximumSPCAge = nil } == "playback-state-missing")
            #expect(try verdict(policy, [playback()]) == nil)
        }
        #expect(try verdict(.default, []) { $0.maximumSPCAge = nil } == nil)
    }

    @Test("An SPC can be six hours old and ten minutes ahead")
    func age() throws {
        #expect(try verdict(.default, [playback(age: 6 * 3600)]) == nil)
        #expect(try verdict(.default, [playback(age: 6 * 3600 + 1)]) == "spc-too-old")
        #expect(try verdict(.default, [playback(age: -600)]) == nil)
        #expect(try verdict(.default, [playback(age: -601)]) == "spc-date-in-future")
        let strict = LicensePolicy(maximumSPCAge: Seconds(rawValue: 60))
        #expect(try verdict(strict, [playback(age: 60)]) == nil)
        #expect(try verdict(strict, [playback(age: 61)]) == "spc-too-old")
        let old = MediaPlaybackState(creationDate: 0, state: .readyToStart, sessionID: 1)
        #expect(try verdict(.default, [old]) == "spc-too-old")
        #expect(try verdict(.default, [old]) { $0.maximumSPCAge = nil } == nil)
        let far = MediaPlaybackState(creationDate: .max, state: .readyToStart, sessionID: 1)
        #expect(try verdict(.default, [far]) == "spc-date-in-future")
    }

    @Test("The version of the block identifies virtual machines, not its presence")
    func virtualMachines() throws {
        let side = VMDeviceInformation.Side(deviceClass: .appleDesktop, osVersion: OSVersion(15), protocolVersion: 1)
        let guest = VMDeviceInformation(isVirtualMachine: true, host: side, guest: side)
        let metal = VMDeviceInformation(isVirtualMachine: false, host: side, guest: side)
        #expect(try verdict(.default, [playback(), guest]) == "virtual-machine")
        #expect(try verdict(LicensePolicy(), [playback(), guest]) == "virtual-machine")
        #expect(try verdict(LicensePolicy(virtualMachines: .allow), [playback(), guest]) == nil)
        #expect(try verdict(.default, [playback(), metal]) == nil)
    }

    @Test("VM information of an unknown version is noted, and the device counts as a virtual machine")
    func unknownVMInformation() throws {
        var random = SeededRandom(seed: 1)
        let asset = AssetID(Array("movie".utf8))!.block(using: &random)
        let vm = TLLV(
            tag: .vmDeviceInformation,
            value: [0, 0, 0, 2] + [UInt8](repeating: 0, count: 24),
            using: &random
        )
        let request = try SPCRequest(TLLVSequence(parsing: Array(asset.encoded + vm.encoded)))
        #expect(request.vmDeviceInformation == nil)
        #expect(request.anomalies == [.unknownVersion(.vmDeviceInformation)])
        #expect(ReportedDevice(request).isVirtualMachine)
    }

    @Test("AirPlay and adapter are allowed unless denied")
    func routes() throws {
        #expect(try verdict(.default, [playback(), StreamingIndicator.airPlay]) == nil)
        #expect(try verdict(.default, [playback(), StreamingIndicator.digitalAVAdapter]) == nil)
        #expect(
            try verdict(LicensePolicy(airplay: .deny), [playback(), StreamingIndicator.airPlay]) == "airplay-denied"
        )
        #expect(
            try verdict(LicensePolicy(adapter: .deny), [playback(), StreamingIndicator.digitalAVAdapter])
                == "adapter-denied"
        )
        let both = LicensePolicy(airplay: .deny, adapter: .deny)
        #expect(try verdict(both, [playback(), StreamingIndicator(rawValue: 5)]) == nil)
    }

    @Test("HDCP Type 1 needs capability bit 0")
    func hdcp() throws {
        let type1 = LicensePolicy(hdcp: .type1)
        #expect(try verdict(type1, [playback()]) == "hdcp-not-enforceable")
        #expect(try verdict(type1, [playback(), Capabilities([.offlineKey])]) == "hdcp-not-enforceable")
        #expect(try verdict(type1, [playback(), Capabilities([.hdcpEnforcement])]) == nil)
        #expect(try verdict(LicensePolicy(hdcp: .type0), [playback()]) == nil)
    }

    @Test("Main: the report takes precedence over the capability bits, and a Mac requires a recent Kext Deny List")
    func securityLevels() throws {
        let main = LicensePolicy(securityLevel: .main)
        func level(_ contents: any TLLVContent...) throws -> String? { try verdict(main, [playback()] + contents) }
        let mac = identity(.appleDesktop)
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 0)
        let tooLow = "security-level-too-low"

        #expect(try level() == tooLow)
        #expect(try level(Capabilities([.securityLevelBaseline])) == tooLow)
        #expect(try level(Capabilities([.securityLevelMain]), identity(.appleMobile)) == nil)
        #expect(try level(report, identity(.appleMobile)) == nil)
        let baseline = SecurityLevelReport(level: .baseline, kextDenyListVersion: nil)
        #expect(try level(baseline, Capabilities([.securityLevelMain])) == tooLow)
        let unheardOf = SecurityLevelReport(level: .init(rawValue: 9), kextDenyListVersion: nil)
        #expect(try level(unheardOf, Capabilities([.securityLevelMain])) == tooLow)

        #expect(try level(report, mac) == tooLow)
        #expect(try level(report, mac, KextDenyListVersion(30)) == tooLow)
        #expect(try level(report, mac, KextDenyListVersion(31)) == nil)
        #expect(try level(SecurityLevelReport(level: .main, kextDenyListVersion: 31), mac) == nil)
        let conflict = SecurityLevelReport(level: .main, kextDenyListVersion: 31)
        #expect(try level(conflict, mac, KextDenyListVersion(30)) == tooLow, "the TLLV of its own outranks the field")
        #expect(try level(report, DeviceInfo(deviceType: .mac, osVersion: OSVersion(15))) == tooLow)
        let lenient = LicensePolicy(securityLevel: .main, minimumKDL: 30)
        #expect(try verdict(lenient, [playback(), report, mac, KextDenyListVersion(30)]) == nil)
        for level in [LicensePolicy.Level.audio, .baseline] {
            #expect(try verdict(LicensePolicy(securityLevel: level), [playback()]) == nil)
        }
    }

    @Test("A Kext Deny List applies to any kind of device")
    func kextDenyListOfAnyClass() throws {
        let main = LicensePolicy(securityLevel: .main)
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 0)
        func check(_ contents: any TLLVContent...) throws -> String? {
            try verdict(main, [playback(), report] + contents)
        }
        for device in [DeviceClass.appleMobile, .appleLiving, .partnerLiving, .appleDesktop] {
            #expect(try check(identity(device), KextDenyListVersion(30)) == "security-level-too-low")
            #expect(try check(identity(device), KextDenyListVersion(31)) == nil)
            // The value of a damaged block.
            #expect(try check(identity(device), KextDenyListVersion(0x8a3c_11f0)) == "security-level-too-low")
        }
    }

    @Test("A device without a known class is refused by a rule about classes, unless the policy allows it")
    func unclassifiedDevices() throws {
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 0)
        let unlisted = identity(DeviceClass(rawValue: 0x7777_7777))
        for rule in [LicensePolicy(securityLevel: .main), LicensePolicy(osVersions: [.appleMobile: OSVersion(15)])] {
            var lenient = rule
            lenient.unclassifiedDevices = .allow
            for contents: [any TLLVContent] in [[], [unlisted], [identity(.unknown)]] {
                let all: [any TLLVContent] = [playback(), report] + contents
                #expect(try verdict(rule, all) == "device-class-unknown")
                #expect(try verdict(lenient, all) == nil)
            }
        }
        #expect(try verdict(LicensePolicy(hdcp: .type0), [playback(), unlisted]) == nil)
    }

    @Test("A required report must be present; otherwise a missing block is allowed")
    func requiredReports() throws {
        let side = VMDeviceInformation.Side(deviceClass: .appleDesktop, osVersion: OSVersion(15), protocolVersion: 1)
        let metal = VMDeviceInformation(isVirtualMachine: false, host: side, guest: side)
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 0)
        let cases: [(LicensePolicy, LicensePolicy.ReportedRule, without: [any TLLVContent], with: any TLLVContent)] = [
            (.default, .virtualMachines, [], metal),
            (LicensePolicy(airplay: .deny), .airplay, [], StreamingIndicator(rawValue: 0)),
            (LicensePolicy(adapter: .deny), .adapter, [], StreamingIndicator.airPlay),
            (
                LicensePolicy(osVersions: [.appleMobile: OSVersion(15)]), .osVersions,
                [identity(.partnerLiving, OSVersion(rawValue: 0))],
                DeviceInfo(deviceType: .iOS, osVersion: OSVersion(16))
            ),
            (
                LicensePolicy(securityLevel: .main), .securityLevel,
                [identity(.appleMobile), Capabilities([.securityLevelMain])], report
            ),
        ]
        for (policy, rule, without, with) in cases {
            var strict = policy
            strict.requiredReports = [rule]
            #expect(try verdict(policy, [playback()] + without) == nil, "\(rule)")
            #expect(try verdict(strict, [playback()] + without) == "report-missing", "\(rule)")
            let whole: [any TLLVContent] = rule == .osVersions ? [playback(), with] : [playback()] + without + [with]
            #expect(try verdict(strict, whole) == nil, "\(rule)")
        }
        // This number is not in Table 2-5, so it cannot be distinguished from a damaged one.
        var routes = LicensePolicy(airplay: .deny)
        routes.requiredReports = [.airplay]
        #expect(try verdict(routes, [playback(), StreamingIndicator(rawValue: 5)]) == "report-missing")
    }

    @Test("If a report of the OS version is required, every block with a version must satisfy the minimum")
    func requiredOSVersions() throws {
        var policy = LicensePolicy(osVersions: [.appleMobile: OSVersion(15)])
        let info = DeviceInfo(deviceType: .iOS, osVersion: OSVersion(14))
        #expect(try verdict(policy, [playback(), identity(.appleMobile, OSVersion(16)), info]) == nil)
        policy.requiredReports = [.osVersions]
        #expect(try verdict(policy, [playback(), identity(.appleMobile, OSVersion(16)), info]) == "os-version-too-old")
        #expect(try verdict(policy, [playback(), identity(.appleMobile, OSVersion(16))]) == nil)
    }

    @Test("Values that no real device reports count as damaged")
    func implausibleValues() throws {
        let versions = LicensePolicy(osVersions: [.appleMobile: OSVersion(15)])
        for number: UInt32 in [0x0100_0000, 0x0064_0000, 0xffff_ffff] {
            let device = identity(.appleMobile, OSVersion(rawValue: number))
            #expect(try verdict(versions, [playback(), device]) == "os-version-too-old", "\(number)")
        }
        #expect(try verdict(versions, [playback(), identity(.appleMobile, OSVersion(99))]) == nil)
        let type1 = LicensePolicy(hdcp: .type1)
        #expect(try verdict(type1, [playback(), Capabilities(high: 1, low: 1)]) == "hdcp-not-enforceable")
    }

    @Test("Earlier reports of a device apply like its current reports")
    func earlierReports() throws {
        func verdict(_ policy: LicensePolicy, _ earlier: RestrictingReports, _ contents: any TLLVContent...) throws
            -> String?
        {
            try self.verdict(policy, [playback()] + contents, earlier: earlier)
        }
        let main = LicensePolicy(securityLevel: .main)
        let versions = LicensePolicy(osVersions: [.appleMobile: OSVersion(15)])
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 0)
        let phone = identity(.appleMobile, OSVersion(16))
        #expect(try verdict(.default, RestrictingReports(isVirtualMachine: true)) == "virtual-machine")
        #expect(
            try verdict(LicensePolicy(virtualMachines: .allow), RestrictingReports(isVirtualMachine: true)) == nil
        )
        #expect(
            try verdict(main, RestrictingReports(kextDenyListVersion: 30), report, phone) == "security-level-too-low"
        )
        #expect(try verdict(main, RestrictingReports(kextDenyListVersion: 31), report, phone) == nil)
        #expect(
            try verdict(main, RestrictingReports(securityLevel: .baseline), report, phone) == "security-level-too-low"
        )
        #expect(try verdict(main, RestrictingReports(securityLevel: .main), report, phone) == nil)
        // A Mac that reports to be a phone, or reports no kind, has no Kext Deny List.
        let mac = RestrictingReports(kinds: [.apple(.appleDesktop)])
        #expect(try verdict(main, mac, report, phone) == "security-level-too-low")
        #expect(try verdict(main, mac, report) == "security-level-too-low")
        #expect(try verdict(main, mac, report, KextDenyListVersion(31)) == nil)
        let mobile = RestrictingReports(kinds: [.apple(.appleMobile)])
        #expect(try verdict(versions, mobile, identity(.partnerLiving, OSVersion(rawValue: 0))) == "os-version-too-old")
        #expect(try verdict(versions, mobile) == "os-version-too-old")
        #expect(try verdict(versions, mobile, phone) == nil)
    }

    @Test("Minimum OS versions apply only to their class; Device Identity takes precedence over Device Info")
    func osVersions() throws {
        let policy = LicensePolicy(osVersions: [.appleMobile: OSVersion(15), .appleWatch: OSVersion(11)])
        func check(_ contents: any TLLVContent...) throws -> String? { try verdict(policy, [playback()] + contents) }
        let info = DeviceInfo(deviceType: .iOS, osVersion: OSVersion(14))

        #expect(try check(identity(.appleMobile, OSVersion(15))) == nil)
        #expect(try check(identity(.appleMobile, OSVersion(14, 8, 1))) == "os-version-too-old")
        #expect(try check(identity(.appleLiving, OSVersion(1))) == nil)
        #expect(try check(identity(.partnerLiving, OSVersion(rawValue: 0))) == nil)
        #expect(try check(identity(.appleMobile, OSVersion(rawValue: 0))) == "os-version-too-old")
        #expect(try check(info) == "os-version-too-old")
        #expect(try check(identity(.appleMobile, OSVersion(16)), info) == nil)
        #expect(try check(identity(.appleLiving), info) == nil)
        let watch = DeviceInfo(deviceType: .appleWatch, osVersion: OSVersion(10))
        #expect(try check(watch) == "os-version-too-old")
        #expect(try check(identity(.appleUnknown, OSVersion(12)), watch) == nil)
        #expect(try check(identity(.appleUnknown, OSVersion(10)), watch) == "os-version-too-old")
    }
}
