import DRMSignaling
package import FPSCrypto
package import KeyStore

/// A key in a file: one row of CSV, or one key of a CPIX document.
///
/// Values of the title and the track are optional. If they are missing, a stored title or track is unchanged, and a new
/// one gets defaults.
package struct KeyRow: Sendable {
    /// The line in the file, for messages.
    package var line: Int
    /// The name of the title.
    package var title: String?
    /// The name of the track.
    package var track: String?
    /// The kind of track: that of the track, if there is one.
    package var kind: ContentTrack?
    /// The asset ID, 2 to 200 bytes.
    package var assetID: [UInt8]?
    /// The key ID, 16 bytes.
    package var keyID: [UInt8]?
    /// The key, 16 bytes.
    package var key: SecretBytes
    /// The initialization vector, 16 bytes.
    package var iv: [UInt8]
    /// The name of the key's policy.
    package var policy: String?
    /// The stream ID, 16 bytes: that of the track, if there is one.
    package var streamID: [UInt8]?
    /// The start of the key's validity, in Unix seconds.
    package var validFrom: Int64?
    /// The end of the key's validity, in Unix seconds.
    package var validUntil: Int64?
    /// The title ID, 16 bytes: that of the title, if there is one.
    package var titleID: [UInt8]?
    /// The name of the title's policy.
    package var titlePolicy: String?
    /// The name of the track's policy.
    package var trackPolicy: String?
    /// The template of the title's key URI.
    package var template: String?

    /// Creates a row with the required values.
    package init(line: Int, key: SecretBytes, iv: [UInt8]) {
        self.line = line
        self.key = key
        self.iv = iv
    }
}

/// An error in a file, with its line. It never contains the value of a field.
package struct KeyFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line number, starting at 1.
    package let line: Int
    /// The description of the error.
    package let reason: String

    /// The line and the reason: `line 7: kid is missing`.
    package var description: String { "line \(line): \(reason)" }
}

extension KeyRow {
    /// Parses the keys in a file: CPIX if it starts with `<`, otherwise CSV.
    ///
    /// - Parameter privateKey: The private key to decrypt the keys of a CPIX document.
    /// - Returns: The valid rows, and the errors in the others.
    /// - Throws: ``KeyFileError`` if the file as a whole is not valid, or has no keys.
    package static func rows(
        ofFile bytes: [UInt8],
        privateKey: RSAPrivateKey? = nil
    ) throws(KeyFileError) -> (rows: [KeyRow], mistakes: [KeyFileError]) {
        let found = try parsed(bytes, privateKey)
        guard !found.rows.isEmpty || !found.mistakes.isEmpty else {
            throw KeyFileError(line: 1, reason: "the file has no keys")
        }
        return found
    }

    private static func parsed(
        _ bytes: [UInt8],
        _ privateKey: RSAPrivateKey?
    ) throws(KeyFileError) -> (rows: [KeyRow], mistakes: [KeyFileError]) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        if start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "<") {
            do throws(SignalingError) {
                var document = try CPIXDocument(xml: Array(start))
                if let privateKey { try document.decryptKeys(with: privateKey) }
                return rows(of: document)
            } catch {
                throw KeyFileError(line: 1, reason: "\(error)")
            }
        }
        do { return try rows(of: CSVTable(bytes)) } catch let mistake as CSVTable.SyntaxError {
            throw KeyFileError(line: mistake.line, reason: mistake.reason)
        } catch let mistake as KeyFileError {
            throw mistake
        } catch {
            throw KeyFileError(line: 1, reason: "the file cannot be parsed")
        }
    }
}
