import FPSCrypto

// The input of an entry's hash:
//
// | Bytes | Field |
// |---|---|
// | 32 | the previous entry's hash; zeros for a node's first entry |
// | 1 | version of this layout, 1 |
// | 8 | node |
// | 8 | sequence, big-endian |
// | 5 + n each | fields: tag, length n in 4 bytes, big-endian, and the value |
//
// Numbers have 8 bytes, texts are UTF-8. A field that is nil is omitted, and tags ascend, so that a record has exactly
// one encoding, and a field added in a later version does not change earlier hashes.
extension AuditHead {
    /// Creates the start of a node's chain.
    package init(startOf node: [UInt8]) {
        self.init(node: node, sequence: 0, hash: [UInt8](repeating: 0, count: SHA256.size))
    }

    /// Returns a random ID for a new node, 8 bytes.
    package static func newNode() -> [UInt8] {
        var random = SecureRandom()
        return bigEndianBytes(random.next() as UInt64)
    }

    /// Returns the head after one more record.
    package func appending(_ record: AuditRecord) -> AuditHead {
        let next = sequence + 1
        var message = hash
        message.reserveCapacity(512)
        message.append(1)
        message += node
        message += bigEndianBytes(next)
        record.encode(into: &message)
        return AuditHead(node: node, sequence: next, hash: SHA256.hash(message))
    }
}

extension AuditRecord {
    fileprivate func encode(into message: inout [UInt8]) {
        func append(_ tag: UInt8, _ value: [UInt8]?) {
            guard let value else { return }
            message.append(tag)
            message += bigEndianBytes(UInt32(value.count))
            message += value
        }
        func append(_ tag: UInt8, _ value: String?) { append(tag, value.map { Array($0.utf8) }) }
        append(1, bigEndianBytes(milliseconds))
        append(2, route)
        append(3, outcome)
        append(4, detail)
        append(5, transactionID.map { bigEndianBytes($0) })
        append(6, sessionID.map { bigEndianBytes($0) })
        append(7, assetID)
        append(8, device?.bytes)
        append(9, deviceClass)
        append(10, bundleName)
        append(11, policyName)
        append(12, requestID)
        append(13, remoteAddress)
        append(14, bigEndianBytes(microseconds))
        append(15, account)
    }
}
