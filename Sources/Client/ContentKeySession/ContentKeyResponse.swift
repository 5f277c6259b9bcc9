/// The answer to a request. It prints its kind and its size, never its content.
public struct ContentKeyResponse: Sendable, Equatable {
    /// What is in it, for who hands it on.
    package enum Content: Sendable, Equatable {
        case fairPlayStreaming(RedactedBytes)
        case clearKey(RedactedBytes, initializationVector: RedactedBytes?)
        case authorizationToken(RedactedBytes)
    }

    package let content: Content

    /// An answer for FairPlay Streaming: a CKC, or, to a request for a persistable key, the stored key.
    public init(fairPlayStreamingKeyResponseData data: [UInt8]) { content = .fairPlayStreaming(RedactedBytes(data)) }

    /// An answer for Clear Key.
    ///
    /// - Parameters:
    ///   - data: the key, 16 bytes.
    ///   - initializationVector: 16 bytes; nil where the playlist or the samples have it.
    public init(clearKeyData data: [UInt8], initializationVector: [UInt8]? = nil) {
        content = .clearKey(
            RedactedBytes(data),
            initializationVector: initializationVector.map { RedactedBytes($0) }
        )
    }

    /// An answer with a token that stands for the right to the content.
    public init(authorizationTokenData data: [UInt8]) { content = .authorizationToken(RedactedBytes(data)) }

    /// The key system that the answer is for.
    public var keySystem: ContentKeySystem {
        switch content {
        case .fairPlayStreaming: .fairPlayStreaming
        case .clearKey: .clearKey
        case .authorizationToken: .authorizationToken
        }
    }
}
