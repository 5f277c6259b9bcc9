/// Bytes that must not be seen: a key, a session secret, a private key's encoding.
///
/// The size is fixed and the content cannot change. The memory is wiped when the last reference goes, comparison takes
/// the same time wherever the difference is, and no description, dump or mirror shows more than the size. It is neither
/// `Codable` nor `Hashable`. ``reveal()`` is the one way out.
public final class SecretBytes: Sendable {
    /// The size in bytes.
    public let count: Int
    // Written only before `init` returns, freed only in `deinit`; between them every thread may read it.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    /// Allocates `count` bytes, zeroed, and has `body` fill them.
    ///
    /// - Precondition: `count` is not negative.
    /// - Throws: what `body` throws; what it wrote is wiped then.
    public init<Failure: Error>(
        count: Int,
        initializingWith body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(count >= 0, "a secret cannot have a negative size")
        self.count = count
        // One byte at least: libcrypto takes a null pointer for "no key", not for "an empty key".
        memory = .allocate(byteCount: max(count, 1), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
        try body(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }

    /// Copies `bytes`. Wiping the original is the caller's business.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Draws `count` bytes from `generator`: ``SecureRandom`` for every real key.
    ///
    /// - Precondition: `count` is not negative.
    public convenience init(count: Int, randomFrom generator: inout some RandomNumberGenerator) {
        self.init(count: count) { generator.fill($0) }
    }

    deinit {
        Self.wipe(UnsafeMutableRawBufferPointer(start: memory, count: count))
        memory.deallocate()
    }

    /// Lends the bytes to `body`. The pointer is valid during the call only; it is never null.
    public func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// A copy of a part, as a secret of its own.
    ///
    /// - Precondition: `range` lies within `0..<count`.
    public subscript(range: Range<Int>) -> SecretBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range outside of the secret")
        return SecretBytes(copying: UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count))
    }

    /// The bytes as an ordinary array, which nobody wipes. For the few places where a secret must leave: a file that
    /// holds keys, a key response, an explicit `--reveal`.
    public func reveal() -> [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

extension SecretBytes: Equatable {
    /// Compares in a time that depends on the sizes alone. Different sizes are unequal.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.count == right.count && constantTimeEquals(left.memory, right.memory, left.count)
    }

    /// Compares plain bytes (authentication tags, hashes, tokens) in a time that depends on their sizes alone.
    /// Different sizes are unequal.
    public static func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        withContiguousBytes(left) { left in
            withContiguousBytes(right) { right in
                left.count == right.count && constantTimeEquals(left.baseAddress, right.baseAddress, left.count)
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the size, nothing else.
    public var description: String { "SecretBytes(\(count) bytes)" }

    /// The type and the size, nothing else.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no content either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
