import FPSCrypto

/// Why samples or segments could not be encrypted or decrypted: a stable code, which sample, and a reason for people.
///
/// The code is for programs and never changes its meaning. Two errors are equal when their codes are. An error never
/// carries key material or media, so it may be logged.
public struct SampleEncryptionError: Error, Sendable {
    /// What went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// A key is not 16 bytes.
        public static let invalidKey = Code(rawValue: "invalid-key")
        /// An initialization vector is missing, or has a size that the scheme does not take.
        public static let invalidIV = Code(rawValue: "invalid-iv")
        /// A pattern does not fit `tenc`: more than 15 blocks, or none to encrypt but some to skip.
        public static let invalidPattern = Code(rawValue: "invalid-pattern")
        /// A sample does not lie within the bytes, or a subsample or range not within its sample.
        public static let outOfBounds = Code(rawValue: "out-of-bounds")
        /// Samples or ranges overlap, or do not come in the order of their bytes.
        public static let overlap = Code(rawValue: "overlap")
        /// A protected part is not a multiple of 16 bytes where the scheme demands that.
        public static let partialBlock = Code(rawValue: "partial-block")
        /// A segment cannot be decrypted: its size is no multiple of 16 bytes, or its padding is wrong. That means a
        /// wrong key or IV, or a damaged segment.
        public static let damagedSegment = Code(rawValue: "damaged-segment")
        /// What was asked for does not exist in this scheme or direction.
        public static let unsupported = Code(rawValue: "unsupported")
        /// libcrypto refused what cannot fail on a sound system.
        public static let libraryFailure = Code(rawValue: "library-failure")
    }

    /// What went wrong.
    public let code: Code
    /// The number of the sample, segment or range in the list that was given, from 0; nil if it is about none of them.
    public let index: Int?
    /// What was found and what was expected, where that says more than the code does.
    public let reason: String?

    /// Makes an error. `reason` must not hold a secret.
    public init(_ code: Code, index: Int? = nil, reason: String? = nil) {
        self.code = code
        self.index = index
        self.reason = reason
    }

    /// Translates an error of the cipher.
    init(_ error: CryptoError) {
        self.init(.libraryFailure, reason: error.description)
    }
}

extension SampleEncryptionError: Equatable {
    /// True when both errors have the same code, whatever they are about.
    public static func == (left: SampleEncryptionError, right: SampleEncryptionError) -> Bool {
        left.code == right.code
    }
}

extension SampleEncryptionError: CustomStringConvertible {
    /// One line: the code, the index and the reason.
    public var description: String {
        "\(code)" + (index.map { " at \($0)" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

/// Runs a cipher's call and translates its error.
func translating<Value: ~Copyable>(
    _ body: () throws(CryptoError) -> Value
) throws(SampleEncryptionError) -> Value {
    do throws(CryptoError) {
        return try body()
    } catch {
        throw SampleEncryptionError(error)
    }
}
