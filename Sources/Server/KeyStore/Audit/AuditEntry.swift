import TextCoding

/// An audit record in its log: its number, and its link in the chain of the node that wrote it.
///
/// The hash of an entry covers the entry and the hash of the one before it on the same node. Whoever has noted one hash
/// elsewhere can tell whether anything up to it was changed, taken out, put in or moved since.
package struct AuditEntry: Sendable, Equatable {
    /// Grows with every entry; the order in which the log took them.
    package let number: Int64
    /// The node that wrote it, 8 random bytes. Each store in a data folder is a node.
    package let node: [UInt8]
    /// The number within the node, from 1 without gaps.
    package let sequence: Int64
    /// SHA-256 over the hash before it and all that the entry says, 32 bytes.
    package let hash: [UInt8]
    /// What was logged.
    package let record: AuditRecord

    package init(number: Int64, node: [UInt8], sequence: Int64, hash: [UInt8], record: AuditRecord) {
        self.number = number
        self.node = node
        self.sequence = sequence
        self.hash = hash
        self.record = record
    }
}

/// The last entry of a node's chain. Noted outside of the server, it proves later that nothing was cut off.
package struct AuditHead: Sendable, Hashable {
    /// The node, 8 bytes.
    package let node: [UInt8]
    /// The number of the entry within the node; 0 when it has written none.
    package let sequence: Int64
    /// The hash of the entry, 32 bytes; zeros when there is none.
    package let hash: [UInt8]

    /// Makes a head.
    package init(node: [UInt8], sequence: Int64, hash: [UInt8]) {
        self.node = node
        self.sequence = sequence
        self.hash = hash
    }
}

extension AuditHead: CustomStringConvertible, LosslessStringConvertible {
    /// The form to note: node and hash in hexadecimal digits, the number between them, with colons.
    package var description: String { "\(Hexadecimal.encode(node)):\(sequence):\(Hexadecimal.encode(hash))" }

    /// Reads what ``description`` wrote.
    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let node = Hexadecimal.decode(parts[0]), node.count == 8,
            let sequence = Int64(parts[1]), sequence >= 0, let hash = Hexadecimal.decode(parts[2]), hash.count == 32
        else { return nil }
        self.init(node: node, sequence: sequence, hash: hash)
    }
}
