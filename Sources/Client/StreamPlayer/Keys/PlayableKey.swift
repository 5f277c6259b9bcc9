public import ContentKeySession
public import FPSCrypto

/// A key as decryption takes it.
public struct PlayableKey: Sendable {
    /// The key, 16 bytes.
    public var key: SecretBytes
    /// The initialization vector that came with it, 16 bytes; nil where the playlist or the media have it.
    public var initializationVector: [UInt8]?

    /// Makes a key.
    public init(key: SecretBytes, initializationVector: [UInt8]? = nil) {
        (self.key, self.initializationVector) = (key, initializationVector)
    }
}

/// Who is asked for keys, and how a device's key is used.
public struct PlayerKeySystems: Sendable {
    /// Answers for KEYFORMAT `com.apple.streamingkeydelivery`; nil: such media are not played.
    public var fairPlay: KeySession?
    /// How ``fairPlay`` is asked: for keys that may be kept, where the media are offline.
    public var fairPlayOptions = ContentKeyRequestOptions()
    /// Answers for KEYFORMAT `identity`: Clear Key and AES-128. Its ``ContentKeySession/ContentKeySession/keySystem`` is
    /// `clearKey`. Nil: such media are not played.
    public var clearKey: KeySession?
    /// Takes the content key out of a device's own kind of key. A virtual device gives it; a real one never would, and
    /// decrypts by itself.
    public var content: @Sendable (any ProtectedContentKey) throws -> PlayableKey

    /// Names the sessions. Keys of the session for clear keys need no `content`.
    public init(
        fairPlay: KeySession? = nil,
        clearKey: KeySession? = nil,
        content: @escaping @Sendable (any ProtectedContentKey) throws -> PlayableKey = { _ in
            throw ContentKeyError(.notOfKeySystem, .device)
        }
    ) {
        (self.fairPlay, self.clearKey, self.content) = (fairPlay, clearKey, content)
    }
}
