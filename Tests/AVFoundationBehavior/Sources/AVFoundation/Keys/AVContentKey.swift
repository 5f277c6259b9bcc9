// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Responses, keys and their recipients: reference, section 1.3.

public import Foundation
import Locking

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
open class AVContentKeyResponse: NSObject {
    enum Content: Sendable {
        case fairPlay(Data)
        case clearKey(Data, initializationVector: Data?)
        case authorizationToken(Data)
    }
    let content: Content

    private init(_ content: Content) {
        self.content = content
        super.init()
    }

    public convenience init(fairPlayStreamingKeyResponseData keyResponseData: Data) {
        self.init(.fairPlay(keyResponseData))
    }
    @available(iOS 11, macOS 10.13, tvOS 11, visionOS 1, *)
    public convenience init(clearKeyData keyData: Data, initializationVector: Data?) {
        self.init(.clearKey(keyData, initializationVector: initializationVector))
    }
    @available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
    public convenience init(authorizationTokenData: Data) { self.init(.authorizationToken(authorizationTokenData)) }
}

@available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
open class AVContentKeySpecifier: NSObject {
    public let keySystem: AVContentKeySystem
    private let value: Unchecked<Any>
    private let values: Unchecked<[String: Any]>
    open var identifier: _ContentKeyValue { contentKeyValue(value.value) }
    open var options: [String: _ContentKeyValue] { values.value.mapValues { contentKeyValue($0) } }

    public init(
        forKeySystem keySystem: AVContentKeySystem,
        identifier contentIdentifier: Any,
        options: [String: Any] = [:]
    ) {
        self.keySystem = keySystem
        (value, values) = (Unchecked(contentIdentifier), Unchecked(options))
        super.init()
    }
}

@available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
open class AVContentKey: NSObject {
    public let contentKeySpecifier: AVContentKeySpecifier
    private let session: Weak
    /// The status of the output (rule 84); nil: not known yet.
    private let output = Lock(Bool?.none)

    init(_ session: AVContentKeySession, _ specifier: AVContentKeySpecifier) {
        (contentKeySpecifier, self.session) = (specifier, Weak(session))
        super.init()
    }

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    open var externalContentProtectionStatus: AVExternalContentProtectionStatus {
        output.withLock { $0 }.map { $0 ? .sufficient : .insufficient } ?? .pending
    }
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    open func revoke() { (session.object as? AVContentKeySession)?.revoke(self) }

    /// Sets the status of the output. Returns true if it changed.
    func setOutput(isSufficient: Bool) -> Bool {
        output.withLock { output in
            defer { output = isSufficient }
            return output != isSufficient
        }
    }
}

@available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
public enum AVExternalContentProtectionStatus: Int, Sendable {
    case pending
    case sufficient
    case insufficient
}

#if !SDK_26
@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeyResponse: @unchecked Sendable {}
@available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
extension AVContentKeySpecifier: @unchecked Sendable {}
@available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
extension AVContentKey: @unchecked Sendable {}
#endif

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
public protocol AVContentKeyRecipient: AnyObject {
    var mayRequireContentKeysForMediaDataProcessing: Bool { get }
    @available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
    func contentKeySession(_ contentKeySession: AVContentKeySession, didProvide contentKey: AVContentKey)
}

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeyRecipient {
    @available(iOS 14.5, macOS 11.3, tvOS 14.5, visionOS 1, *)
    public func contentKeySession(_ contentKeySession: AVContentKeySession, didProvide contentKey: AVContentKey) {}
}

/// A value that two threads use, whose type is not Sendable: objects of the app, and this module's own classes with
/// SDK 26, which are protected by locks.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Returns an app's value as SDK 27 declares it. `any Sendable` has the layout of `Any`; `as Any` keeps the
/// compiler from passing the value inside.
func contentKeyValue(_ value: Any) -> _ContentKeyValue {
    #if SDK_26
    value
    #else
    unsafeBitCast(value as Any, to: _ContentKeyValue.self)
    #endif
}
