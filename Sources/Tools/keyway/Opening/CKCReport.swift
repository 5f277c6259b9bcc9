import FPSCrypto
import FPSMessages
import KeyServerModule

extension Report {
    /// The statement that the input is base64 of a CKC.
    static let base64CKC = "the file is base64 of a CKC; a device needs the decoded bytes"

    /// Creates a report about a CKC. The session key decrypts its content key.
    ///
    /// - Parameter isBase64: Whether the input was base64, which devices reject.
    init(ckc inspection: CKCInspection, size: Int, isBase64: Bool = false, sessionKey: SecretBytes?) {
        self.init(kind: "ckc", headline: "CKC, \(size) bytes" + (isBase64 ? ": \(Self.base64CKC)" : ""))
        // The JSON report has no headline.
        if isBase64 { notes.append(Self.base64CKC) }
        if let message = inspection.message { tables.append(Self.container(message)) }
        if let blocks = inspection.blocks, !inspection.isGarbage {
            tables.append(BlockTables.payload(blocks))
            if let table = Self.contentKey(blocks, sessionKey) { tables.append(table) }
            notes += blocks.filter(\.hasUniformPadding).map { SPCRequest.Anomaly.uniformPadding($0.tag).description }
        }
        problem = inspection.problem.map { error in
            let reason = inspection.isGarbage ? CKCInspection.garbage : error.reason
            return Problem(stage: error.stage.rawValue, code: error.code.rawValue, reason: reason)
        }
    }

    private static func container(_ message: CKCMessage) -> FieldTable {
        FieldTable(
            title: "Container",
            remark: "Table 2-10",
            fields: [
                Field("version", .number(CKCMessage.version)),
                Field("reserved", .word(message.reserved)),
                Field("payload IV", .bytes(message.iv)),
                Field("payload length", .number(message.encryptedPayload.count, unit: "bytes")),
                Field("encrypted payload", .opaque(message.encryptedPayload)),
            ]
        )
    }

    private static func contentKey(_ blocks: TLLVSequence, _ sessionKey: SecretBytes?) -> FieldTable? {
        guard let sessionKey, let block = blocks[.encryptedContentKey],
            let encrypted = try? EncryptedContentKey(block),
            let key = try? AES128.decryptBlockSecret(encrypted.encryptedKey, key: sessionKey)
        else { return nil }
        return FieldTable(title: "Content key", fields: contentKeyFields(key, iv: encrypted.iv))
    }

    /// Returns the fields of a content key, with a fingerprint to compare keys without showing them.
    static func contentKeyFields(_ key: SecretBytes, iv: [UInt8]) -> [Field] {
        [
            Field("key", .secret(key)),
            Field("fingerprint", .bytes(fingerprint(of: key))),
            Field("IV", .bytes(iv)),
        ]
    }

    /// Returns the first 8 bytes of the SHA-256 hash: enough to compare keys, but not to recover one.
    static func fingerprint(of key: SecretBytes) -> [UInt8] { SHA256.hash(key)[0..<8].reveal() }
}
