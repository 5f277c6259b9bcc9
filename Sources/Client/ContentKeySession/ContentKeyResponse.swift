/// The response to a content key request. Its description contains its type and size, never its content.
public struct ContentKeyResponse: Sendable, Equatable {
    /// The content of the response.
    package enum Content: Sendable, Equatable {
        case fairPlayStreaming(RedactedBytes)
        case clearKey(RedactedBytes, initializationVector: RedactedBytes?)
        case authorizationToken(RedactedBytes)
    }

    package let content: Content

    /// Creates a FairPlay Streaming response: a CKC, or, for a persistable key request, the persistent key.
    public init(fairPlayStreamingKeyResponseData data: [UInt8]) { content = .fairPlayStreaming(RedactedBytes(data)) }

    /// Creates a Clear Key response.
    ///
    /// - Parameters:
    ///   - data: The key, 16 bytes.
    ///   - initializationVector: The initialization vector, 16 bytes; nil if the playlist or the samples specify it.
    public init(clearKeyData data: [UInt8], initializationVector: [UInt8]? = nil) {
        content = .clearKey(
            RedactedBytes(data),
            initializationVector: initializationVector.map { RedactedBytes($0) }
        )
    }

    /// Creates a response from a token that authorizes access to the content.
    public init(authorizationTokenData data: [UInt8]) { content = .authorizationToken(RedactedBytes(data)) }

    /// The key system that the response belongs to.
    public var keySystem: ContentKeySystem {
        switch content {
        case .fairPlayStreaming: .fairPlayStreaming
        case .clearKey: .clearKey
        case .authorizationToken: .authorizationToken
        }
    }
}
