package import FPSCrypto
package import MediaFormats
package import SampleEncryption
import TextCoding

/// A content key and the initialization vector that was delivered with it.
package struct DecryptionKey: Sendable {
    /// The content key of 16 bytes.
    package var key: SecretBytes
    /// The initialization vector for media that contain none: SAMPLE-AES in transport streams and packed audio, and
    /// AES-128 of whole segments. Nil if it is not known.
    package var iv: CipherIV?

    /// Creates a key.
    package init(key: SecretBytes, iv: CipherIV? = nil) {
        self.key = key
        self.iv = iv
    }
}

/// The given content keys by key ID.
package struct DecryptionKeys: Sendable {
    private let keys: [KeyID: DecryptionKey]
    /// The key for samples whose key ID is all zeros, as Apple's tools write it. If nil, such samples cannot be
    /// decrypted.
    package var unnamed: DecryptionKey?
    /// The keys by the URIs of EXT-X-KEY tags, as a player stores them after it has requested them by URI. They take
    /// precedence over the keys by key ID.
    package var uris: [String: DecryptionKey] = [:]
    /// The key for all samples, regardless of their key IDs, because the EXT-X-KEY tags of the playlist identify the
    /// key by its URI.
    package var playlistKey: DecryptionKey?
    /// The key in the `data:` URI of the EXT-X-KEY tag, for samples whose key was not given.
    package var embedded: EmbeddedKey?

    /// Creates a set of keys. If two keys have the same ID, the last one is used. If there is only one key, it is also
    /// the ``unnamed`` key.
    package init(_ list: some Sequence<(id: KeyID, key: DecryptionKey)> = []) {
        keys = Dictionary(list.map { ($0.id, $0.key) }) { $1 }
        unnamed = only
    }

    /// The key if there is exactly one; otherwise nil.
    package var only: DecryptionKey? { keys.count == 1 ? keys.first?.value : nil }

    /// The key for a key ID; nil if none was given.
    package subscript(id: KeyID) -> DecryptionKey? {
        playlistKey ?? keys[id] ?? (id.isZero ? unnamed : nil) ?? embedded?.key(for: id)
    }
}

extension KeyID {
    /// True if the ID is 16 zero bytes, which means that the media do not specify a key ID.
    package var isZero: Bool { self == Self.zero }

    private static let zero = KeyID([UInt8](repeating: 0, count: 16))

    /// The ID as 32 hexadecimal digits.
    package var hexadecimal: String { Hexadecimal.encode(bytes) }
}
