import FPSMessages
import KeyServerModule
import KeyStore

// The evidence that the store keeps of SPCs, both answered and refused.

extension SPCEvidence {
    /// Creates the evidence of an SPC whose integrity was verified.
    ///
    /// - Parameters:
    ///   - sender: The sender, if the SPC could be decrypted completely.
    ///   - now: The time, in Unix seconds.
    init(
        _ authenticated: AuthenticatedSPC,
        from sender: SPCSender? = nil,
        at now: Int64,
        _ settings: LicenseSettings,
        under configuration: KSM.Configuration
    ) {
        self.init(
            sighting: SPCFingerprint(
                key: Array(authenticated.encryptedKeyHash.prefix(SPCFingerprint.hashSize)),
                digest: Array(authenticated.messageHash.prefix(SPCFingerprint.hashSize)),
                expires: now + settings.sightingWindow(under: configuration)
            ),
            device: sender?.device,
            report: sender.map { DeviceReport($0.spc.device, from: now, for: settings.reportBinding) } ?? DeviceReport()
        )
    }
}

extension LicenseSettings {
    /// The additional time for which an SPC is stored after its age limit, in seconds, because the clocks of servers
    /// that share a store differ.
    private static let sightingMargin: Int64 = 60

    /// Returns the time after its arrival in which an SPC may be answered, in seconds.
    ///
    /// - Parameter policy: The policy, once it is known: it may allow an older SPC than the server's limit, or one
    ///   without a date.
    func sightingWindow(under configuration: KSM.Configuration, _ policy: LicensePolicy? = nil) -> Int64 {
        let ages = [configuration.maximumSPCAge ?? replayWindow, policy?.maximumSPCAge].compactMap { $0 }
        let undated = policy?.undatedSPC == .allow ? [replayWindow] : []
        let longest = (ages + undated).max() ?? replayWindow
        return Int64(longest.rawValue) + Int64(configuration.maximumClockAhead.rawValue) + Self.sightingMargin
    }
}

extension SPCEvidence {
    /// Sets the earlier reports that the rules considered, so that the store can detect reports that they did not
    /// consider.
    mutating func consider(_ earlier: RestrictingReports) { considered = report.adding(earlier: DeviceReport(earlier)) }
}

extension DeviceReport {
    /// Creates a report from the earlier reports of a device. Only its values matter, so it does not expire.
    fileprivate init(_ earlier: RestrictingReports) {
        self.init(
            virtualMachine: earlier.isVirtualMachine,
            kinds: earlier.kinds,
            kextDenyListVersion: earlier.kextDenyListVersion,
            securityLevel: earlier.securityLevel,
            until: .max
        )
    }

    private init(
        virtualMachine: Bool,
        kinds: Set<ReportedDevice.Kind>,
        kextDenyListVersion: UInt32?,
        securityLevel: SecurityLevel?,
        until: Int64
    ) {
        self.init()
        func add(_ fact: Fact, _ value: Int64) { entries[fact] = Entry(value: value, until: until) }
        if virtualMachine { add(.virtualMachine, 0) }
        for kind in kinds { if let name = kind.factName { add(Fact(rawValue: "class-\(name)"), 0) } }
        if let kextDenyListVersion { add(.kextDenyList, Int64(kextDenyListVersion)) }
        if let securityLevel { add(.securityLevel, securityLevel == .main ? 1 : 0) }
    }

    /// Creates a report from the risks in an SPC.
    ///
    /// - Parameters:
    ///   - now: The time, in Unix seconds.
    ///   - duration: The time for which the report applies to the device; zero means not at all.
    init(_ device: ReportedDevice, from now: Int64, for duration: Seconds) {
        guard duration.rawValue > 0 else {
            self.init()
            return
        }
        self.init(
            virtualMachine: device.isVirtualMachine,
            kinds: [device.kind],
            kextDenyListVersion: device.kextDenyListVersion,
            securityLevel: device.securityLevel,
            until: now + Int64(duration.rawValue)
        )
    }
}

extension RestrictingReports {
    /// Creates earlier reports from a stored report.
    init(_ report: DeviceReport) {
        let value = { (fact: DeviceReport.Fact) in report.entries[fact]?.value }
        let kinds = ReportedDevice.Kind.reportable.filter { kind in
            kind.factName.map { report.entries[.init(rawValue: "class-\($0)")] != nil } ?? false
        }
        self.init(
            isVirtualMachine: value(.virtualMachine) != nil,
            kinds: Set(kinds),
            kextDenyListVersion: value(.kextDenyList).map { UInt32(clamping: $0) },
            securityLevel: value(.securityLevel).map { $0 > 0 ? .main : .baseline }
        )
    }
}

extension ReportedDevice.Kind {
    /// The kinds that a report can contain.
    fileprivate static let reportable =
        LicensePolicy.AppleDevice.allCases.map { ReportedDevice.Kind.apple($0) } + [.partner]

    /// The name of the kind in a report; nil for a device without a known kind.
    fileprivate var factName: String? {
        switch self {
        case .apple(let device): device.rawValue
        case .partner: "partner"
        case .unknown: nil
        }
    }
}
