import DRMSignaling
import Foundation
package import HLSPlaylist
import MediaFormats
import SampleEncryption

/// The key information in the EXT-X-KEY tags that apply to a segment.
package struct PlaylistKey {
    /// The encryption method of the segment.
    package let method: EncryptionMethod
    private let context: KeyContext
    private let subject: String

    /// Creates the key information of a segment. Returns nil if the segment is not encrypted.
    ///
    /// - Parameter subject: the name of the segment for errors.
    package init?(_ context: KeyContext, subject: String) {
        guard let tag = context.keys.first else { return nil }
        method = tag.method
        self.context = context
        self.subject = subject
    }

    /// Returns the key for media without key IDs.
    ///
    /// A tag specifies the key ID in a KEYID attribute or in its URI, as in `skd://KID`. If no tag specifies a key ID
    /// and only one key was given, that key is returned.
    ///
    /// - Throws: ``DecryptionError`` `missing-key`.
    package func key(in keys: DecryptionKeys, mediaSequenceNumber: UInt64?) throws -> DecryptionKey {
        var key = try contentKey(in: keys)
        if let iv = initializationVector(mediaSequenceNumber) { key.iv = iv }
        return key
    }

    /// Returns the key for samples without a key ID, in media whose other samples have key IDs, if any.
    package func unnamedKey(in keys: DecryptionKeys) -> DecryptionKey? { try? contentKey(in: keys) }

    /// Returns the key whose URI is that of a tag.
    package func key(byURIIn keys: DecryptionKeys) -> DecryptionKey? {
        context.keys.lazy.compactMap { $0.uri.flatMap { keys.uris[$0] } }.first
    }

    /// The key that a tag contains in a `data:` URI; nil if there is none.
    ///
    /// - Throws: ``DecryptionError`` `damaged`.
    package var embedded: EmbeddedKey? {
        get throws(DecryptionError) {
            for tag in context.keys {
                if let key = try EmbeddedKey(tag) { return key }
            }
            return nil
        }
    }

    private func contentKey(in keys: DecryptionKeys) throws -> DecryptionKey {
        if let key = key(byURIIn: keys) { return key }
        let embedded = try embedded
        // Shaka Packager writes the key ID into the URI.
        if let id = embedded?.keyID, let key = keys[id] { return key }
        let named = context.keys.lazy.flatMap(Self.keyIDs)
        for id in named {
            if let key = keys[id] { return key }
        }
        if let id = named.first { throw DecryptionError.missingKey(id, subject) }
        guard let key = keys.only ?? embedded?.key else {
            throw DecryptionError(
                .missingKey,
                subject,
                "its EXT-X-KEY tags specify no key ID, and several keys were given; give only the key of this stream"
            )
        }
        return key
    }

    /// Returns the IV of the tag or the media sequence number. With FairPlay the result is nil, because the IV is
    /// delivered with the key.
    private func initializationVector(_ number: UInt64?) -> CipherIV? {
        for tag in context.keys {
            let isUnknown = number == nil && tag.iv == nil
            guard !isUnknown, let iv = tag.initializationVector(mediaSequenceNumber: number ?? 0) else { continue }
            return try? CipherIV(iv.bytes)
        }
        return nil
    }

    /// Returns the key IDs in a tag: 32 hexadecimal digits, or a UUID.
    private static func keyIDs(_ tag: KeyTag) -> [KeyID] {
        let attribute = tag.otherAttributes.first { $0.name == "KEYID" }?.value
        // A data URI contains more than key IDs, and can contain 32 digits by chance.
        let uri = tag.uri.flatMap { $0.lowercased().hasPrefix("data:") ? nil : $0 }
        return [attribute, uri].compactMap { $0 }.flatMap { text in
            text.split { !$0.isHexDigit && $0 != "-" && $0 != "x" && $0 != "X" }.compactMap { part in
                (try? ContentKeyID(parsing: part)).flatMap { KeyID($0.bytes) }
            }
        }
    }
}
