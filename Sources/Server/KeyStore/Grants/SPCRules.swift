/// What a store knows that matters to one SPC.
package struct SPCMemory: Sendable, Equatable {
    /// The message that was seen first with the SPC's RSA block.
    package var sighting: SPCSighting?
    /// What the device has reported so far.
    package var report = DeviceReport()

    /// What a store that has never seen either knows.
    package init() {}
}

extension GrantRules {
    /// What comes of the evidence of an SPC.
    package enum Admission: Sendable, Equatable {
        /// Nothing speaks against it.
        case admitted
        /// The same RSA block came with other bytes before.
        case tampered
        /// The device reported what the decision did not take into account.
        case reported(DeviceReport)
    }

    /// Checks the evidence of an SPC, and leaves in `memory` what is to be stored.
    package static func admit(_ evidence: SPCEvidence, at time: Int64, _ memory: inout SPCMemory) -> Admission {
        guard isUnchanged(evidence, at: time, memory) else { return .tampered }
        let binding = memory.report.binding(at: time)
        guard evidence.considered.covers(binding) else { return .reported(binding) }
        remember(evidence, at: time, &memory)
        return .admitted
    }

    /// The same for a request that is refused anyway.
    package static func refuse(_ evidence: SPCEvidence, at time: Int64, _ memory: inout SPCMemory) -> RefusalOutcome {
        guard isUnchanged(evidence, at: time, memory) else { return .tampered }
        remember(evidence, at: time, &memory)
        return .recorded
    }

    /// The refusal of a message that was changed on its way.
    package static let tampered = GrantRefusal(.tampered, "the same RSA block came with another message before")

    /// The audit record of a refusal.
    package static func auditRecord(of record: AuditRecord, _ outcome: RefusalOutcome) -> AuditRecord {
        guard outcome == .tampered else { return record }
        var changed = record
        let before = [record.outcome, record.detail].compactMap { $0 }.joined(separator: ": ")
        changed.replaceOutcome(tampered.code.rawValue, "\(tampered.reason); otherwise \(before)")
        return changed
    }

    private static func isUnchanged(_ evidence: SPCEvidence, at time: Int64, _ memory: SPCMemory) -> Bool {
        guard let seen = memory.sighting, seen.expires > time else { return true }
        return seen.digest == evidence.sighting.digest
    }

    private static func remember(_ evidence: SPCEvidence, at time: Int64, _ memory: inout SPCMemory) {
        // The first sighting keeps its time: the SPC becomes no younger by being sent again.
        if memory.sighting.map({ $0.expires <= time }) ?? true { memory.sighting = evidence.sighting }
        if evidence.device != nil { memory.report.add(evidence.report, at: time) }
    }
}
