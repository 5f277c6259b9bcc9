public import ByteCoding

/// A reader for the bits of a NAL unit as it is stored in the file (ITU-T H.264, 7.3.1 and 9.1; ITU-T H.265, 7.3.1 and
/// 9.2).
///
/// It skips emulation prevention bytes and provides the position both including them (``bytesTouched``) and excluding
/// them (``bitsRead``). Subsamples of encrypted samples require the former; the standards use the latter.
///
/// Bits are buffered left-aligned in a register that is filled with up to 8 bytes at once. Nothing is read beyond the
/// span, and callers limit every value.
public struct BitReader: ~Escapable {
    private let span: RawSpan
    private let base: Int
    private let skipsEmulation: Bool
    /// The index of the next byte to load into the register.
    private var next = 0
    /// The bits that have been loaded but not read, from the most significant bit. The other bits are zeros.
    private var register: UInt64 = 0
    /// The number of loaded bits in the register.
    private var loadedBits = 0
    /// The number of zero bytes directly before `next`, at most 2.
    private var zeros = 0
    /// A bit mask: bit k is set if the byte at `next` - 1 - k is an emulation prevention byte. The register never spans
    /// 64 bytes.
    private var emulation: UInt64 = 0
    private var emulationBytesLoaded = 0

    /// Creates a reader for all of `span`.
    ///
    /// - Parameters:
    ///   - base: the offset of the first byte, for errors.
    ///   - emulationPrevention: whether the bits contain emulation prevention bytes; false for audio, for example.
    @_lifetime(copy span)
    public init(_ span: RawSpan, base: Int = 0, emulationPrevention: Bool = true) {
        self.span = span
        self.base = base
        skipsEmulation = emulationPrevention
    }

    /// The number of bits that have been read, without emulation prevention bytes.
    public var bitsRead: Int { (next - emulationBytesLoaded) * 8 - loadedBits }

    /// The number of bytes of the span that contain the bits read so far, including emulation prevention bytes: the
    /// index after the byte with the last bit read. An emulation prevention byte directly after it is not counted.
    public var bytesTouched: Int {
        var waiting = loadedBits >> 3
        var back = 0
        while waiting > 0 {
            waiting -= Int(truncatingIfNeeded: ~emulation &>> UInt64(back) & 1)
            back += 1
        }
        while emulation &>> UInt64(back) & 1 == 1 { back += 1 }
        return next - back
    }

    /// The position of the next bit in the span, in bits, including emulation prevention bytes. An emulation prevention
    /// byte directly before it is not counted yet.
    public var bitPosition: Int { bytesTouched * 8 - loadedBits & 7 }

    /// The number of emulation prevention bytes before the last bit read.
    public var emulationBytesPassed: Int { bytesTouched - (bitsRead + 7) >> 3 }

    /// The offset for errors: the offset of the byte with the next bit.
    public var offset: Int { base + bitPosition >> 3 }

    /// True if the next bit is the first bit of a byte.
    public var isByteAligned: Bool { loadedBits & 7 == 0 }

    /// True if there are bits between the current position and the last 1 bit (`more_rbsp_data()`, ITU-T H.264, 7.2).
    /// The property searches that bit from the end, so do not use it in a loop.
    public var hasMoreData: Bool {
        var end = span.byteCount
        while end > 0, byte(end - 1) == 0 { end -= 1 }
        guard end > 0 else { return false }
        return bitPosition < end * 8 - 1 - byte(end - 1).trailingZeroBitCount
    }

    @inline(__always)
    private func byte(_ index: Int) -> UInt8 { span.unsafeLoad(fromByteOffset: index, as: UInt8.self) }

    /// Reads `count` bits, 0 to 32: `u(n)`.
    ///
    /// - Throws: `ParseError` `truncated`.
    @inline(__always)
    public mutating func readBits(_ count: Int, _ field: @autoclosure () -> String) throws(ParseError) -> UInt32 {
        if loadedBits < count {
            refill()
            if loadedBits < count { throw truncated(field()) }
        }
        // Two shifts, so that reading 0 bits returns 0.
        let value = UInt32(truncatingIfNeeded: (register &>> 1) &>> UInt64(63 - count))
        register &<<= UInt64(count)
        loadedBits -= count
        return value
    }

    /// Reads `count` bits, 0 to 32, as an unsigned number.
    @inline(__always)
    public mutating func readInt(_ count: Int, _ field: @autoclosure () -> String) throws(ParseError) -> Int {
        Int(try readBits(count, field()))
    }

    /// Reads one bit: `u(1)`.
    ///
    /// - Throws: `ParseError` `truncated`.
    @inline(__always)
    public mutating func readFlag(_ field: @autoclosure () -> String) throws(ParseError) -> Bool {
        if loadedBits == 0 {
            refill()
            if loadedBits == 0 { throw truncated(field()) }
        }
        let value = register >> 63 == 1
        register &<<= 1
        loadedBits -= 1
        return value
    }

