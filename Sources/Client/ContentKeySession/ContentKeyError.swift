/// Why there is no key: a stable code, where it came about, a reason for people, and Apple's number if there is one.
///
/// Two errors are equal when their codes are. An error never carries a secret, so it may be logged.
public struct ContentKeyError: Error, Sendable {
    /// A stable name in kebab-case. What a device says passes through under the device's own names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What had the error.
    public enum Place: String, Sendable, Hashable {
        /// The session.
        case session
        /// A request, or what was asked of it.
        case request
        /// The answer to a request, or the lack of one.
        case response
        /// A recipient.
        case recipient
        /// The device.
        case device
    }

    /// The stable name.
    public let code: Code
    /// What had the error.
    public let place: Place
    /// What was found and what was expected; no secrets.
    public let reason: String?
    /// Apple's number, such as -42799.
    public let number: Int32?

    /// Makes an error. `reason` must not hold a secret.
    public init(_ code: Code, _ place: Place, reason: String? = nil, number: Int32? = nil) {
        (self.code, self.place, self.reason, self.number) = (code, place, reason, number)
    }

    /// Why another request may have a better outcome; nil if the session does not think of one.
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
    /// True when both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension ContentKeyError: CustomStringConvertible {
    /// One line: the place, the code, the number and the reason.
    public var description: String {
        "\(place.rawValue): \(code.rawValue)" + (number.map { " (\($0))" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

extension ContentKeyError.Code {
    // MARK: The session's own

    /// The session has ended, and its requests and keys with it.
    public static let sessionExpired = Self(rawValue: "session-expired")
    /// The request has its answer, or is over.
    public static let requestAnswered = Self(rawValue: "request-answered")
    /// Nobody wants the key any more.
    public static let cancelled = Self(rawValue: "cancelled")
    /// There was no answer in time.
    public static let timedOut = Self(rawValue: "timed-out")
    /// The app gave an error instead of an answer.
    public static let noResponse = Self(rawValue: "no-response")
    /// The answer is of another kind than the key system's, or is not well formed.
    public static let wrongResponse = Self(rawValue: "wrong-response")
    /// A CKC came for a request whose SPC was never made.
    public static let noRequestData = Self(rawValue: "no-request-data")
    /// The request was not turned into one for a persistable key.
    public static let notPersistable = Self(rawValue: "not-persistable")
    /// The key system has no such thing.
    public static let notOfKeySystem = Self(rawValue: "not-of-key-system")
    /// The recipient was not added to the session.
    public static let unknownRecipient = Self(rawValue: "unknown-recipient")
    /// The recipient had begun to load before it was added to the session.
    public static let recipientTooLate = Self(rawValue: "recipient-too-late")
    /// The key is no longer there.
    public static let keyGone = Self(rawValue: "key-gone")

    // MARK: What a device says and the session understands

    /// The lease ran out.
    public static let leaseExpired = Self(rawValue: "lease-expired")
    /// The persistable key has a format from before a security update; Apple's number is -42799.
    public static let persistentKeyOutdated = Self(rawValue: "persistent-key-outdated")
    /// The persistable key has expired; Apple's number is -42800. A server may give another.
    public static let persistentKeyExpired = Self(rawValue: "persistent-key-expired")
    /// The persistable key was replaced, invalidated or altered; Apple's number is -42803.
    public static let invalidPersistentKey = Self(rawValue: "invalid-persistent-key")
    /// Route, device, key system or CKC do not allow the key to be kept.
    public static let persistenceNotAllowed = Self(rawValue: "persistence-not-allowed")
}
