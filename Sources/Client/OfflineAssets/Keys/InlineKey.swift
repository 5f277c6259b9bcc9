import ContentKeySession
import FPSCrypto
import HLSPlaylist
import TextCoding

/// A key in a playlist: the URI of its EXT-X-KEY tag is a `data:` URI (RFC 2397).
///
/// A download stores the key encrypted, like every other key. In the local playlists, a name takes the place of the URI:
/// `urn:keyway:key:` with the SHA-256 of the URI in hexadecimal, so that the key is not on the disk in the clear.
enum InlineKey {
    private static let prefix = "urn:keyway:key:"
    /// The size of a key of AES-128 and SAMPLE-AES in bytes.
    private static let keySize = 16
    /// Returns whether an identifier is the name of a key that was in a playlist.
    static func isName(_ identifier: String) -> Bool { identifier.hasPrefix(prefix) }

    /// Returns the name of the key in a `data:` URI.
    static func name(of uri: String) -> String { prefix + Hexadecimal.encode(SHA256.hash(uri.utf8)) }

    /// Returns the key in a `data:` URI; nil if it is malformed or does not contain 16 bytes.
    static func key(in uri: String) -> RedactedBytes? {
        DataURI(uri).flatMap { $0.bytes.count == keySize ? RedactedBytes($0.bytes) : nil }
    }
}
