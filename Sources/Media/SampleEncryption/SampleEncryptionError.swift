import FPSCrypto

/// An error during the encryption or decryption of samples or segments: a stable code, the index of the sample, and a
/// readable reason.
///
/// Programs use the code, whose meaning never changes. Two errors are equal if their codes are equal. An error never
/// contains key material or media, so it can be logged.
public struct SampleEncryptionError: Error, Sendable {
    /// The type of the error.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// The key does not have 16 bytes.
        public static let invalidKey = Code(rawValue: "invalid-key")
        /// An initialization vector is missing, or the scheme does not support its size.
        public static let invalidIV = Code(rawValue: "invalid-iv")
        /// The pattern cannot be stored in `tenc`: a number is larger than 15, or blocks are skipped but none are
        /// encrypted.
        public static let invalidPattern = Code(rawValue: "invalid-pattern")
        /// A sample is outside the buffer, or a subsample or range is outside its sample.
        public static let outOfBounds = Code(rawValue: "out-of-bounds")
        /// Samples or ranges overlap, or are not in ascending order.
        public static let overlap = Code(rawValue: "overlap")
        /// The size of a protected part is not a multiple of 16 bytes, as the scheme requires.
        public static let partialBlock = Code(rawValue: "partial-block")
        /// The segment cannot be decrypted because its size is not a multiple of 16 bytes or its padding is invalid.
        /// The key or IV is wrong, or the segment is damaged.
        public static let damagedSegment = Code(rawValue: "damaged-segment")
        /// The scheme or direction does not support the requested operation.
        public static let unsupported = Code(rawValue: "unsupported")
        /// libcrypto reported an error that does not occur on a working system.
        public static let libraryFailure = Code(rawValue: "library-failure")
    }

    /// The type of the error.
    public let code: Code
    /// The index of the sample, segment or range in the caller's list, from 0; nil if the error is not about one of
    /// them.
    public let index: Int?
    /// The value that was found and the value that was expected; nil if the code is sufficient.
    public let reason: String?

    /// Creates an error. `reason` must not contain a secret.
    public init(_ code: Code, index: Int? = nil, reason: String? = nil) {
        self.code = code
        self.index = index
        self.reason = reason
    }

    /// Converts an error of the cipher.
    init(_ error: CryptoError) {
        self.init(.libraryFailure, reason: error.description)
    }
}

extension SampleEncryptionError: Equatable {
    /// Returns whether both errors have the same code. The index and the reason are ignored.
    public static func == (left: SampleEncryptionError, right: SampleEncryptionError) -> Bool {
        left.code == right.code
    }
}

extension SampleEncryptionError: CustomStringConvertible {
    /// The code, the index and the reason in one line.
    public var description: String {
        "\(code)" + (index.map { " at \($0)" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

/// Calls `body` and converts its error.
func convertingCryptoErrors<Value: ~Copyable>(
    _ body: () throws(CryptoError) -> Value
) throws(SampleEncryptionError) -> Value {
    do throws(CryptoError) {
        return try body()
    } catch {
        throw SampleEncryptionError(error)
    }
}
