package import FPSCrypto
package import MediaFormats
package import SampleEncryption
import TextCoding

/// A content key, and the initialization vector that comes with it.
package struct DecryptionKey: Sendable {
    /// 16 bytes.
    package var key: SecretBytes
    /// For media that carry no vector of their own: SAMPLE-AES in transport streams and packed audio, and AES-128 of
    /// whole segments. Nil: not known.
    package var iv: CipherIV?

    /// Makes a key.
    package init(key: SecretBytes, iv: CipherIV? = nil) {
        self.key = key
        self.iv = iv
    }
}

/// The keys that were given, by their IDs.
package struct DecryptionKeys: Sendable {
    private let keys: [KeyID: DecryptionKey]
    /// What samples are decrypted with whose key ID is all zeros, as Apple's tools write it: such media do not say
    /// which key they need. Nil: they cannot be decrypted.
    package var unnamed: DecryptionKey?
    /// Keys by the URIs of EXT-X-KEY tags, as a player has them, which asks a key server with the URI. They go before
    /// those by ID.
    package var uris: [String: DecryptionKey] = [:]
    /// What samples are decrypted with whatever key ID they name: their playlist says by its URI which key it is.
    package var playlistKey: DecryptionKey?

    /// Takes keys; of two with the same ID the later one counts. If there is only one, it is the ``unnamed`` one too.
    package init(_ list: some Sequence<(id: KeyID, key: DecryptionKey)> = []) {
        keys = Dictionary(list.map { ($0.id, $0.key) }) { $1 }
        unnamed = only
    }

    /// The key, if there is exactly one.
    package var only: DecryptionKey? { keys.count == 1 ? keys.first?.value : nil }

    /// The key of an ID; nil when it was not given.
    package subscript(id: KeyID) -> DecryptionKey? {
        playlistKey ?? keys[id] ?? (id.isZero ? unnamed : nil)
    }
}

extension KeyID {
    /// Whether it names no key: 16 zeros.
    package var isZero: Bool { self == Self.zero }

    private static let zero = KeyID([UInt8](repeating: 0, count: 16))

    /// 32 digits, for people.
    package var hexadecimal: String { Hexadecimal.encode(bytes) }
}
