// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub for type-checking: see README.md.

import Dispatch
public import Foundation

public struct AVContentKeySystem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fairPlayStreaming = AVContentKeySystem(rawValue: "FairPlayStreaming")
    public static let clearKey = AVContentKeySystem(rawValue: "ClearKey")
    @available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
    public static let authorizationToken = AVContentKeySystem(rawValue: "AuthorizationToken")
}

public struct AVContentKeySessionServerPlaybackContextOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let protocolVersions = AVContentKeySessionServerPlaybackContextOption(rawValue: "ProtocolVersions")
    public static let serverChallenge = AVContentKeySessionServerPlaybackContextOption(rawValue: "ServerChallenge")
}

open class AVContentKeySession: NSObject {
    public let keySystem: AVContentKeySystem
    public let storageURL: URL?
    open private(set) weak var delegate: (any AVContentKeySessionDelegate)?
    open var contentProtectionSessionIdentifier: Data? { nil }
    open var contentKeyRecipients: [any AVContentKeyRecipient] { [] }

    private init(_ keySystem: AVContentKeySystem, _ storageURL: URL?) {
        (self.keySystem, self.storageURL) = (keySystem, storageURL)
        super.init()
    }

    public convenience init(keySystem: AVContentKeySystem) { self.init(keySystem, nil) }
    public convenience init(keySystem: AVContentKeySystem, storageDirectoryAt storageURL: URL) {
        self.init(keySystem, storageURL)
    }

    open func setDelegate(_ delegate: (any AVContentKeySessionDelegate)?, queue delegateQueue: dispatch_queue_t?) {
        self.delegate = delegate
    }
    open func expire() {}
    open func processContentKeyRequest(
        withIdentifier identifier: Any?,
        initializationData: Data?,
        options: [String: Any]? = nil
    ) {}
    open func renewExpiringResponseData(for contentKeyRequest: AVContentKeyRequest) {}

    @available(iOS 11, macOS 10.15, tvOS 17, visionOS 1, *)
    open func makeSecureTokenForExpirationDate(
        ofPersistableContentKey persistableContentKeyData: Data,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {}
    @available(iOS 12.2, macOS 10.15, tvOS 17, visionOS 1, *)
    open func invalidatePersistableContentKey(
        _ persistableContentKeyData: Data,
        options: [AVContentKeySessionServerPlaybackContextOption: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {}
    @available(iOS 12.2, macOS 10.15, tvOS 17, visionOS 1, *)
    open func invalidateAllPersistableContentKeys(
        forApp appIdentifier: Data,
        options: [AVContentKeySessionServerPlaybackContextOption: Any]? = nil,
        completionHandler handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {}

    open func addContentKeyRecipient(_ recipient: any AVContentKeyRecipient) {}
    open func removeContentKeyRecipient(_ recipient: any AVContentKeyRecipient) {}

    open class func pendingExpiredSessionReports(
        withAppIdentifier appIdentifier: Data,
        storageDirectoryAt storageURL: URL
    ) -> [Data] { [] }
    open class func removePendingExpiredSessionReports(
        _ expiredSessionReports: [Data],
        withAppIdentifier appIdentifier: Data,
        storageDirectoryAt storageURL: URL
    ) {}
}

public protocol AVContentKeySessionDelegate: NSObjectProtocol, Sendable {
    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest)
    func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    )
    @available(iOS 10.3, macOS 10.15, tvOS 17, visionOS 1, *)
    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVPersistableContentKeyRequest)
    @available(iOS 11, macOS 10.15, tvOS 17, visionOS 1, *)
    func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey persistableContentKey: Data,
        forContentKeyIdentifier keyIdentifier: Any
    )
    func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest keyRequest: AVContentKeyRequest,
        didFailWithError err: any Error
    )
    func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry keyRequest: AVContentKeyRequest,
        reason retryReason: AVContentKeyRequest.RetryReason
    ) -> Bool
    @available(iOS 12, macOS 10.14, tvOS 12, visionOS 1, *)
    func contentKeySession(_ session: AVContentKeySession, contentKeyRequestDidSucceed keyRequest: AVContentKeyRequest)
    func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession)
    @available(iOS 12, macOS 10.14, tvOS 12, visionOS 1, *)
    func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession)
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor contentKey: AVContentKey
    )
}

public protocol AVContentKeyRecipient {
    var mayRequireContentKeysForMediaDataProcessing: Bool { get }
}
