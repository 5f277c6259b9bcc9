import DRMSignaling
import FPSCrypto
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption
import StreamValidation
import TextCoding
import ToolSupport

/// The keys of `--key-file` and `--key-env`: one per line, `KID:KEY` or `URI=KEY` in hexadecimal, optionally followed by a
/// colon and an initialization vector. Lines that begin with # are comments.
struct GivenKeys: Sendable {
    /// The maximum size of a file with keys in bytes.
    static let maximumSize = 1 << 20

    private var identified: [(id: KeyID, key: DecryptionKey)] = []
    private var located: [String: DecryptionKey] = [:]

    /// Creates an empty set of keys.
    init() {}

    /// Parses the lines of a file.
    init(parsing bytes: [UInt8], name: String) throws(CommandFailure) { try add(bytes, name: name) }

    /// True if there are no keys.
    var isEmpty: Bool { identified.isEmpty && located.isEmpty }

    /// Adds the keys of lines. A failure contains the number of a line, and never its text.
    mutating func add(_ bytes: [UInt8], name: String) throws(CommandFailure) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("\(name): expected text in UTF-8")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = line.drop(while: \.isWhitespace)
            guard !content.isEmpty, !content.hasPrefix("#") else { continue }
            guard add(String(content)) else {
                throw .input(
                    "\(name), line \(index + 1): expected KID:KEY or URI=KEY, with 32 hexadecimal digits (64 for AES-256-GCM)",
                    next: "correct the line"
                )
            }
        }
    }

    private mutating func add(_ line: String) -> Bool {
        if let equals = line.lastIndex(of: "="), let key = Self.key(line[line.index(after: equals)...]) {
            located[String(line[..<equals])] = key
            return true
        }
        guard let colon = line.firstIndex(of: ":"), let key = Self.key(line[line.index(after: colon)...]),
            let id = (try? ContentKeyID(parsing: line[..<colon])).flatMap({ KeyID($0.bytes) })
        else { return false }
        identified.append((id, key))
        return true
    }

    private static func key(_ text: Substring) -> DecryptionKey? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { part in
            Hexadecimal.decode(String(part.filter { !$0.isWhitespace }))
        }
        guard (1...2).contains(parts.count), let key = parts[0], key.count == 16 || key.count == 32 else { return nil }
        guard parts.count == 2 else { return DecryptionKey(key: SecretBytes(copying: key)) }
        guard let bytes = parts[1], bytes.count == 16, let iv = try? CipherIV(bytes) else { return nil }
        return DecryptionKey(key: SecretBytes(copying: key), iv: iv)
    }

    /// Returns the key for a request: that of the URI, of the key ID in the KEYID attribute or in the URI, or of a key ID of the
    /// media. A single key is that of the whole presentation if neither declares a key ID.
    func key(for request: ValidationKeyRequest) -> DecryptionKey? {
        if let uri = request.tag.uri, let key = located[uri] { return key }
        guard let first = identified.first else { return nil }
        let isSingle = identified.allSatisfy { $0.id == first.id }
        let hasKeyIDs = request.keyIDs.contains { !$0.isZero }
        if !isSingle || !hasKeyIDs {
            var context = KeyContext()
            context.apply(request.tag)
            let keys = DecryptionKeys(identified)
            let key = try? PlaylistKey(context, subject: "")?.key(in: keys, mediaSequenceNumber: nil)
            // The vector of the tag is applied later.
            if let key { return DecryptionKey(key: key.key, iv: identified.last { $0.key.key == key.key }?.key.iv) }
        }
        for id in request.keyIDs {
            if let key = identified.last(where: { $0.id == id })?.key { return key }
        }
        return nil
    }
}
