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
        case .persistentKeyOutdated, .invalidPersistentKey: .receivedObsoleteContentKey
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
    /// The persistable key was replaced, invalidated or altered; Apple's number is -42803.
    public static let invalidPersistentKey = Self(rawValue: "invalid-persistent-key")
    /// Route, device, key system or CKC do not allow the key to be kept.
    public static let persistenceNotAllowed = Self(rawValue: "persistence-not-allowed")
}

/// Bytes that never print: not by a description, not in a dump, not by interpolation.
public struct RedactedBytes: Sendable, Equatable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension RedactedBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many there are.
    public var description: String { "<\(bytes.count) bytes>" }
    /// How many there are.
    public var debugDescription: String { description }
    /// A value without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a request stands.
public enum ContentKeyRequestStatus: String, Sendable, Hashable, CaseIterable {
    /// It waits for an answer, or for what the device says of it.
    case requestingResponse
    /// The device took the answer, and the key is loaded.
    case receivedResponse
    /// A later request's answer took the place of this one's.
    case renewed
    /// Another request was made in its place.
    case retried
    /// Its session ended, or the only recipient that wanted the key was removed.
    case cancelled
    /// There is no key; the error says why.
    case failed
}

/// Why a request may be made again.
public enum ContentKeyRetryReason: String, Sendable, Hashable, CaseIterable {
    /// The answer took too long.
    case timedOut
    /// The lease that the answer would have granted or renewed was over.
    case receivedResponseWithExpiredLease
    /// The key in the answer is no longer valid: its format is outdated, for one.
    case receivedObsoleteContentKey
}

/// Whether what is attached protects the content as its key demands.
public enum ExternalContentProtectionStatus: String, Sendable, Hashable, CaseIterable {
    /// Not known yet.
    case pending
    /// It does.
    case sufficient
    /// It does not, and nothing is shown until it does.
    case insufficient
}

/// The answer to a request. It prints its kind and its size, never its content.
public struct ContentKeyResponse: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case fairPlayStreaming(RedactedBytes)
        case clearKey(RedactedBytes, initializationVector: RedactedBytes?)
        case authorizationToken(RedactedBytes)
    }

    let content: Content

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
