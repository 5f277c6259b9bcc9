import FPSMessages
import KeyServerModule
import KeyStore

// What is remembered of SPCs, answered or refused.

extension LicenseService {
    /// How many licenses an account and an address are charged for a message that was changed on its way.
    static let tamperingCost = 10

    /// How long an SPC is remembered beyond its age window, in seconds: servers that share a store have clocks of their own.
    private static let sightingMargin: Int64 = 60

    /// What an SPC proves; nil where its integrity does not hold, or a plug-in opened it.
    ///
    /// - Parameters:
    ///   - opened: the SPC, if it could be opened.
    ///   - device: the device; nil where it is not known.
    func evidence(
        of authenticated: AuthenticatedSPC?,
        _ opened: OpenedSPC? = nil,
        device: DeviceHash? = nil,
        at now: Int64
    ) -> SPCEvidence? {
        authenticated.map { authenticated in
            SPCEvidence(
                sighting: SPCSighting(
                    key: Array(authenticated.encryptedKeyHash.prefix(SPCSighting.hashSize)),
                    digest: Array(authenticated.messageHash.prefix(SPCSighting.hashSize)),
                    expires: now + sightingWindow()
                ),
                device: device,
                report: opened.map { DeviceReport($0.device, from: now, for: settings.reportBinding) } ?? DeviceReport()
            )
        }
    }

    /// How long an SPC may be answered after it was seen, in seconds.
    ///
    /// - Parameter policy: the terms, once they are known: they may allow an older SPC than the server does, or one without a
    ///   date.
    func sightingWindow(_ policy: LicensePolicy? = nil) -> Int64 {
        let configuration = module.configuration
        let ages = [configuration.maximumSPCAge ?? settings.replayWindow, policy?.maximumSPCAge].compactMap { $0 }
        let undated = policy?.undatedSPC == .allow ? [settings.replayWindow] : []
        let longest = (ages + undated).max() ?? settings.replayWindow
        return Int64(longest.rawValue) + Int64(configuration.maximumClockAhead.rawValue) + Self.sightingMargin
    }

    /// Writes the audit record of a refusal, remembers its SPC, and counts it.
    ///
    /// - Returns: what the client is told. A message that was changed on its way gets the answer of one that cannot be opened.
    func recordRefusal(
        _ problem: ProblemDocument,
        as outcome: ServerMetrics.Outcome = .refused,
        reason: String,
        _ record: AuditRecord,
        _ trail: AuditTrail,
        _ question: Question
    ) async throws -> ProblemDocument {
        guard let evidence = trail.evidence else {
            count(outcome, reason: reason, trail)
            try await store.append(record)
            return problem
        }
        switch try await store.refuse(record, evidence: evidence, now: clock() / 1000) {
        case .recorded:
            count(outcome, reason: reason, trail)
            return problem
        case .tampered:
            return tampered(trail, question)
        }
    }

    /// Counts a message that was changed on its way, which the store has recorded, and charges for it.
    func tampered(_ trail: AuditTrail, _ question: Question) -> ProblemDocument {
        count(.refused, reason: GrantRefusal.Code.tampered.rawValue, trail)
        limiter?.charge(
            Self.tamperingCost,
            account: question.authorization.isAnonymous ? nil : question.authorization.account,
            address: question.address
        )
        return ProblemDocument(.unreadableSPC)
    }
}

extension SPCEvidence {
    /// Takes in what the rules were told of earlier reports, and nothing else: so the store is told that a report was considered
    /// only where it was.
    mutating func consider(_ earlier: EarlierReports) { considered = report.adding(earlier: DeviceReport(earlier)) }
}

extension DeviceReport {
    /// What a device has reported earlier. It is compared by its values alone.
    fileprivate init(_ earlier: EarlierReports) {
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

    /// What an SPC reports against its device.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix seconds.
    ///   - duration: how long it binds; zero for not at all.
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

extension EarlierReports {
    /// What a store has of a device.
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
    /// The kinds that a report can name.
    fileprivate static let reportable =
        LicensePolicy.AppleDevice.allCases.map { ReportedDevice.Kind.apple($0) } + [.partner]

    /// The name of the kind in a report; nil for a device that does not say what it is.
    fileprivate var factName: String? {
        switch self {
        case .apple(let device): device.rawValue
        case .partner: "partner"
        case .unknown: nil
        }
    }
}
