package import FPSCrypto
import TextCoding

/// Which cell of which row a sealed value belongs to.
///
/// All of it is authenticated with the value, so that a value which was copied into another row, column or table does
/// not open there.
package struct SealedColumn: Sendable {
    package let table: String
    package let column: String
    /// What makes the row this row: its key first, then such plain columns as must not change behind the store's back.
    package let row: [[UInt8]]
    /// The row in words, for errors.
    package let rowName: String

    package init(table: String, column: String, row: [[UInt8]], rowName: String) {
        self.table = table
        self.column = column
        self.row = row
        self.rowName = rowName
    }

    /// The one secret that every store has: what devices' hashes and replay records are keyed with.
    package static let deviceHashKey = SealedColumn(
        table: "sealing",
        column: "device_hash_key",
        row: [],
        rowName: "1"
    )

    var place: String { "\(table) \(rowName), \(column)" }

    /// Every part behind its length, so that no two lists of parts give the same bytes.
    func associatedData(header: [UInt8]) -> [UInt8] {
        ([header, Array(table.utf8), Array(column.utf8)] + row).reduce(into: []) { bytes, part in
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part)
        }
    }
}

// A sealed value:
//
// | Offset | Bytes | Field |
// |---|---|---|
// | 0 | 1 | version of this layout, 1 |
// | 1 | 8 | ID of the key-encryption key |
// | 9 | 12 | nonce |
// | 21 | n | ciphertext |
// | 21 + n | 16 | tag |
//
// Version and ID are authenticated too.
extension KeyEncryptionKey {
    private static let version: UInt8 = 1
    private static let headerSize = 9

    /// Encrypts a secret for one cell.
    package func seal(_ secret: SecretBytes, for column: SealedColumn) throws(KeyStoreError) -> [UInt8] {
        let header = [Self.version] + id
        do {
            let sealed = try AES256GCM.seal(
                secret,
                key: self.secret,
                authenticating: column.associatedData(header: header)
            )
            return header + sealed
        } catch {
            throw KeyStoreError(.unavailable, place: column.place, reason: "\(error)")
        }
    }

    /// Decrypts what was sealed for that cell.
    ///
    /// - Throws: ``KeyStoreError/Code/wrongKEK`` when it was sealed under another key, ``KeyStoreError/Code/corrupt``
    ///   when it was changed or belongs elsewhere.
    package func unseal(_ envelope: [UInt8], for column: SealedColumn) throws(KeyStoreError) -> SecretBytes {
        guard envelope.count >= Self.headerSize, envelope[0] == Self.version else {
            throw KeyStoreError(.corrupt, place: column.place, reason: "no sealed value of version \(Self.version)")
        }
        let header = Array(envelope[..<Self.headerSize])
        guard Array(header[1...]) == id else {
            throw KeyStoreError(
                .wrongKEK,
                place: column.place,
                reason:
                    "sealed under key \(Hexadecimal.encode(header[1...])), the key given is \(Hexadecimal.encode(id))"
            )
        }
        do {
            return try AES256GCM.open(
                envelope[Self.headerSize...],
                key: secret,
                authenticating: column.associatedData(header: header)
            )
        } catch {
            throw KeyStoreError(.corrupt, place: column.place, reason: "the sealed value does not open")
        }
    }
}
