import MediaFormats
import SampleEncryption

/// A failure to decrypt media: a stable code, the track, stream or file, and the reason. Damaged boxes, packets and
/// frames are reported as `ParseError` instead.
///
/// The error contains no secrets. It can contain key IDs, which are not secret.
package struct DecryptionError: Error, Hashable, CustomStringConvertible {
    /// The type of the error.
    package enum Code: String, Hashable, Sendable {
        /// No key was given for a key ID.
        case missingKey = "missing-key"
        /// The media contain no initialization vector, and none was given with the key.
        case missingIV = "missing-iv"
        /// The initialization segment of a media segment was not given.
        case missingInitialization = "missing-initialization"
        /// The input is valid, but uses a feature that this library does not support.
        case notSupported = "not-supported"
        /// The encrypted or decrypted data is invalid.
        case damaged = "damaged"
        /// The bytes are not media, for example an HTML page.
        case notMedia = "not-media"
        /// A playlist refers to a resource that is not allowed.
        case refused = "refused"
    }

    /// The type of the error.
    package let code: Code
    /// The name of the track, stream or file that the error is about.
    package let subject: String
    /// The reason: the value that was found and the value that was expected.
    package let reason: String

    /// Creates an error. `reason` must not contain a secret.
    package init(_ code: Code, _ subject: String, _ reason: String) {
        self.code = code
        self.subject = subject
        self.reason = reason
    }

    /// The subject and the reason in one line.
    package var description: String { "\(subject): \(reason)" }

    /// Returns the error for a key ID without a key.
    ///
    /// - Parameter isInURI: true if the `data:` URI of the EXT-X-KEY tag contains the key ID where the key is expected.
    static func missingKey(_ id: KeyID, _ subject: String, isInURI: Bool = false) -> DecryptionError {
        let reason =
            if isInURI {
                "the data: URI of the EXT-X-KEY tag contains the key ID \(id.hexadecimal) instead of the key"
            } else if id.isZero {
                "the media do not specify a key ID (it is all zeros), and the number of given keys is not 1"
            } else {
                "no key was given for the key ID \(id.hexadecimal)"
            }
        return DecryptionError(.missingKey, subject, reason)
    }

    /// Returns the error for an error of the cipher.
    static func cipherFailure(_ error: SampleEncryptionError, _ subject: String) -> DecryptionError {
        let reason = error.reason.map { ": \($0)" } ?? ""
        return DecryptionError(.damaged, subject, "cannot be decrypted, \(error.code)\(reason)")
    }
}
