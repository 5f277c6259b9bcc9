/// A secret: a key, a session secret, or an encoded private key.
///
/// The bytes are immutable. The memory is wiped when the last reference goes away, comparison takes constant time, and
/// descriptions, dumps and mirrors show only the size. The type is neither `Codable` nor `Hashable`. Only ``reveal()``
/// returns the bytes as an array.
public final class SecretBytes: Sendable {
    /// The size in bytes.
    public let count: Int
    // The memory is written only before `init` returns and freed only in `deinit`; in between, all threads can read it.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    /// Allocates `count` zeroed bytes and calls `body` to fill them.
    ///
    /// - Precondition: `count` is not negative.
    /// - Throws: the error of `body`; the memory is wiped then.
    public init<Failure: Error>(
        count: Int,
        initializingWith body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(count >= 0, "a secret cannot have a negative size")
        self.count = count
        // At least one byte is allocated, because libcrypto treats a null pointer as "no key" and not as "an empty
        // key".
        memory = .allocate(byteCount: max(count, 1), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
        try body(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }

    /// Creates a secret with a copy of `bytes`. The caller must wipe the original.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Creates a secret of `count` random bytes from `generator`. Use ``SecureRandom`` for all real keys.
    ///
    /// - Precondition: `count` is not negative.
    public convenience init(count: Int, randomFrom generator: inout some RandomNumberGenerator) {
        self.init(count: count) { generator.fill($0) }
    }

    deinit {
        Self.wipe(UnsafeMutableRawBufferPointer(start: memory, count: count))
        memory.deallocate()
    }

    /// Calls `body` with the bytes. The pointer is valid only during the call, and it is never null.
    public func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Returns a copy of a part as a separate secret.
    ///
    /// - Precondition: `range` is within `0..<count`.
    public subscript(range: Range<Int>) -> SecretBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range outside of the secret")
        return SecretBytes(copying: UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count))
    }

    /// Returns the bytes as an array, which is not wiped. Use this function only to output a secret: to a key file, to
    /// a key response, or for an explicit `--reveal`.
    public func reveal() -> [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

extension SecretBytes: Equatable {
    /// Compares two secrets in a time that depends only on their sizes. Secrets of different sizes are not equal.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.count == right.count && constantTimeEquals(left.memory, right.memory, left.count)
    }

    /// Compares bytes such as authentication tags, hashes or tokens in a time that depends only on their sizes. Values
    /// of different sizes are not equal.
    public static func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        withContiguousBytes(left) { left in
            withContiguousBytes(right) { right in
                left.count == right.count && constantTimeEquals(left.baseAddress, right.baseAddress, left.count)
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the size.
    public var description: String { "SecretBytes(\(count) bytes)" }

    /// The type and the size.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no content either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
