/// Finds start codes: 00 00 01 (ITU-T H.264 and H.265, Annex B).
public enum StartCode {
    /// The index of the next 00 00 01 in `bytes` at or after `start`; nil when there is none. A zero byte before it,
    /// which makes it a code of 4 bytes, is not looked at.
    public static func next(in bytes: RawSpan, from start: Int = 0) -> Int? {
        var from = start
        while let pair = ZeroPair.next(in: bytes, from: from) {
            // More than two zeros: the last two count.
            var third = pair + 2
            while third < bytes.byteCount, bytes.unsafeLoad(fromByteOffset: third, as: UInt8.self) == 0 { third += 1 }
            guard third < bytes.byteCount else { return nil }
            if bytes.unsafeLoad(fromByteOffset: third, as: UInt8.self) == 1 { return third - 2 }
            from = third + 1
        }
        return nil
    }
}

/// The kernel that start codes and emulation prevention share: it finds two zero bytes in a row, 8 bytes at a time,
/// since in coded video they are rare.
enum ZeroPair {
    /// The index of the first of two zero bytes at or after `start`; nil when there are none. It loads no byte outside
    /// the span.
    @inline(__always)
    static func next(in bytes: RawSpan, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = max(start, 0)
        let end = bytes.byteCount
        // In a run of zeros the next pair is right here.
        if index <= end - 2, bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt16.self) == 0 { return index }
        // A byte of `word` is 0 where a byte and its successor are. The lowest byte found so is exact.
        while index <= end - 33 {
            let a = pairs(bytes, index)
            let b = pairs(bytes, index + 8)
            let c = pairs(bytes, index + 16)
            let d = pairs(bytes, index + 24)
            let found = ((a &- ones) & ~a) | ((b &- ones) & ~b) | ((c &- ones) & ~c) | ((d &- ones) & ~d)
            if found & tops != 0 { break }
            index += 32
        }
        while index <= end - 9 {
            let word = pairs(bytes, index)
            let found = (word &- ones) & ~word & tops
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index <= end - 2 {
            if bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt16.self) == 0 { return index }
            index += 1
        }
        return nil
    }

    /// 8 bytes from `index`, each joined with the byte behind it; the first one lowest.
    @inline(__always)
    private static func pairs(_ bytes: RawSpan, _ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            | UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index + 1, as: UInt64.self))
    }
}
