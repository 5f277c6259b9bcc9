/// A search for start codes, 00 00 01 (ITU-T H.264 and H.265, Annex B).
public enum StartCode {
    /// Returns the index of the next 00 00 01 in `bytes` at or after `start`, if any. A zero byte before
    /// it, which makes it a start code of 4 bytes, is not part of it.
    public static func next(in bytes: RawSpan, from start: Int = 0) -> Int? {
        var from = start
        while let pair = ZeroPair.next(in: bytes, from: from) {
            // If there are more than two zeros, the last two belong to the start code.
            var third = pair + 2
            while third < bytes.byteCount, bytes.unsafeLoad(fromByteOffset: third, as: UInt8.self) == 0 { third += 1 }
            guard third < bytes.byteCount else { return nil }
            if bytes.unsafeLoad(fromByteOffset: third, as: UInt8.self) == 1 { return third - 2 }
            from = third + 1
        }
        return nil
    }
}

/// A search for two zero bytes in a row, shared by start codes and emulation prevention. It inspects 8 bytes at a time,
/// because such pairs are rare in coded video.
enum ZeroPair {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Returns the index of the first of two zero bytes at or after `start`; nil if there are none. No byte outside the
    /// span is loaded.
    @inline(__always)
    static func next(in bytes: RawSpan, from start: Int) -> Int? {
        var index = max(start, 0)
        let end = bytes.byteCount
        // In a run of zeros the next pair is at the current index.
        if index <= end - 2, bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt16.self) == 0 { return index }
        // A byte of `word` is 0 if the byte and its successor are 0. Only the lowest match is exact.
        if index <= end - 33 { index = bytes.withUnsafeBytes { skip($0, from: index) } }
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

    /// Returns an index before which no pair begins, at a distance from `start` that is a multiple of 32.
    ///
    /// The loads have no bounds checks, which would take three quarters of the time: all are below `index + 33`.
    private static func skip(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress else { return start }
        func pairs(_ index: Int) -> UInt64 {
            base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                | base.loadUnaligned(fromByteOffset: index + 1, as: UInt64.self)
        }
        var index = start
        while index <= bytes.count - 33 {
            let (a, b, c, d) = (pairs(index), pairs(index + 8), pairs(index + 16), pairs(index + 24))
            let found = ((a &- ones) & ~a) | ((b &- ones) & ~b) | ((c &- ones) & ~c) | ((d &- ones) & ~d)
            if found & tops != 0 { break }
            index += 32
        }
        return index
    }

    /// Returns 8 bytes from `index`, each combined with its successor by OR; the first byte is the least significant.
    @inline(__always)
    private static func pairs(_ bytes: RawSpan, _ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            | UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index + 1, as: UInt64.self))
    }
}
