/// The stored records that matter to one SPC.
package struct SPCState: Sendable, Equatable {
    /// The first message that was received with the SPC's RSA block.
    package var sighting: SPCFingerprint?
    /// The facts that the device has reported so far.
    package var report = DeviceReport()

    /// Creates the state of an unknown SPC and device.
    package init() {}
}

extension GrantRules {
    /// The result of checking the evidence of an SPC.
    package enum Admission: Sendable, Equatable {
        /// The evidence is accepted.
        case admitted
        /// Another message with the same RSA block was received before.
        case tampered
        /// The device has reported facts that the decision did not take into account.
        case reported(DeviceReport)
    }

    /// Checks the evidence of an SPC, and updates `memory` with the records to store.
    package static func admit(_ evidence: SPCEvidence, at time: Int64, _ memory: inout SPCState) -> Admission {
        guard isUnchanged(evidence, at: time, memory) else { return .tampered }
        let binding = memory.report.binding(at: time)
        guard evidence.considered.covers(binding) else { return .reported(binding) }
        record(evidence, at: time, &memory)
        return .admitted
    }

    /// Checks the evidence of an SPC whose request is refused in any case.
    package static func refuse(_ evidence: SPCEvidence, at time: Int64, _ memory: inout SPCState) -> RefusalOutcome {
        guard isUnchanged(evidence, at: time, memory) else { return .tampered }
        record(evidence, at: time, &memory)
        return .recorded
    }

    /// The refusal of a message that was changed in transit.
    package static let tampered = GrantRefusal(.tampered, "another message with the same RSA block was received before")

    /// Returns the audit record of a refusal.
    package static func auditRecord(of record: AuditRecord, _ outcome: RefusalOutcome) -> AuditRecord {
        guard outcome == .tampered else { return record }
        var changed = record
        let before = [record.outcome, record.detail].compactMap { $0 }.joined(separator: ": ")
        changed.replaceOutcome(tampered.code.rawValue, "\(tampered.reason); otherwise \(before)")
        return changed
    }

    private static func isUnchanged(_ evidence: SPCEvidence, at time: Int64, _ memory: SPCState) -> Bool {
        guard let seen = memory.sighting, seen.expires > time else { return true }
        return seen.digest == evidence.sighting.digest
    }

    private static func record(_ evidence: SPCEvidence, at time: Int64, _ memory: inout SPCState) {
        // The first fingerprint keeps its expiry, because repeating an SPC does not make it newer.
        if memory.sighting.map({ $0.expires <= time }) ?? true { memory.sighting = evidence.sighting }
        if evidence.device != nil { memory.report.add(evidence.report, at: time) }
    }
}
