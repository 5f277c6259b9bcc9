/// What came of holding an audit log against its hash chains.
package struct AuditVerification: Sendable, Equatable {
    /// How a chain is broken.
    package enum Fault: String, Sendable, CaseIterable {
        /// The entry, or the one before it, does not say what it said when it was written.
        case changed
        /// Entries before this one are not there.
        case missing
        /// The entry does not stand where it was written.
        case reordered
        /// Entries at the end are not there: the log ends before what the store, or the operator, has noted.
        case truncated
    }

    /// The first entry that does not fit.
    package struct Break: Sendable, Equatable {
        /// What is wrong.
        package let fault: Fault
        /// The entry's number in the log; nil for one that is not there.
        package let number: Int64?
        /// The node whose chain it is.
        package let node: [UInt8]
        /// The number within the node: what the entry says, or what the entry that is not there should say.
        package let sequence: Int64

        package init(fault: Fault, number: Int64?, node: [UInt8], sequence: Int64) {
            self.fault = fault
            self.number = number
            self.node = node
            self.sequence = sequence
        }
    }

    /// How many entries were read. Reading stops at the first break.
    package let entries: Int
    /// The last good entry of every node, in the order in which the nodes appear.
    package let heads: [AuditHead]
    /// The first entry that does not fit; nil when the log is whole.
    package let firstBreak: Break?

    /// Whether the log is whole, as far as it can tell by itself: see ``AuditLog/verifyAudit(expecting:)``.
    package var isWhole: Bool { firstBreak == nil }
}

/// Holds entries, in the order of their numbers, against the chains.
package struct AuditVerifier {
    private var heads: [AuditHead]
    /// What the operator or the store has noted, and that must be met on the way.
    private let expected: [AuditHead]
    private var met: [AuditHead]
    private var entries = 0
    private var firstBreak: AuditVerification.Break?
    /// What should have come where a chain has a gap. If it comes later, it was moved.
    private var missed: (node: [UInt8], sequence: Int64)?

    /// `starts` are the heads before the first entry, where the log does not begin at the beginning.
    package init(expecting expected: [AuditHead], startingAt starts: [AuditHead] = []) {
        heads = starts
        self.expected = expected
        met = starts
    }

    /// Takes the next entry; false when the rest need not be read.
    package mutating func take(_ entry: AuditEntry) -> Bool {
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

    /// What came of it, after the last entry.
    package mutating func finish() -> AuditVerification {
        if firstBreak == nil, let lost = expected.first(where: { $0.sequence > 0 && !met.contains($0) }) {
            let last = heads.first { $0.node == lost.node }
            firstBreak = .init(fault: .truncated, number: nil, node: lost.node, sequence: (last?.sequence ?? 0) + 1)
        }
        return AuditVerification(entries: entries, heads: heads, firstBreak: firstBreak)
    }

    /// The chain fits in itself, and is another than the one that was noted.
    private func contradictsExpected(_ head: AuditHead) -> Bool {
        expected.contains { $0.node == head.node && $0.sequence == head.sequence && $0.hash != head.hash }
    }

    private mutating func stop(_ fault: AuditVerification.Fault, _ entry: AuditEntry) {
        firstBreak = .init(fault: fault, number: entry.number, node: entry.node, sequence: entry.sequence)
    }
}

extension AuditLog {
    /// Holds the log against its hash chains page by page, so that writers need not wait.
    ///
    /// - Parameter heads: what has to be met on the way: the store's own note of its last entry, and the operator's.
    package func verifyPages(expecting heads: [AuditHead]) async throws(KeyStoreError) -> AuditVerification {
        var verifier = AuditVerifier(expecting: heads)
        var number: Int64?
        while true {
            let page = try await auditEntries(after: number, limit: 1_000)
            for entry in page { guard verifier.take(entry) else { return verifier.finish() } }
            guard let next = page.last?.number else { return verifier.finish() }
            number = next
        }
    }
}
