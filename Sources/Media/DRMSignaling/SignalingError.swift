/// An error in keys or DRM signaling: a stable code, the subject, and the reason with how to correct it.
///
/// The code is for programs and never changes its meaning; the other texts are for people. Errors with the same code
/// are equal. An error never contains a key, an initialization vector, or the text given for one, so it may be logged.
public struct SignalingError: Error, Sendable {
    /// A stable error code.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// An unknown protection system.
        public static let unknownSystem = Code(rawValue: "unknown-system")
        /// Protection systems that cannot be combined.
        public static let conflictingSystems = Code(rawValue: "conflicting-systems")
        /// An encryption method that the protection system does not support.
        public static let methodNotAllowed = Code(rawValue: "method-not-allowed")
        /// An initialization vector where none is allowed, or one of the wrong size.
        public static let invalidIV = Code(rawValue: "invalid-iv")
        /// An invalid key URI or template, or one that players would not recognize.
        public static let invalidKeyURI = Code(rawValue: "invalid-key-uri")
        /// A text or file that does not contain a valid key ID, key or initialization vector.
        public static let invalidKey = Code(rawValue: "invalid-key")
        /// Two keys with the same key ID.
        public static let duplicateKeyID = Code(rawValue: "duplicate-key-id")
        /// An invalid output protection, or one for an unknown track class.
        public static let invalidOutputProtection = Code(rawValue: "invalid-output-protection")
        /// A document that is not CPIX, or is invalid.
        public static let invalidCPIX = Code(rawValue: "invalid-cpix")
        /// A recipient of a CPIX document whose certificate is invalid.
        public static let invalidDeliveryKey = Code(rawValue: "invalid-delivery-key")
        /// The keys of a CPIX document cannot be encrypted.
        public static let cpixEncryptionFailed = Code(rawValue: "cpix-encryption-failed")
        /// The encrypted keys of a CPIX document cannot be decrypted, or their MAC does not match.
        public static let cpixDecryptionFailed = Code(rawValue: "cpix-decryption-failed")
        /// A PlayReady header that is invalid, or cannot be written.
        public static let invalidPlayReadyHeader = Code(rawValue: "invalid-playready-header")
        /// Variants share a key that they must not share.
        public static let sharedKey = Code(rawValue: "shared-key")
    }

    /// The error code.
    public let code: Code
    /// The option, field or structure that has the error.
    public let subject: String
    /// The value found, the expected value, and how to correct the error.
    public let reason: String

    /// Creates an error. Neither `subject` nor `reason` may contain a secret.
    public init(_ code: Code, _ subject: String, _ reason: String) {
        self.code = code
        self.subject = subject
        self.reason = reason
    }
}

extension SignalingError: Equatable {
    /// Returns whether both errors have the same code, whatever their subjects.
    public static func == (left: SignalingError, right: SignalingError) -> Bool { left.code == right.code }
}

extension SignalingError: CustomStringConvertible {
    /// The subject and the reason, on one line.
    public var description: String { "\(subject): \(reason)" }
}
