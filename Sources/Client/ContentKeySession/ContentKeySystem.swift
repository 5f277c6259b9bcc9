/// How keys are delivered.
public enum ContentKeySystem: String, Sendable, Hashable, CaseIterable {
    /// FairPlay Streaming: SPC to the server, CKC from it.
    case fairPlayStreaming
    /// The key itself comes from the server, 16 bytes.
    case clearKey
    /// A token that stands for the right to the content; there is no key.
    case authorizationToken
}

/// Where the content goes. It decides who asks for a key, and whether that one may be kept.
public enum ContentKeyRoute: String, Sendable, Hashable, CaseIterable {
    /// The device plays the content itself.
    case local
    /// AirPlay sends it to another device. Its keys cannot be kept, and may be asked for with every segment.
    case airPlay
    /// An adapter with a digital video output. As with AirPlay.
    case digitalAVAdapter
}
