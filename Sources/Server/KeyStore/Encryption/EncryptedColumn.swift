package import FPSCrypto
import TextCoding

/// The table cell that an encrypted value belongs to.
///
/// Table, column and row are authenticated with the value, so that a value which was copied to another row, column or
/// table cannot be decrypted there.
package struct EncryptedColumn: Sendable {
    package let table: String
    package let column: String
    /// The identity of the row: its primary key, followed by the plaintext columns that must not be changed in the
    /// database.
    package let row: [[UInt8]]
    /// The description of the row for error messages.
    package let rowName: String

    package init(table: String, column: String, row: [[UInt8]], rowName: String) {
        self.table = table
        self.column = column
        self.row = row
        self.rowName = rowName
    }

    /// The secret that every store has. It keys the hashes of devices and of replay records.
    package static let deviceHashKey = EncryptedColumn(
        table: "encryption",
        column: "device_hash_key",
        row: [],
        rowName: "1"
    )

    var place: String { "\(table) \(rowName), \(column)" }

    /// Returns the associated data: every part preceded by its length, so that different lists of parts give different
    /// bytes.
    func associatedData(header: [UInt8]) -> [UInt8] {
        ([header, Array(table.utf8), Array(column.utf8)] + row).reduce(into: []) { bytes, part in
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part)
        }
    }
}

// An encrypted value:
//
// | Offset | Bytes | Field |
// |---|---|---|
// | 0 | 1 | version of this layout, 1 |
// | 1 | 8 | ID of the key-encryption key |
// | 9 | 12 | nonce |
// | 21 | n | ciphertext |
// | 21 + n | 16 | tag |
//
// Version and ID are authenticated, too.
extension KeyEncryptionKey {
    private static let version: UInt8 = 1
    private static let headerSize = 9

    /// Encrypts a secret for one cell.
    package func encrypt(_ secret: SecretBytes, for column: EncryptedColumn) throws(KeyStoreError) -> [UInt8] {
        let header = [Self.version] + id
        do {
            let ciphertext = try AES256GCM.seal(
                secret,
                key: self.secret,
                authenticating: column.associatedData(header: header)
            )
            return header + ciphertext
        } catch {
            throw KeyStoreError(.unavailable, place: column.place, reason: "\(error)")
        }
    }

    /// Decrypts the value of a cell.
    ///
    /// - Throws: ``KeyStoreError/Code/wrongKEK`` if another key encrypted it, ``KeyStoreError/Code/corrupt`` if it was
    ///   changed or belongs to another cell.
    package func decrypt(_ envelope: [UInt8], for column: EncryptedColumn) throws(KeyStoreError) -> SecretBytes {
        guard envelope.count >= Self.headerSize, envelope[0] == Self.version else {
            throw KeyStoreError(
                .corrupt,
                place: column.place,
                reason: "it is not an encrypted value of version \(Self.version)"
            )
        }
        let header = Array(envelope[..<Self.headerSize])
        guard Array(header[1...]) == id else {
            throw KeyStoreError(
                .wrongKEK,
                place: column.place,
                reason:
                    "it is encrypted with key \(Hexadecimal.encode(header[1...])), but the available key is "
                    + "\(Hexadecimal.encode(id))"
            )
        }
        do {
            return try AES256GCM.open(
                envelope[Self.headerSize...],
                key: secret,
                authenticating: column.associatedData(header: header)
            )
        } catch {
            throw KeyStoreError(.corrupt, place: column.place, reason: "the encrypted value cannot be decrypted")
        }
    }
}
