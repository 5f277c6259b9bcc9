/// An error of a content key session: a stable code, the component that failed, a readable reason, and Apple's error
/// number if there is one.
///
/// Two errors are equal if their codes are equal. An error never contains a secret, so it can be logged.
public struct ContentKeyError: Error, Sendable {
    /// A stable name in kebab-case. A device's error codes pass through unchanged.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The name.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The component in which the error occurred.
    public enum Component: String, Sendable, Hashable {
        /// The session.
        case session
        /// A request, or an operation on it.
        case request
        /// The response to a request, or a missing response.
        case response
        /// A recipient.
        case recipient
        /// The device.
        case device
    }

    /// The stable name.
    public let code: Code
    /// The component in which the error occurred.
    public let component: Component
    /// A description of the actual and the expected value, without secrets.
    public let reason: String?
    /// Apple's error number, such as -42799.
    public let number: Int32?
    /// The domain of the number; nil if the device did not report one.
    public let domain: PlatformErrorDomain?

    /// Creates an error. `reason` must not contain a secret.
    public init(
        _ code: Code,
        _ component: Component,
        reason: String? = nil,
        number: Int32? = nil,
        domain: PlatformErrorDomain? = nil
    ) {
        (self.code, self.component, self.reason) = (code, component, reason)
        (self.number, self.domain) = (number, domain)
    }

    /// The catalog's explanation of the number: its meaning, how sure it is, causes, and remedies.
    public var explanation: PlatformErrorExplanation? { platformCode.flatMap(PlatformErrorCatalog.explanation) }

    /// The number with its domain.
    var platformCode: PlatformErrorCode? { number.map { PlatformErrorCode(domain: domain, number: $0) } }

    /// The reason why a retry may succeed; nil if the session does not recommend a retry.
    public var retryReason: ContentKeyRetryReason? {
        switch code {
        case .timedOut: .timedOut
        case .leaseExpired: .receivedResponseWithExpiredLease
        case .persistentKeyOutdated, .persistentKeyExpired, .invalidPersistentKey: .receivedObsoleteContentKey
        default: nil
        }
    }
}

extension ContentKeyError: Equatable {
    /// Returns whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension ContentKeyError: CustomStringConvertible {
    /// The component, the code, the number and the reason, on one line.
    public var description: String {
        "\(component.rawValue): \(code.rawValue)" + (number.map { " (\($0))" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

extension ContentKeyError.Code {
    // MARK: Codes of the session

    /// The session has ended, together with its requests and keys.
    public static let sessionExpired = Self(rawValue: "session-expired")
    /// The request has already been answered or has ended.
    public static let requestAnswered = Self(rawValue: "request-answered")
    /// The key is no longer needed.
    public static let cancelled = Self(rawValue: "cancelled")
    /// No response arrived before the timeout.
    public static let timedOut = Self(rawValue: "timed-out")
    /// The app reported an error instead of a response.
    public static let noResponse = Self(rawValue: "no-response")
    /// The response belongs to another key system, or is malformed.
    public static let wrongResponse = Self(rawValue: "wrong-response")
    /// A CKC was given to a request for which no SPC was made.
    public static let noRequestData = Self(rawValue: "no-request-data")
    /// The request was not converted into a request for a persistable key.
    public static let notPersistable = Self(rawValue: "not-persistable")
    /// The key system does not support the operation.
    public static let unsupportedOperation = Self(rawValue: "unsupported-operation")
    /// The recipient was not added to the session.
    public static let unknownRecipient = Self(rawValue: "unknown-recipient")
    /// The recipient started to load before it was added to the session.
    public static let recipientAlreadyLoading = Self(rawValue: "recipient-already-loading")
    /// FairPlay Streaming does not exist in a simulator or a preview. Use clear keys there, or the virtual device in
    /// tests.
    public static let notAvailableInSimulator = Self(rawValue: "not-available-in-simulator")
    /// A persistent key was created and could not be stored.
    public static let keyNotStored = Self(rawValue: "key-not-stored")
    /// The key is no longer loaded.
    public static let keyNotLoaded = Self(rawValue: "key-not-loaded")

    // MARK: Codes of a device that the session interprets

    /// The device reported an error that FairPlay Streaming does not define. The error's number, reason and
    /// ``ContentKeyError/explanation`` contain details.
    public static let platformError = Self(rawValue: "platform-error")

    /// The lease expired.
    public static let leaseExpired = Self(rawValue: "lease-expired")
    /// The persistable key has a format from before a security update; Apple's number is -42799.
    public static let persistentKeyOutdated = Self(rawValue: "persistent-key-outdated")
    /// The persistable key has expired; Apple's number is -42800. A server may report another number.
    public static let persistentKeyExpired = Self(rawValue: "persistent-key-expired")
    /// The persistable key was replaced, invalidated or altered; Apple's number is -42803.
    public static let invalidPersistentKey = Self(rawValue: "invalid-persistent-key")
    /// The CKC is malformed, or is not the response to the SPC of this request; Apple's number is -42668.
    public static let invalidCKC = Self(rawValue: "invalid-ckc")
    /// An attached display does not protect the content as the key requires.
    public static let outputRestricted = Self(rawValue: "output-restricted")
    /// The route, the device, the key system or the CKC does not allow a persistent key.
    public static let persistenceNotAllowed = Self(rawValue: "persistence-not-allowed")
}
