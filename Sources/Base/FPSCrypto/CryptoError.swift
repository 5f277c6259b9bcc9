/// Why a cryptographic operation failed: a stable code, what was being done, and a reason for people.
///
/// The code is for programs and never changes its meaning. Two errors are equal when their codes are. An error never
/// carries key material, plaintext or anything that tells one failed decryption from another, so it may be logged.
public struct CryptoError: Error, Sendable {
    /// What went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// A key, an initialization vector, a message or a range has a size that the operation does not take.
        public static let invalidLength = Code(rawValue: "invalid-length")
        /// An argument other than a length is outside of what the operation takes.
        public static let invalidArgument = Code(rawValue: "invalid-argument")
        /// An RSA ciphertext could not be decrypted. Why is never said: that would help to decrypt it without the key.
        public static let decryptionFailed = Code(rawValue: "decryption-failed")
        /// An authentication tag is wrong: another key, other associated data, or bytes that were changed.
        public static let authenticationFailed = Code(rawValue: "authentication-failed")
        /// The bytes are no private key in a form that is understood, or a damaged one.
        public static let unreadableKey = Code(rawValue: "unreadable-key")
        /// The key is for another algorithm than RSA.
        public static let notAnRSAKey = Code(rawValue: "not-an-rsa-key")
        /// The RSA modulus is shorter than 1024 bits or longer than 8192.
        public static let unsupportedKeySize = Code(rawValue: "unsupported-key-size")
        /// The private key is encrypted and no passphrase was given.
        public static let passphraseNeeded = Code(rawValue: "passphrase-needed")
        /// The passphrase does not open the private key.
        public static let wrongPassphrase = Code(rawValue: "wrong-passphrase")
        /// The bytes are no X.509 certificate, or a damaged one.
        public static let unreadableCertificate = Code(rawValue: "unreadable-certificate")
        /// libcrypto refused what cannot fail on a sound system: no memory, or an algorithm that its configuration
        /// leaves out.
        public static let libraryFailure = Code(rawValue: "library-failure")
    }

    /// What went wrong.
    public let code: Code
    /// What was being done, in the words of the specification: "AES-128-CBC encryption".
    public let operation: String
    /// What was found and what was expected, where that says more than the code does and reveals nothing.
    public let reason: String?

    /// Makes an error. Neither `operation` nor `reason` may hold a secret.
    public init(_ code: Code, operation: String, reason: String? = nil) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }
}

extension CryptoError: Equatable {
    /// True when both errors have the same code, whatever they are about.
    public static func == (left: CryptoError, right: CryptoError) -> Bool { left.code == right.code }
}

extension CryptoError: CustomStringConvertible {
    /// One line: the operation, the code and the reason.
    public var description: String {
        "\(operation): \(code)" + (reason.map { " (\($0))" } ?? "")
    }
}
