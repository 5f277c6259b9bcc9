/// The result of verifying an audit log against its hash chains.
package struct AuditVerification: Sendable, Equatable {
    /// The way in which a chain is broken.
    package enum Fault: String, Sendable, CaseIterable {
        /// The entry, or the one before it, was changed after it was written.
        case changed
        /// Entries before this one are missing.
        case missing
        /// The entry is not in its original position.
        case reordered
        /// Entries at the end are missing: the log ends before the entry that the store, or the operator, has recorded.
        case truncated
    }

    /// The first entry that does not match its chain.
    package struct Break: Sendable, Equatable {
        /// The kind of break.
        package let fault: Fault
        /// The entry's number in the log, or nil for a missing entry.
        package let number: Int64?
        /// The node whose chain is broken.
        package let node: [UInt8]
        /// The number within the node that the entry contains, or that the missing entry would contain.
        package let sequence: Int64

        package init(fault: Fault, number: Int64?, node: [UInt8], sequence: Int64) {
            self.fault = fault
            self.number = number
            self.node = node
            self.sequence = sequence
        }
    }

    /// The number of entries that were read. Reading stops at the first break.
    package let entries: Int
    /// The last valid entry of every node, in the order in which the nodes appear.
    package let heads: [AuditHead]
    /// The first entry that does not match its chain, or nil if the log is intact.
    package let firstBreak: Break?

    /// True if the log is intact, as far as the chains alone can show: see ``AuditLog/verifyAudit(expecting:)``.
    package var isIntact: Bool { firstBreak == nil }
}

/// Verifies entries, in the order of their numbers, against the hash chains.
package struct AuditVerifier {
    private var heads: [AuditHead]
    /// The heads that the operator or the store has recorded, which the log must contain.
    private let expected: [AuditHead]
    private var met: [AuditHead]
    private var entries = 0
    private var firstBreak: AuditVerification.Break?
    /// The entry that is missing at a gap. If it appears later, it was moved.
    private var missed: (node: [UInt8], sequence: Int64)?

    /// Creates a verifier. `starts` are the heads before the first entry, if the log does not start with a node's first
    /// entry.
    package init(expecting expected: [AuditHead], startingAt starts: [AuditHead] = []) {
        heads = starts
        self.expected = expected
        met = starts
    }

    /// Verifies the next entry. Returns false if the remaining entries do not need to be read.
    package mutating func verify(_ entry: AuditEntry) -> Bool {
        entries += 1
        if let missed {
            guard entry.node == missed.node, entry.sequence == missed.sequence else { return true }
            stop(.reordered, entry)
            self.missed = nil
            return false
        }
        let index = heads.firstIndex { $0.node == entry.node } ?? heads.endIndex
        if index == heads.endIndex { heads.append(AuditHead(startOf: entry.node)) }
        let next = heads[index].appending(entry.record)
        if entry.sequence > next.sequence {
            stop(.missing, entry)
            missed = (next.node, next.sequence)
            return true
        }
        if entry.sequence < next.sequence {
            stop(.reordered, entry)
        } else if entry.hash != next.hash || contradictsExpected(next) {
            stop(.changed, entry)
        } else {
            heads[index] = next
            if expected.contains(next) { met.append(next) }
        }
        return firstBreak == nil
    }

    /// Returns the result, after the last entry.
    package mutating func finish() -> AuditVerification {
        if firstBreak == nil, let lost = expected.first(where: { $0.sequence > 0 && !met.contains($0) }) {
            let last = heads.first { $0.node == lost.node }
            firstBreak = .init(fault: .truncated, number: nil, node: lost.node, sequence: (last?.sequence ?? 0) + 1)
        }
        return AuditVerification(entries: entries, heads: heads, firstBreak: firstBreak)
    }

    /// Returns whether the chain is consistent but differs from a recorded head.
    private func contradictsExpected(_ head: AuditHead) -> Bool {
        expected.contains { $0.node == head.node && $0.sequence == head.sequence && $0.hash != head.hash }
    }

    private mutating func stop(_ fault: AuditVerification.Fault, _ entry: AuditEntry) {
        firstBreak = .init(fault: fault, number: entry.number, node: entry.node, sequence: entry.sequence)
    }
}

extension AuditLog {
    /// Verifies the log against its hash chains page by page, so that writers do not have to wait.
    ///
    /// - Parameter heads: The heads that the log must contain: the one that the store recorded, and the operator's.
    package func verifyPages(expecting heads: [AuditHead]) async throws(KeyStoreError) -> AuditVerification {
        var verifier = AuditVerifier(expecting: heads)
        var number: Int64?
        while true {
            let page = try await auditEntries(after: number, limit: 1_000)
            for entry in page { guard verifier.verify(entry) else { return verifier.finish() } }
            guard let next = page.last?.number else { return verifier.finish() }
            number = next
        }
    }
}
