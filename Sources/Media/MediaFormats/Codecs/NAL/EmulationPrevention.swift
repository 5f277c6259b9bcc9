/// Insertion and removal of emulation prevention bytes in NAL units (ITU-T H.264, 7.3.1 and 7.4.1.1; H.265, 7.3.1.1).
///
///     00 00 00 -> 00 00 03 00        00 00 02 -> 00 00 03 02
///     00 00 01 -> 00 00 03 01        00 00 03 -> 00 00 03 03
///     00 00 at the end -> 00 00 03
public enum EmulationPrevention {
    /// Returns the maximum number of bytes that ``escape(_:into:at:)`` writes for `count` bytes.
    public static func maximumEscapedSize(of count: Int) -> Int { count + count / 2 }

    /// Writes `bytes` with emulation prevention bytes inserted. ``unescape(_:into:at:)`` is the exact inverse.
    ///
    /// - Parameters:
    ///   - bytes: a NAL unit, including its header, without emulation prevention bytes; or with them, to add a second
    ///     layer as SAMPLE-AES requires.
    ///   - output: the memory to write to; ``maximumEscapedSize(of:)`` bytes from `offset` are always sufficient.
    ///   - offset: the offset in `output` to start at.
    /// - Returns: the number of bytes written; nil if the output is too small.
    public static func escape(_ bytes: RawSpan, into output: inout MutableRawSpan, at offset: Int = 0) -> Int? {
        var write = offset
        var read = 0
        while let end = nextInsertion(in: bytes, from: read) {
            guard copy(bytes, read..<end, to: &output, at: &write), write < output.byteCount else { return nil }
            output.storeBytes(of: 3, toByteOffset: write, as: UInt8.self)
            write += 1
            read = end
        }
        guard copy(bytes, read..<bytes.byteCount, to: &output, at: &write) else { return nil }
        return write - offset
    }

    /// Returns the index before which the next emulation prevention byte must be inserted; the end of `bytes` if they
    /// end with two zeros; nil if no more bytes must be inserted. For callers that write the parts in between
    /// themselves.
    ///
    /// - Parameter start: 0, or the index that the previous call returned.
    public static func nextInsertion(in bytes: RawSpan, from start: Int) -> Int? {
        var from = start
        while let pair = ZeroPair.next(in: bytes, from: from) {
            let end = pair + 2
            if end == bytes.byteCount || bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self) <= 3 { return end }
            from = end
        }
        return nil
    }

    /// Writes `bytes` with emulation prevention bytes removed.
    ///
    /// - Parameters:
    ///   - bytes: a NAL unit as it is stored in the file, without its length or start code.
    ///   - output: the memory to write to; the size of `bytes` is always sufficient.
    ///   - offset: the offset in `output` to start at.
    /// - Returns: the number of bytes written; nil if the output is too small.
    public static func unescape(_ bytes: RawSpan, into output: inout MutableRawSpan, at offset: Int = 0) -> Int? {
        var write = offset
        var read = 0
        var from = 0
        while let pair = ZeroPair.next(in: bytes, from: from) {
            // More than two zeros in a row are not allowed in a NAL unit, but must be handled safely.
            var end = pair + 2
            while end < bytes.byteCount, bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self) == 0 { end += 1 }
            from = end
            guard end < bytes.byteCount, bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self) == 3 else { continue }
            guard copy(bytes, read..<end, to: &output, at: &write) else { return nil }
            read = end + 1
            from = read
        }
        guard copy(bytes, read..<bytes.byteCount, to: &output, at: &write) else { return nil }
        return write - offset
    }

    /// Copies a part of `bytes` to the offset `write` and increases `write`. Returns false if the output is too small.
    @inline(__always)
    static func copy(
        _ bytes: RawSpan,
        _ part: Range<Int>,
        to output: inout MutableRawSpan,
        at write: inout Int
    ) -> Bool {
        guard write >= 0, part.count <= output.byteCount - write else { return false }
        let start = write
        write += part.count
        // Data with many zeros have short parts, for which a call of memcpy costs more than the copy.
        if part.count <= 8 {
            for index in 0..<part.count {
                let byte = bytes.unsafeLoad(fromByteOffset: part.lowerBound + index, as: UInt8.self)
                output.storeBytes(of: byte, toByteOffset: start + index, as: UInt8.self)
            }
            return true
        }
        let source = bytes.extracting(part)
        // One memcpy. Both ranges were checked against their spans above.
        output.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0) }
        }
        return true
    }
}