    /// Reads an unsigned Exp-Golomb number, `ue(v)`, at most 2^32 - 2.
    ///
    /// - Throws: `ParseError` `truncated`, or `invalid-value` if the number is above `limit`.
    @inline(__always)
    public mutating func readUE(
        _ field: @autoclosure () -> String,
        upTo limit: Int = Int(UInt32.max) - 1
    ) throws(ParseError) -> Int {
        if loadedBits < 32 { refill() }
        let zeros = register.leadingZeroBitCount
        let value: Int
        if zeros &* 2 < loadedBits, zeros < 29 {
            value = Int(truncatingIfNeeded: register &>> UInt64(63 &- zeros &* 2)) &- 1
            register &<<= UInt64(zeros &* 2 &+ 1)
            loadedBits &-= zeros &* 2 &+ 1
        } else {
            value = try readLongUE(field())
        }
        if value > limit { throw outOfRange(field(), value) }
        return value
    }

    /// Reads a signed Exp-Golomb number, `se(v)`.
    ///
    /// - Throws: `ParseError` `truncated`, or `invalid-value` if the number is not in `range`.
    @inline(__always)
    public mutating func readSE(
        _ field: @autoclosure () -> String,
        in range: ClosedRange<Int> = Int(Int32.min) + 1...Int(Int32.max)
    ) throws(ParseError) -> Int {
        let code = try readUE(field())
        let value = code & 1 == 1 ? (code &+ 1) &>> 1 : -(code &>> 1)
        if value < range.lowerBound || value > range.upperBound { throw outOfRange(field(), value) }
        return value
    }

    /// Reads a truncated Exp-Golomb number, `te(v)`, which is one inverted bit if `limit` is 1.
    ///
    /// - Throws: `ParseError` `truncated`, or `invalid-value` if the number is above `limit`.
    public mutating func readTE(_ field: @autoclosure () -> String, upTo limit: Int) throws(ParseError) -> Int {
        if limit > 1 { return try readUE(field(), upTo: limit) }
        return limit == 1 ? (try readFlag(field()) ? 0 : 1) : 0
    }

    /// Skips `count` bits.
    ///
    /// - Throws: `ParseError` `truncated`.
    public mutating func skip(bits count: Int, _ field: @autoclosure () -> String) throws(ParseError) {
        var left = count
        while left > 32 {
            _ = try readBits(32, field())
            left -= 32
        }
        _ = try readBits(left, field())
    }

    /// Returns an error at the offset of the next bit.
    public func failure(_ code: ParseError.Code, _ field: String, _ reason: String? = nil) -> ParseError {
        ParseError(code, reading: field, offset: offset, reason: reason)
    }

    @inline(never)
    private func truncated(_ field: String) -> ParseError {
        failure(.truncated, field, "the data end within the field")
    }

    @inline(never)
    private func outOfRange(_ field: String, _ value: Int) -> ParseError {
        failure(.invalidValue, field, "the value \(value) is out of range")
    }

    /// Reads a number with 29 or more leading zeros, or near the end of the data.
    @inline(never)
    private mutating func readLongUE(_ field: @autoclosure () -> String) throws(ParseError) -> Int {
        refill()
        let zeros = register.leadingZeroBitCount
        guard zeros < loadedBits else {
            throw loadedBits < 32 ? truncated(field()) : outOfRange(field(), Int(UInt32.max))
        }
        guard zeros < 32 else { throw outOfRange(field(), Int(UInt32.max)) }
        register &<<= UInt64(zeros)
        loadedBits -= zeros
        return Int(try readBits(zeros + 1, field())) - 1
    }

    /// Loads as many whole bytes into the register as fit.
    @inline(__always)
    private mutating func refill() {
        guard loadedBits <= 56 else { return }
        if zeros < 2, next &+ 8 <= span.byteCount {
            let word = UInt64(bigEndian: span.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self))
            // Data without a zero byte contain no emulation prevention byte.
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 == 0 {
                let count = (64 &- loadedBits) &>> 3
                register |= (word & ~((UInt64.max &>> 1) &>> UInt64(count &* 8 &- 1))) &>> UInt64(loadedBits)
                loadedBits &+= count &* 8
                next &+= count
                zeros = 0
                emulation &<<= UInt64(count)
                return
            }
        }
        refillByByte()
    }

    @inline(never)
    private mutating func refillByByte() {
        while loadedBits <= 56, next < span.byteCount {
            let byte = byte(next)
            next += 1
            emulation &<<= 1
            if zeros == 2, byte == 3, skipsEmulation {
                emulation |= 1
                emulationBytesLoaded += 1
                zeros = 0
                continue
            }
            register |= UInt64(byte) &<< UInt64(56 - loadedBits)
            loadedBits += 8
            zeros = byte == 0 ? min(zeros + 1, 2) : 0
        }
    }
}
