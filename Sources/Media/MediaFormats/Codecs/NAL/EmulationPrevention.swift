/// Puts emulation prevention bytes into NAL units and takes them out (ITU-T H.264, 7.3.1 and 7.4.1.1; H.265, 7.3.1.1).
///
///     00 00 00 -> 00 00 03 00        00 00 02 -> 00 00 03 02
///     00 00 01 -> 00 00 03 01        00 00 03 -> 00 00 03 03
///     00 00 at the end -> 00 00 03
public enum EmulationPrevention {
    /// The most bytes that ``escape(_:into:at:)`` makes of `count`.
    public static func maximumEscapedSize(of count: Int) -> Int { count + count / 2 }

    /// Writes `bytes` with emulation prevention bytes put in. Whatever goes in, ``unescape(_:into:at:)`` gives it back.
    ///
    /// - Parameters:
    ///   - bytes: A NAL unit, its header included, that has none; or one that has some, for a second layer as SAMPLE-AES asks.
    ///   - output: Where to write; it has ``maximumEscapedSize(of:)`` bytes from `offset`, or as many as are needed.
    ///   - offset: Where in `output` to begin.
    /// - Returns: How many bytes were written; nil when there was no room.
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

    /// The index before which the next emulation prevention byte goes in: the end of `bytes` where these end with two
    /// zeros; nil when none is needed any more. For those who write the parts between them themselves.
    ///
    /// - Parameter start: 0, or the index that the call before has given.
    public static func nextInsertion(in bytes: RawSpan, from start: Int) -> Int? {
        var from = start
        while let pair = ZeroPair.next(in: bytes, from: from) {
            let end = pair + 2
            if end == bytes.byteCount || bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self) <= 3 { return end }
            from = end
        }
        return nil
    }

    /// Writes `bytes` with emulation prevention bytes taken out.
    ///
    /// - Parameters:
    ///   - bytes: A NAL unit as it lies in the file, without its length or start code.
    ///   - output: Where to write; as many bytes as `bytes` has always suffice.
    ///   - offset: Where in `output` to begin.
    /// - Returns: How many bytes were written; nil when there was no room.
    public static func unescape(_ bytes: RawSpan, into output: inout MutableRawSpan, at offset: Int = 0) -> Int? {
        var write = offset
        var read = 0
        var from = 0
        while let pair = ZeroPair.next(in: bytes, from: from) {
            // A run of more than two zeros is not allowed, but what is not allowed must do no harm.
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

    /// Copies a part of `bytes` to `write` and moves `write` on; false when there is no room.
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
        // Where zeros are many, parts are short, and a call costs more than what it copies.
        if part.count <= 8 {
            for index in 0..<part.count {
                let byte = bytes.unsafeLoad(fromByteOffset: part.lowerBound + index, as: UInt8.self)
                output.storeBytes(of: byte, toByteOffset: start + index, as: UInt8.self)
            }
            return true
        }
        let source = bytes.extracting(part)
        // One memcpy. Both ranges were held against their spans above.
        output.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0) }
        }
        return true
    }
}
