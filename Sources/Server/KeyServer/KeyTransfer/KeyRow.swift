import DRMSignaling
package import FPSCrypto
package import KeyStore

/// A key as it stands in a file: one row of CSV, one key of a CPIX document.
///
/// What belongs to title or track may be left out: then it stays as it is, or gets its default where title or track is
/// new.
package struct KeyRow: Sendable {
    /// The line in the file, for messages.
    package var line: Int
    /// The title, by its name.
    package var title: String?
    /// The track, by its name.
    package var track: String?
    /// What the key decrypts: the track's, where there is one.
    package var kind: ContentTrack?
    /// The asset ID, 2 to 200 bytes.
    package var assetID: [UInt8]?
    /// The key ID, 16 bytes.
    package var keyID: [UInt8]?
    /// The key, 16 bytes.
    package var key: SecretBytes
    /// The initialization vector, 16 bytes.
    package var iv: [UInt8]
    /// The key's own policy.
    package var policy: String?
    /// The stream ID, 16 bytes: the track's, where there is one.
    package var streamID: [UInt8]?
    /// When the key begins to be used, in Unix seconds.
    package var validFrom: Int64?
    /// When another takes its place, in Unix seconds.
    package var validUntil: Int64?
    /// The title ID, 16 bytes: the title's, where there is one.
    package var titleID: [UInt8]?
    /// The title's policy.
    package var titlePolicy: String?
    /// The track's policy.
    package var trackPolicy: String?
    /// The title's key URI.
    package var template: String?

    /// Makes a row of what every key has.
    package init(line: Int, key: SecretBytes, iv: [UInt8]) {
        self.line = line
        self.key = key
        self.iv = iv
    }
}

/// Something in a file that is not right, with its line. It never holds what is in a field.
package struct KeyFileMistake: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// What is wrong.
    package let reason: String

    /// `line 7: kid is missing`.
    package var description: String { "line \(line): \(reason)" }
}

extension KeyRow {
    /// Takes the keys out of a file: CPIX where it begins with `<`, CSV otherwise.
    ///
    /// - Parameter privateKey: opens keys that a CPIX document has encrypted to its owner.
    /// - Returns: The rows that are right, and what is wrong with the others.
    /// - Throws: ``KeyFileMistake`` when the file as a whole cannot be read.
    package static func rows(
        ofFile bytes: [UInt8],
        privateKey: RSAPrivateKey? = nil
    ) throws(KeyFileMistake) -> (rows: [KeyRow], mistakes: [KeyFileMistake]) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        if start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "<") {
            do throws(SignalingError) {
                var document = try CPIXDocument(xml: Array(start))
                if let privateKey { try document.decryptKeys(with: privateKey) }
                return rows(of: document)
            } catch {
                throw KeyFileMistake(line: 1, reason: "\(error)")
            }
        }
        do { return try rows(of: CSVTable(bytes)) } catch let mistake as CSVTable.Mistake {
            throw KeyFileMistake(line: mistake.line, reason: mistake.reason)
        } catch let mistake as KeyFileMistake {
            throw mistake
        } catch {
            throw KeyFileMistake(line: 1, reason: "the file cannot be read")
        }
    }
}
