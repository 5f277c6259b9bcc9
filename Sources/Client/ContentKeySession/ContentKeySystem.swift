/// A method of key delivery.
public enum ContentKeySystem: String, Sendable, Hashable, CaseIterable {
    /// FairPlay Streaming: the client sends an SPC to the server and receives a CKC.
    case fairPlayStreaming
    /// Clear Key: the server returns the 16-byte key itself.
    case clearKey
    /// A token that authorizes access to the content; there is no key.
    case authorizationToken
}

/// The output route of the content. It determines which device requests the key and whether the key can be persistent.
public enum ContentKeyRoute: String, Sendable, Hashable, CaseIterable {
    /// The local device plays the content.
    case local
    /// The content is sent to another device over AirPlay. Its keys cannot be persistent and can be requested for every
    /// segment.
    case airPlay
    /// The content is sent through an adapter with a digital video output. Keys behave as with AirPlay.
    case digitalAVAdapter
}
