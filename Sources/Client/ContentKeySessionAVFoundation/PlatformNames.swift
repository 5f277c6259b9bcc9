#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession

// The names of the two worlds, side by side. What Apple adds later becomes what changes least.

extension ContentKeySystem {
    /// The same for AVFoundation.
    var platform: AVContentKeySystem {
        switch self {
        case .fairPlayStreaming: .fairPlayStreaming
        case .clearKey: .clearKey
        case .authorizationToken: .authorizationToken
        }
    }
}

extension ContentKeyRequestStatus {
    /// The same from AVFoundation; a status that is not known counts as failure.
    init(_ status: AVContentKeyRequest.Status) {
        switch status {
        case .requestingResponse: self = .requestingResponse
        case .receivedResponse: self = .receivedResponse
        case .renewed: self = .renewed
        case .retried: self = .retried
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        @unknown default: self = .failed
        }
    }
}

extension ContentKeyRetryReason {
    /// The same from AVFoundation; nil for a reason that is not known.
    init?(_ reason: AVContentKeyRequest.RetryReason) {
        switch reason {
        case .timedOut: self = .timedOut
        case .receivedResponseWithExpiredLease: self = .receivedResponseWithExpiredLease
        case .receivedObsoleteContentKey: self = .receivedObsoleteContentKey
        default: return nil
        }
    }
}

extension ExternalContentProtectionStatus {
    /// The same from AVFoundation; a status that is not known is pending.
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    init(_ status: AVExternalContentProtectionStatus) {
        switch status {
        case .pending: self = .pending
        case .sufficient: self = .sufficient
        case .insufficient: self = .insufficient
        @unknown default: self = .pending
        }
    }
}

extension ContentKeyResponse {
    /// The same for AVFoundation.
    var platform: AVContentKeyResponse {
        switch content {
        case .fairPlayStreaming(let data): AVContentKeyResponse(fairPlayStreamingKeyResponseData: Data(data.bytes))
        case .clearKey(let key, let initializationVector):
            AVContentKeyResponse(
                clearKeyData: Data(key.bytes),
                initializationVector: initializationVector.map { Data($0.bytes) }
            )
        case .authorizationToken(let token): AVContentKeyResponse(authorizationTokenData: Data(token.bytes))
        }
    }
}

/// The identifier of a key as text. AVFoundation gives that of a playlist's tag as text or as a URL, and has no type for it.
func text(ofIdentifier identifier: Any?) -> String? {
    switch identifier {
    case let text as String: text
    case let url as URL: url.absoluteString
    case let data as Data: String(data: data, encoding: .utf8)
    default: nil
    }
}

/// An object that AVFoundation does not call `Sendable` and that is used from two places all the same.
struct PlatformObject<Object>: @unchecked Sendable {
    // Each use says why it is right.
    let object: Object
    init(_ object: Object) { self.object = object }
}
#endif
