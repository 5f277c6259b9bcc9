import MediaFormats
import SampleEncryption

/// Why media could not be decrypted: a stable code, what it is about, and what was found. Damage to boxes, packets and
/// frames is a `ParseError` of its own.
///
/// It holds no secrets: key IDs may be known to everybody.
package struct DecryptionError: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    package enum Code: String, Hashable, Sendable {
        /// The key of a key ID was not given.
        case missingKey = "missing-key"
        /// The media carry no initialization vector, and none was given with the key.
        case missingIV = "missing-iv"
        /// The init segment of a media segment was not given.
        case missingInitialization = "missing-initialization"
        /// The input is in order, but needs what this library does not do.
        case notSupported = "not-supported"
        /// What came out of the cipher, or would go into it, cannot be right.
        case damaged = "damaged"
        /// A playlist names what it must not.
        case refused = "refused"
    }

    /// What went wrong.
    package let code: Code
    /// A track, a stream or a file.
    package let subject: String
    /// What was found and what was expected.
    package let reason: String

    /// Makes an error. `reason` must not hold a secret.
    package init(_ code: Code, _ subject: String, _ reason: String) {
        self.code = code
        self.subject = subject
        self.reason = reason
    }

    /// One line.
    package var description: String { "\(subject): \(reason)" }

    /// The key of an ID was not given.
    static func missingKey(_ id: KeyID, _ subject: String) -> DecryptionError {
        let reason =
            id.isZero
            ? "the media do not name their key (its ID is all zeros), and more than one key was given"
            : "the key with the ID \(id.hexadecimal) is needed, and was not given"
        return DecryptionError(.missingKey, subject, reason)
    }

    /// What the cipher refused.
    static func refusedByCipher(_ error: SampleEncryptionError, _ subject: String) -> DecryptionError {
        let reason = error.reason.map { ": \($0)" } ?? ""
        return DecryptionError(.damaged, subject, "it cannot be decrypted, \(error.code)\(reason)")
    }
}
