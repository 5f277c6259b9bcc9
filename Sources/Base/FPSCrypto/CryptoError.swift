/// An error from a cryptographic operation: a stable code, the operation, and a reason for people.
///
/// The code is intended for programs and never changes its meaning. Two errors are equal if their codes are equal. An
/// error never contains key material, plaintext or details that distinguish one failed decryption from another, so it
/// can be logged.
public struct CryptoError: Error, Sendable {
    /// The stable code of an error.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// A key, an initialization vector, a message or a range has a size that the operation does not accept.
        public static let invalidLength = Code(rawValue: "invalid-length")
        /// An argument other than a length is not valid for the operation.
        public static let invalidArgument = Code(rawValue: "invalid-argument")
        /// A ciphertext could not be decrypted. The error never contains a reason, because a reason would help an
        /// attacker to decrypt the ciphertext without the key.
        public static let decryptionFailed = Code(rawValue: "decryption-failed")
        /// An authentication tag is wrong: the key or the associated data is wrong, or the message was modified.
        public static let authenticationFailed = Code(rawValue: "authentication-failed")
        /// The bytes are not a private key in a supported format, or the key is damaged.
        public static let unreadableKey = Code(rawValue: "unreadable-key")
        /// The key is not an RSA key.
        public static let notAnRSAKey = Code(rawValue: "not-an-rsa-key")
        /// The RSA modulus is shorter than 1024 bits or longer than 8192.
        public static let unsupportedKeySize = Code(rawValue: "unsupported-key-size")
        /// The private key is encrypted, and no passphrase was passed.
        public static let passphraseRequired = Code(rawValue: "passphrase-required")
        /// The passphrase of the private key is wrong.
        public static let wrongPassphrase = Code(rawValue: "wrong-passphrase")
        /// The bytes are not an X.509 certificate, or the certificate is damaged.
        public static let unreadableCertificate = Code(rawValue: "unreadable-certificate")
        /// The cryptographic library failed in an operation that does not fail on a correctly configured system, for
        /// example because memory is exhausted or an algorithm is disabled.
        public static let libraryFailure = Code(rawValue: "library-failure")
    }

    /// The code of the error.
    public let code: Code
    /// The operation, with the name in its specification, for example "AES-128-CBC encryption".
    public let operation: String
    /// The values found and expected; nil if they add nothing to the code or must not be revealed.
    public let reason: String?

    /// Creates an error. Neither `operation` nor `reason` must contain a secret.
    public init(_ code: Code, operation: String, reason: String? = nil) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }
}

extension CryptoError: Equatable {
    /// Returns whether both errors have the same code, regardless of the operation.
    public static func == (left: CryptoError, right: CryptoError) -> Bool { left.code == right.code }
}

extension CryptoError: CustomStringConvertible {
    /// The operation, the code and the reason, on one line.
    public var description: String {
        "\(operation): \(code)" + (reason.map { " (\($0))" } ?? "")
    }
}
