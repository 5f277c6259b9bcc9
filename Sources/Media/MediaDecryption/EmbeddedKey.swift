import FPSCrypto
package import HLSPlaylist
import MediaFormats
import TextCoding

/// The content key that an EXT-X-KEY tag with KEYFORMAT `identity` contains in a `data:` URI (RFC 2397).
package struct EmbeddedKey: Sendable {
    /// The key, without an initialization vector.
    let key: DecryptionKey
    /// The bytes of the key as a key ID.
    let keyID: KeyID?

    /// Reads the key of a tag. Returns nil if the tag has no `data:` URI, or another key format.
    ///
    /// - Throws: ``DecryptionError`` `damaged` if the data is malformed or does not have 16 bytes. It does not contain
    ///   the URI.
    package init?(_ tag: KeyTag) throws(DecryptionError) {
        guard tag.keyFormat == .identity, let uri = tag.uri, DataURI.isDataURI(uri) else { return nil }
        guard let bytes = DataURI(uri)?.bytes else {
            throw DecryptionError(.damaged, "EXT-X-KEY", "the data: URI of the key is malformed (RFC 2397)")
        }
        guard bytes.count == 16 else {
            let reason = "the key in the data: URI has \(bytes.count) bytes, must have 16"
            throw DecryptionError(.damaged, "EXT-X-KEY", reason)
        }
        key = DecryptionKey(key: SecretBytes(copying: bytes))
        keyID = KeyID(bytes)
    }

    /// Returns the key for samples with a key ID. If the key ID has the same bytes, the URI contains only the ID, as
    /// Shaka Packager writes it unless `--hls_key_uri` specifies another URI; then the result is nil.
    func key(for id: KeyID) -> DecryptionKey? { id == keyID ? nil : key }
}
