import FPSMessages
import KeyServerModule
import KeyStore

// Records evidence from SPCs, both answered and refused.

extension LicenseService {
    /// The number of licenses that a tampered message costs the account and the address.
    static let tamperingCost = 10

    /// The additional time for which an SPC is stored after its age limit, in seconds, because the clocks of servers
    /// that share a store differ.
    private static let sightingMargin: Int64 = 60

    /// Returns the evidence in an SPC; nil if its integrity check failed, or if a plug-in decrypted it.
    ///
    /// - Parameters:
    ///   - opened: The SPC, if it could be decrypted.
    ///   - device: The device, if it is known.
    func evidence(
        of authenticated: AuthenticatedSPC?,
        _ opened: OpenedSPC? = nil,
        device: DeviceHash? = nil,
        at now: Int64
    ) -> SPCEvidence? {
        authenticated.map { authenticated in
            SPCEvidence(
                sighting: SPCFingerprint(
                    key: Array(authenticated.encryptedKeyHash.prefix(SPCFingerprint.hashSize)),
                    digest: Array(authenticated.messageHash.prefix(SPCFingerprint.hashSize)),
                    expires: now + sightingWindow()
                ),
                device: device,
                report: opened.map { DeviceReport($0.device, from: now, for: settings.reportBinding) } ?? DeviceReport()
            )
        }
    }

    /// Returns the time after its arrival in which an SPC may be answered, in seconds.
    ///
    /// - Parameter policy: The policy, once it is known: it may allow an older SPC than the server's limit, or one
    ///   without a date.
    func sightingWindow(_ policy: LicensePolicy? = nil) -> Int64 {
        let configuration = module.configuration
        let ages = [configuration.maximumSPCAge ?? settings.replayWindow, policy?.maximumSPCAge].compactMap { $0 }
        let undated = policy?.undatedSPC == .allow ? [settings.replayWindow] : []
        let longest = (ages + undated).max() ?? settings.replayWindow
        return Int64(longest.rawValue) + Int64(configuration.maximumClockAhead.rawValue) + Self.sightingMargin
    }

    /// Writes the audit record of a refusal, stores the evidence of its SPC, and counts the refusal.
    ///
    /// - Returns: The problem to send to the client. A tampered message gets the same response as one that cannot be
    ///   decrypted.
    func recordRefusal(
        _ problem: ProblemDocument,
        as outcome: ServerMetrics.Outcome = .refused,
        reason: String,
        _ record: AuditRecord,
        _ auditBuilder: AuditRecordBuilder,
        _ attempt: Attempt
    ) async throws -> ProblemDocument {
        guard let evidence = auditBuilder.evidence else {
            count(outcome, reason: reason, auditBuilder)
            try await store.append(record)
            return problem
        }
        switch try await store.refuse(record, evidence: evidence, now: clock() / 1000) {
        case .recorded:
            count(outcome, reason: reason, auditBuilder)
            return problem
        case .tampered:
            return tampered(auditBuilder, attempt)
        }
    }

    /// Counts a tampered message, which the store has recorded, and charges the account and the address for it.
    func tampered(_ auditBuilder: AuditRecordBuilder, _ attempt: Attempt) -> ProblemDocument {
        count(.refused, reason: GrantRefusal.Code.tampered.rawValue, auditBuilder)
        limiter?.charge(
            Self.tamperingCost,
            account: attempt.authorization.isAnonymous ? nil : attempt.authorization.account,
            address: attempt.address
        )
        return ProblemDocument(.unreadableSPC)
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
