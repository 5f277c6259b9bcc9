import DRMSignaling
import Foundation
package import HLSPlaylist
import MediaFormats
import SampleEncryption

/// What the EXT-X-KEY tags above a segment say about its key.
package struct PlaylistKey {
    /// How segments are encrypted.
    package let method: EncryptionMethod
    private let context: KeyContext
    private let subject: String

    /// Nil when the segment is clear.
    ///
    /// - Parameter subject: What errors are about.
    package init?(_ context: KeyContext, subject: String) {
        guard let tag = context.keys.first else { return nil }
        method = tag.method
        self.context = context
        self.subject = subject
    }

    /// The key for media that do not name theirs.
    ///
    /// A tag names it by a KEYID attribute or in its URI, as `skd://KID`. Where no tag does, the only key is taken.
    ///
    /// - Throws: ``DecryptionError`` `missing-key`.
    package func key(in keys: DecryptionKeys, mediaSequenceNumber: UInt64?) throws -> DecryptionKey {
        var key = try contentKey(in: keys)
        if let iv = initializationVector(mediaSequenceNumber) { key.iv = iv }
        return key
    }

    /// The same for media that name their keys, for those that do not: nil instead of an error.
    package func unnamedKey(in keys: DecryptionKeys) -> DecryptionKey? { try? contentKey(in: keys) }

    /// The key that is known by the URI of a tag.
    package func key(byURIIn keys: DecryptionKeys) -> DecryptionKey? {
        context.keys.lazy.compactMap { $0.uri.flatMap { keys.uris[$0] } }.first
    }

    private func contentKey(in keys: DecryptionKeys) throws -> DecryptionKey {
        if let key = key(byURIIn: keys) { return key }
        let named = context.keys.lazy.flatMap(Self.keyIDs)
        for id in named {
            if let key = keys[id] { return key }
        }
        if let id = named.first { throw DecryptionError.missingKey(id, subject) }
        guard let key = keys.only else {
            throw DecryptionError(
                .missingKey,
                subject,
                "its EXT-X-KEY tags name no key ID, so that it is not clear which of the keys it has; give only that"
            )
        }
        return key
    }

    /// With FairPlay it comes with the key. Otherwise the tag has it, or it is the media sequence number.
    private func initializationVector(_ number: UInt64?) -> CipherIV? {
        for tag in context.keys {
            let isUnknown = number == nil && tag.iv == nil
            guard !isUnknown, let iv = tag.initializationVector(mediaSequenceNumber: number ?? 0) else { continue }
            return try? CipherIV(iv.bytes)
        }
        return nil
    }

    /// The key IDs in a tag: 32 hexadecimal digits, or a UUID.
    private static func keyIDs(_ tag: KeyTag) -> [KeyID] {
        let attribute = tag.otherAttributes.first { $0.name == "KEYID" }?.value
        // Data hold more than IDs, and digits by chance.
        let uri = tag.uri.flatMap { $0.lowercased().hasPrefix("data:") ? nil : $0 }
        return [attribute, uri].compactMap { $0 }.flatMap { text in
            text.split { !$0.isHexDigit && $0 != "-" && $0 != "x" && $0 != "X" }.compactMap { part in
                (try? ContentKeyID(parsing: part)).flatMap { KeyID($0.bytes) }
            }
        }
    }
}
