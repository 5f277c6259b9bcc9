public import ContentKeySession
public import FPSCrypto

/// A key in the form required for decryption.
public struct PlayableKey: Sendable {
    /// The key, 16 bytes.
    public var key: SecretBytes
    /// The initialization vector delivered with the key, 16 bytes; nil if the playlist or the media specify it.
    public var initializationVector: [UInt8]?

    /// Creates a key.
    public init(key: SecretBytes, initializationVector: [UInt8]? = nil) {
        (self.key, self.initializationVector) = (key, initializationVector)
    }
}

/// The sessions that provide keys, and the conversion of device keys for decryption.
public struct PlayerKeySystems: Sendable {
    /// The session for KEYFORMAT `com.apple.streamingkeydelivery`; nil means that such media are not played.
    public var fairPlay: KeySession?
    /// The options of key requests to ``fairPlay``: for offline media, a persistable key. The player adds the protocol
    /// versions of the playlist.
    public var fairPlayOptions = ContentKeyRequestOptions()
    /// The session for KEYFORMAT `identity`: Clear Key and AES-128. Its
    /// ``ContentKeySession/ContentKeySession/keySystem`` must be `clearKey`. Nil means that such media are not played.
    public var clearKey: KeySession?
    /// A function that extracts the content key from a device's key. A virtual device allows this; a real device does
    /// not, and decrypts media itself.
    public var content: @Sendable (any ProtectedContentKey) throws -> PlayableKey

    /// Creates the key systems. Keys of the session for clear keys do not need `content`.
    public init(
        fairPlay: KeySession? = nil,
        clearKey: KeySession? = nil,
        content: @escaping @Sendable (any ProtectedContentKey) throws -> PlayableKey = { _ in
            throw ContentKeyError(.unsupportedOperation, .device)
        }
    ) {
        (self.fairPlay, self.clearKey, self.content) = (fairPlay, clearKey, content)
    }
}
