import FPSCrypto

/// An error in a frame between the server and the process of a plug-in. It contains no byte of the frame.
enum PluginFrameError: Error, Sendable, Equatable {
    /// The frame ends before its last field.
    case truncated
    /// A length or a count exceeds its limit.
    case tooLong
    /// The frame continues after its last field.
    case trailingBytes
    /// The kind of the frame is unknown, or a field has an invalid value.
    case invalid
}

/// The part of a frame's header that every kind has.
struct PluginFrameHeader: Equatable {
    /// The number of the request.
    var number: UInt32
    /// The flags of a reply.
    var flags: UInt8 = 0
}

/// The memory for one frame at a time, which contains keys and is therefore wiped after each use.
///
/// A frame, with all numbers in big-endian byte order:
///
/// | Bytes | Content |
/// |---|---|
/// | 0–3 | the number of bytes that follow: 6 to ``maximumCount`` |
/// | 4 | the kind: ``PluginRequest``, ``PluginReply`` |
/// | 5 | flags, in replies only: 1 if the process exceeds its memory bound |
/// | 6–9 | the number of the request on its socket, from 1; the reply repeats it, so that it cannot be one to another request |
/// | 10… | the fields of the kind: numbers of 4 or 8 bytes; byte strings after a length of 4 bytes |
final class PluginFrameBuffer {
    /// The maximum number of bytes after the length.
    static let maximumCount = 262_144
    /// The number of bytes of the length.
    static let lengthCount = 4

    private(set) var memory: UnsafeMutableRawBufferPointer
    /// The number of bytes of the frame so far.
    private(set) var count = 0
    private var position = 0

    /// Creates an empty buffer.
    init() { memory = .allocate(byteCount: 4_096, alignment: 16) }

    deinit {
        wipe()
        memory.deallocate()
    }

    /// The bytes of the frame.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
    /// The memory after the bytes of the frame.
    var free: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[count...]) }

    /// Wipes and removes the frame.
    func wipe() {
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
        (count, position) = (0, 0)
    }

    /// Counts bytes that were written to ``free``.
    func received(_ more: Int) { count = min(count + max(more, 0), memory.count) }

    /// Makes room for a number of further bytes.
    func reserve(_ more: Int) {
        guard count + more > memory.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count + more, memory.count * 2),
            alignment: 16
        )
        larger.copyMemory(from: bytes)
        let old = memory
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(rebasing: old[..<count]))
        memory = larger
        old.deallocate()
    }

    // MARK: Writing

    /// Begins a frame.
    func begin(kind: UInt8, _ header: PluginFrameHeader) {
        wipe()
        append(UInt32(0))
        append(UInt16(kind) << 8 | UInt16(header.flags))
        append(header.number)
    }

    /// Writes the length of the frame.
    ///
    /// - Throws: `tooLong`.
    func end() throws(PluginFrameError) {
        let length = count - Self.lengthCount
        guard length <= Self.maximumCount else { throw .tooLong }
        memory.storeBytes(of: UInt32(length).bigEndian, as: UInt32.self)
    }

    /// Writes a number.
    func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { append($0) }
    }

    /// Writes a byte string with its length.
    func append(field bytes: [UInt8]) {
        append(UInt32(clamping: bytes.count))
        bytes.withUnsafeBytes { append($0) }
    }

    /// Writes a secret with its length; nil becomes an empty byte string.
    func append(field secret: SecretBytes?) {
        append(UInt32(clamping: secret?.count ?? 0))
        secret?.withUnsafeBytes { append($0) }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        free.copyMemory(from: bytes)
        count += bytes.count
    }

    // MARK: Reading

    /// The total size of the frame, from its length; nil if the length has not been received.
    ///
    /// - Throws: `tooLong` or `truncated` if the length is out of bounds.
    func size() throws(PluginFrameError) -> Int? {
        guard count >= Self.lengthCount else { return nil }
        let length = Int(UInt32(bigEndian: memory.loadUnaligned(as: UInt32.self)))
        guard length >= 6 else { throw .truncated }
        guard length <= Self.maximumCount else { throw .tooLong }
        return Self.lengthCount + length
    }

    /// Begins to read a complete frame.
    ///
    /// - Returns: The kind, and the rest of the header.
    func beginReading() throws(PluginFrameError) -> (kind: UInt8, header: PluginFrameHeader) {
        guard let size = try size(), size <= count else { throw .truncated }
        guard size == count else { throw .trailingBytes }
        position = Self.lengthCount
        let kind: UInt8 = try read()
        let flags: UInt8 = try read()
        return (kind, PluginFrameHeader(number: try read(), flags: flags))
    }

    /// Reads a number.
    func read<Number: FixedWidthInteger & BitwiseCopyable>() throws(PluginFrameError) -> Number {
        Number(bigEndian: try take(MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
    }

    /// Reads a byte string of at most `limit` bytes.
    func readBytes(limit: Int) throws(PluginFrameError) -> [UInt8] { Array(try field(limit: limit)) }

    /// Reads a secret of at most `limit` bytes.
    func readSecret(limit: Int) throws(PluginFrameError) -> SecretBytes {
        SecretBytes(copying: try field(limit: limit))
    }

    /// Reads a byte string of an exact size.
    func readBytes(exactly size: Int) throws(PluginFrameError) -> [UInt8] {
        let bytes = try readBytes(limit: size)
        guard bytes.count == size else { throw .invalid }
        return bytes
    }

    /// Reads a secret of an exact size.
    func readSecret(exactly size: Int) throws(PluginFrameError) -> SecretBytes {
        let secret = try readSecret(limit: size)
        guard secret.count == size else { throw .invalid }
        return secret
    }

    /// Checks that the frame has ended.
    func finish() throws(PluginFrameError) { guard position == count else { throw .trailingBytes } }

    private func field(limit: Int) throws(PluginFrameError) -> UnsafeRawBufferPointer {
        let size: UInt32 = try read()
        guard size <= limit else { throw .tooLong }
        return try take(Int(size))
    }

    private func take(_ size: Int) throws(PluginFrameError) -> UnsafeRawBufferPointer {
        guard size <= count - position else { throw .truncated }
        defer { position += size }
        return UnsafeRawBufferPointer(rebasing: memory[position..<position + size])
    }
}
