package import KeyStore
import Testing

extension KeyStoreContract {
    static let evidence: [KeyStoreContract] = [
        .init("An SPC may be repeated, but not with other bytes", check: changedMessage),
        .init("A refused SPC is recorded, too", check: refusedMessage),
        .init("A Sync SPC is recorded, too, and rejected if it was changed", check: changedSync),
        .init("An SPC is recorded until it is too old, regardless of repetitions", check: sightingExpires),
        .init("A device's report applies until its expiry, for every account", check: reportBinds),
        .init("Of two reports the worse one for the device applies", check: lowestBinds),
        .init("A decision that considers the report is granted", check: consideredReport),
        .init("The oldest SPCs beyond the limit are deleted", check: oldestForgotten),
        .init("Of several changed copies at the same time only the first is accepted", check: copiesAtOnce),
        .init("Evidence with a size out of bounds is rejected, and nothing is written", check: evidenceSizes),
    ]
}

extension Sample {
    /// Returns the evidence of a numbered SPC, sent with these bytes, of a numbered device.
    package static func evidence(
        _ spc: Int,
        bytes: Int = 0,
        device: Int? = 1,
        expires: Int64 = 10_000,
        _ report: [DeviceReport.Fact: Int64] = [:],
        until: Int64 = 5_000
    ) -> SPCEvidence {
        SPCEvidence(
            sighting: SPCFingerprint(key: id(spc), digest: id(bytes), expires: expires),
            device: device.map { Sample.device($0) },
            report: DeviceReport(report.mapValues { DeviceReport.Entry(value: $0, until: until) })
        )
    }
}

private let aClass = DeviceReport.Fact(rawValue: "class-appleDesktop")

@Sendable
private func changedMessage(_ store: any KeyServerStore) async throws {
    let first = Sample.proposal().with { $0.evidence = Sample.evidence(1, bytes: 1) }
    #expect(try await store.grant(first) == .granted)
    #expect(try await store.grant(first) == .granted)
    let changed = Sample.proposal("ben", device: 2).with { $0.evidence = Sample.evidence(1, bytes: 2) }
    #expect(try await store.grant(changed).refusal == .tampered)
    // The first message stays recorded: the copy does not replace it.
    #expect(try await store.grant(first) == .granted)
    #expect(try await store.grant(changed).refusal == .tampered)
    #expect(try await outcomes(store, 5) == ["issued", "issued", "tampered", "issued", "tampered"])
}

@Sendable
private func refusedMessage(_ store: any KeyServerStore) async throws {
    var record = AuditRecord(milliseconds: 1, route: "/fps/license", outcome: "virtual-machine", microseconds: 1)
    record.detail = "the device is a virtual machine"
    #expect(try await store.refuse(record, evidence: Sample.evidence(1, bytes: 1), now: 1_000) == .recorded)
    let changed = Sample.proposal().with { $0.evidence = Sample.evidence(1, bytes: 2) }
    #expect(try await store.grant(changed).refusal == .tampered)
    #expect(try await store.refuse(record, evidence: Sample.evidence(1, bytes: 3), now: 1_000) == .tampered)
    let entries = try await store.auditEntries(before: nil, limit: 10)
    #expect(entries.map(\.record.outcome) == ["tampered", "tampered", "virtual-machine"])
    // The log contains the original refusal, too.
    #expect(entries.first?.record.detail?.hasSuffix("virtual-machine: the device is a virtual machine") == true)
}

@Sendable
private func changedSync(_ store: any KeyServerStore) async throws {
    var claim = Sample.sync(at: 1_000, stream: 1, .report(remaining: nil))
    claim.evidence = Sample.evidence(1, bytes: 1)
    #expect(try await store.record(claim) == .recorded(records: 0))
    claim.evidence = Sample.evidence(1, bytes: 2)
    let changed = try await store.record(claim)
    guard case .refused(let refusal) = changed else {
        Issue.record("\(changed)")
        return
    }
    #expect(refusal.code == .tampered)
    #expect(try await outcomes(store, 2) == ["reported", "tampered"])
}

@Sendable
private func sightingExpires(_ store: any KeyServerStore) async throws {
    let first = Sample.proposal().with { $0.evidence = Sample.evidence(1, bytes: 1, expires: 2_000) }
    #expect(try await store.grant(first) == .granted)
    // Repeating it with a later expiry does not extend the record.
    let later = Sample.proposal(at: 1_500).with { $0.evidence = Sample.evidence(1, bytes: 1, expires: 9_000) }
    #expect(try await store.grant(later) == .granted)
    let changed = Sample.evidence(1, bytes: 2)
    #expect(try await store.prune(at: 1_999) == 0)
    #expect(try await store.grant(Sample.proposal(at: 1_999).with { $0.evidence = changed }).refusal == .tampered)
    #expect(try await store.grant(Sample.proposal(at: 2_000).with { $0.evidence = changed }) == .granted)
    // From then on this one is recorded.
    let again = Sample.proposal(at: 2_001).with { $0.evidence = Sample.evidence(1, bytes: 1) }
    #expect(try await store.grant(again).refusal == .tampered)
    #expect(try await store.prune(at: 9_999) == 0)
    #expect(try await store.prune(at: 10_000) == 1)
}

