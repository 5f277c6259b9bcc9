#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession

// Conversions between the types of this package and of AVFoundation. Cases that Apple adds later are mapped to the
// safest value.

extension ContentKeySystem {
    /// The corresponding value of AVFoundation.
    var platform: AVContentKeySystem {
        switch self {
        case .fairPlayStreaming: .fairPlayStreaming
        case .clearKey: .clearKey
        case .authorizationToken: .authorizationToken
        }
    }
}

extension ContentKeyRequestStatus {
    /// Creates the corresponding value; an unknown status counts as failed.
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
    /// Creates the corresponding value; nil for an unknown reason.
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
    /// Creates the corresponding value; an unknown status counts as pending.
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
    /// The corresponding value of AVFoundation.
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

/// Returns the identifier of a key as text. AVFoundation declares it as `Any`; the identifier of a playlist tag is a
/// string or a URL.
func text(ofIdentifier identifier: Any?) -> String? {
    switch identifier {
    case let text as String: text
    case let url as URL: url.absoluteString
    case let data as Data: String(data: data, encoding: .utf8)
    default: nil
    }
}

/// A wrapper of an AVFoundation object that is not `Sendable` but is used from two threads.
struct PlatformObject<Object>: @unchecked Sendable {
    // Each use explains why it is safe.
    let object: Object
    init(_ object: Object) { self.object = object }
}
#endif
