// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for type-checking: see README.md.

public import Foundation

public let AVContentKeyRequestProtocolVersionsKey = "ProtocolVersionsKey"

open class AVContentKeyRequest: NSObject, @unchecked Sendable {
    public enum Status: Int, Sendable {
        case requestingResponse
        case receivedResponse
        case renewed
        case retried
        case cancelled
        case failed
    }

    public struct RetryReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let timedOut = RetryReason(rawValue: "TimedOut")
        public static let receivedResponseWithExpiredLease = RetryReason(rawValue: "ExpiredLease")
        public static let receivedObsoleteContentKey = RetryReason(rawValue: "ObsoleteContentKey")
    }

    open var status: Status { .requestingResponse }
    open var error: (any Error)? { nil }
    open var identifier: Any? { nil }
    open var initializationData: Data? { nil }
    open var options: [String: Any] { [:] }
    open var canProvidePersistableContentKey: Bool { false }
    open var renewsExpiringResponseData: Bool { false }
    @available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
    open var contentKeySpecifier: AVContentKeySpecifier { AVContentKeySpecifier(keySystem: .clearKey) }

    public override init() { super.init() }

    open func makeStreamingContentKeyRequestData(
        forApp appIdentifier: Data,
        contentIdentifier: Data?,
        options: [String: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {}
    open func processContentKeyResponse(_ keyResponse: AVContentKeyResponse) {}
    open func processContentKeyResponseError(_ error: any Error) {}

    // The short name belongs to the older method without an error, which exists only on iOS.
    #if os(iOS)
    @available(iOS, introduced: 10.3, deprecated: 11.2)
    open func respondByRequestingPersistableContentKeyRequest() {}
    @available(iOS 11.2, *)
    open func respondByRequestingPersistableContentKeyRequestAndReturnError() throws {}
    #else
    @available(macOS 10.15, tvOS 17, visionOS 1, *)
    open func respondByRequestingPersistableContentKeyRequest() throws {}
    #endif
}

@available(iOS 10.3, macOS 10.15, tvOS 17, visionOS 1, *)
open class AVPersistableContentKeyRequest: AVContentKeyRequest, @unchecked Sendable {
    open func persistableContentKey(
        fromKeyVendorResponse keyVendorResponse: Data,
        options: [String: Any]? = nil
    ) throws -> Data { Data() }
}

open class AVContentKeyResponse: NSObject {
    public convenience init(fairPlayStreamingKeyResponseData keyResponseData: Data) { self.init() }
    public convenience init(clearKeyData keyData: Data, initializationVector: Data?) { self.init() }
    @available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
    public convenience init(authorizationTokenData: Data) { self.init() }
}

@available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
open class AVContentKeySpecifier: NSObject {
    public let keySystem: AVContentKeySystem
    open var identifier: any Sendable { "" }

    init(keySystem: AVContentKeySystem) {
        self.keySystem = keySystem
        super.init()
    }
}

@available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
open class AVContentKey: NSObject {
    open var contentKeySpecifier: AVContentKeySpecifier { AVContentKeySpecifier(keySystem: .clearKey) }
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    open var externalContentProtectionStatus: AVExternalContentProtectionStatus { .pending }
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    open func revoke() {}
}

@available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
public enum AVExternalContentProtectionStatus: Int, Sendable {
    case pending
    case sufficient
    case insufficient
}