@Sendable
private func reportBinds(_ store: any KeyServerStore) async throws {
    let machine = Sample.evidence(1, [.virtualMachine: 0])
    #expect(try await store.refuse(Sample.audit(1), evidence: machine, now: 1_000) == .recorded)
    let hidden = Sample.proposal("ben", at: 4_999).with { $0.evidence = Sample.evidence(2) }
    let expected = DeviceReport([.virtualMachine: .init(value: 0, until: 5_000)])
    #expect(try await store.grant(hidden) == .deviceReported(expected))
    #expect(try await store.deviceReport(Sample.device(1), at: 4_999) == expected)
    #expect(try await store.deviceReport(Sample.device(2), at: 4_999) == DeviceReport())
    // Nothing was written, not even an audit record.
    #expect(try await outcomes(store, 10).count == 1)
    let other = Sample.proposal("ben", device: 2, at: 4_999).with { $0.evidence = Sample.evidence(3, device: 2) }
    #expect(try await store.grant(other) == .granted)
    let unknown = Sample.proposal("ben", device: 3, at: 4_999).with { $0.evidence = Sample.evidence(4, device: nil) }
    #expect(try await store.grant(unknown) == .granted)
    // The report has expired.
    #expect(try await store.grant(hidden.with { $0.now = 5_000 }) == .granted)
    #expect(try await store.deviceReport(Sample.device(1), at: 5_000) == DeviceReport())
    #expect(try await store.prune(at: 5_000) == 1)
}

@Sendable
private func lowestBinds(_ store: any KeyServerStore) async throws {
    func report(_ number: Int, _ version: Int64, until: Int64, at now: Int64) async throws {
        let evidence = Sample.evidence(number, [.kextDenyList: version, aClass: 4], until: until)
        _ = try await store.refuse(Sample.audit(1), evidence: evidence, now: now)
    }
    func binding(at time: Int64) async throws -> DeviceReport.Entry? {
        try await store.deviceReport(Sample.device(1), at: time).entries[.kextDenyList]
    }
    try await report(1, 31, until: 3_000, at: 1_000)
    try await report(2, 17, until: 2_000, at: 1_000)
    #expect(try await binding(at: 1_001) == .init(value: 17, until: 2_000))
    // A newer list applies when the old one has expired.
    try await report(3, 40, until: 4_000, at: 1_999)
    #expect(try await binding(at: 1_999) == .init(value: 17, until: 2_000))
    try await report(4, 40, until: 4_000, at: 2_000)
    #expect(try await binding(at: 2_000) == .init(value: 40, until: 4_000))
    // The same value again extends the expiry.
    try await report(5, 40, until: 6_000, at: 2_001)
    #expect(try await binding(at: 2_001) == .init(value: 40, until: 6_000))
    let entry = try await store.deviceReport(Sample.device(1), at: 2_001).entries[aClass]
    #expect(entry == .init(value: 4, until: 6_000))
}

@Sendable
private func consideredReport(_ store: any KeyServerStore) async throws {
    let first = Sample.evidence(1, [aClass: 4, .kextDenyList: 17])
    #expect(try await store.grant(Sample.proposal().with { $0.evidence = first }) == .granted)
    // Its own report has the same value.
    let same = Sample.evidence(2, [aClass: 4, .kextDenyList: 17])
    #expect(try await store.grant(Sample.proposal().with { $0.evidence = same }) == .granted)
    var less = Sample.evidence(3, [aClass: 4, .kextDenyList: 31])
    guard case .deviceReported(let report) = try await store.grant(Sample.proposal().with { $0.evidence = less })
    else {
        Issue.record("the report was not returned")
        return
    }
    less.considered = less.report.adding(earlier: report)
    #expect(try await store.grant(Sample.proposal().with { $0.evidence = less }) == .granted)
}

@Sendable
private func oldestForgotten(_ store: any KeyServerStore) async throws {
    for number in 1...5 {
        let proposal = Sample.proposal().with { $0.evidence = Sample.evidence(number, bytes: 1) }
        #expect(try await store.grant(proposal) == .granted)
    }
    #expect(try await store.prune(at: 1_000, keepingSPCs: 3) == 2)
    for number in 3...5 {
        let changed = Sample.proposal().with { $0.evidence = Sample.evidence(number, bytes: 2) }
        #expect(try await store.grant(changed).refusal == .tampered)
    }
    let forgotten = Sample.proposal().with { $0.evidence = Sample.evidence(2, bytes: 2) }
    #expect(try await store.grant(forgotten) == .granted)
}

@Sendable
private func copiesAtOnce(_ store: any KeyServerStore) async throws {
    let outcomes = try await withThrowingTaskGroup(of: GrantOutcome.self) { group in
        for number in 0..<20 {
            group.addTask {
                let evidence = Sample.evidence(1, bytes: number)
                return try await store.grant(
                    Sample.proposal("account \(number)", device: number).with { $0.evidence = evidence }
                )
            }
        }
        return try await group.reduce(into: [GrantOutcome]()) { $0.append($1) }
    }
    #expect(outcomes.filter { $0 == .granted }.count == 1)
    #expect(outcomes.filter { $0.refusal == .tampered }.count == 19)
}

@Sendable
private func evidenceSizes(_ store: any KeyServerStore) async throws {
    var short = Sample.evidence(1)
    short.sighting = SPCFingerprint(key: [1], digest: Sample.id(1), expires: 2_000)
    var long = Sample.evidence(1)
    long.sighting = SPCFingerprint(key: Sample.id(1), digest: Sample.hash(1), expires: 2_000)
    let nameless = Sample.evidence(1, [.init(rawValue: ""): 1])
    var many = Sample.evidence(1)
    for number in 0..<17 {
        many.report.entries[.init(rawValue: "fact-\(number)")] = .init(value: 1, until: 2)
    }
    for evidence in [short, long, nameless, many] {
        await expectError(.invalidRecord) { () async throws(KeyStoreError) in
            _ = try await store.grant(Sample.proposal().with { $0.evidence = evidence })
        }
        await expectError(.invalidRecord) { () async throws(KeyStoreError) in
            _ = try await store.refuse(Sample.audit(1), evidence: evidence, now: 1_000)
        }
    }
    #expect(try await outcomes(store, 10).isEmpty)
}
