/// Why keys and DRM systems cannot be signaled as asked: a stable code, what it is about, and what to do.
///
/// The code is for programs and never changes its meaning; the rest is for people. Two errors are equal when their
/// codes are. An error never carries a key, an initialization vector or the text that was to hold one, so it may be
/// logged.
public struct SignalingError: Error, Sendable {
    /// What went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// A protection system is asked for that nobody here knows.
        public static let unknownSystem = Code(rawValue: "unknown-system")
        /// Protection systems that cannot stand beside each other.
        public static let conflictingSystems = Code(rawValue: "conflicting-systems")
        /// A way of encryption that the protection system does not have.
        public static let methodNotAllowed = Code(rawValue: "method-not-allowed")
        /// An initialization vector where there must be none, or one of a wrong size.
        public static let invalidIV = Code(rawValue: "invalid-iv")
        /// A key URI, or the template of one, that players would not take for what it is.
        public static let invalidKeyURI = Code(rawValue: "invalid-key-uri")
        /// A text or file that holds no key ID, key or initialization vector.
        public static let invalidKey = Code(rawValue: "invalid-key")
        /// Two keys with one key ID.
        public static let duplicateKeyID = Code(rawValue: "duplicate-key-id")
        /// An output protection that does not exist, or for a class of tracks that does not.
        public static let invalidOutputProtection = Code(rawValue: "invalid-output-protection")
        /// A document that is not CPIX, or is damaged.
        public static let invalidCPIX = Code(rawValue: "invalid-cpix")
        /// A recipient of a CPIX document whose certificate cannot be used.
        public static let invalidDeliveryKey = Code(rawValue: "invalid-delivery-key")
        /// The keys of a CPIX document cannot be encrypted.
        public static let cpixNotEncrypted = Code(rawValue: "cpix-not-encrypted")
        /// The encrypted keys of a CPIX document cannot be opened, or their MAC is wrong.
        public static let cpixNotOpened = Code(rawValue: "cpix-not-opened")
        /// A PlayReady header that is none, is damaged, or cannot be written.
        public static let invalidPlayReadyHeader = Code(rawValue: "invalid-playready-header")
        /// Variants that may not share a key, do.
        public static let sharedKey = Code(rawValue: "shared-key")
    }

    /// What went wrong.
    public let code: Code
    /// The option, field or structure that it is about.
    public let subject: String
    /// What was found, what was expected, and what to do.
    public let reason: String

    /// Makes an error. Neither `subject` nor `reason` may hold a secret.
    public init(_ code: Code, _ subject: String, _ reason: String) {
        self.code = code
        self.subject = subject
        self.reason = reason
    }
}

extension SignalingError: Equatable {
    /// True when both errors have the same code, whatever they are about.
    public static func == (left: SignalingError, right: SignalingError) -> Bool { left.code == right.code }
}

extension SignalingError: CustomStringConvertible {
    /// One line: what it is about, and the reason.
    public var description: String { "\(subject): \(reason)" }
}
