import TextCoding

/// An audit record in its log, with its number and its link in the hash chain of the node that wrote it.
///
/// The hash of an entry covers the entry and the hash of the previous entry of the same node. An operator who has
/// stored one hash elsewhere can detect whether anything up to that entry was changed, removed, inserted or moved
/// since.
package struct AuditEntry: Sendable, Equatable {
    /// The position in the log; it grows with every entry.
    package let number: Int64
    /// The ID of the node that wrote the entry, 8 random bytes. Each store in a data folder is a node.
    package let node: [UInt8]
    /// The entry's number within the node, from 1 without gaps.
    package let sequence: Int64
    /// The SHA-256 of the previous hash and all fields of the entry, 32 bytes.
    package let hash: [UInt8]
    /// The record.
    package let record: AuditRecord

    package init(number: Int64, node: [UInt8], sequence: Int64, hash: [UInt8], record: AuditRecord) {
        self.number = number
        self.node = node
        self.sequence = sequence
        self.hash = hash
        self.record = record
    }
}

/// The last entry of a node's chain. If the operator stores it outside of the server, a later verification detects
/// removed entries.
package struct AuditHead: Sendable, Hashable {
    /// The node's ID, 8 bytes.
    package let node: [UInt8]
    /// The number of the entry within the node; 0 if the node has written no entry.
    package let sequence: Int64
    /// The hash of the entry, 32 bytes; zeros if the node has written no entry.
    package let hash: [UInt8]

    /// Creates a head.
    package init(node: [UInt8], sequence: Int64, hash: [UInt8]) {
        self.node = node
        self.sequence = sequence
        self.hash = hash
    }
}

extension AuditHead: CustomStringConvertible, LosslessStringConvertible {
    /// The text form: the node in hexadecimal digits, the sequence number, and the hash in hexadecimal digits,
    /// separated by colons.
    package var description: String { "\(Hexadecimal.encode(node)):\(sequence):\(Hexadecimal.encode(hash))" }

    /// Parses the text form of ``description``; nil if the text is malformed.
    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let node = Hexadecimal.decode(parts[0]), node.count == 8,
            let sequence = Int64(parts[1]), sequence >= 0, let hash = Hexadecimal.decode(parts[2]), hash.count == 32
        else { return nil }
        self.init(node: node, sequence: sequence, hash: hash)
    }
}
