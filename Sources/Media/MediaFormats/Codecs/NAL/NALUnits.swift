public import ByteCoding

/// An iterator over the NAL units of a sample in an MP4 file, each of which follows its length (ISO/IEC 14496-15, 5.3.3
/// and 8.3.3).
///
/// It stores positions, not bytes: pass the same sample to each call of `next`.
///
///     var units = LengthPrefixedNALUnits(lengthSize: 4)
///     while let unit = try units.next(sample) { ... sample.extracting(unit) ... }
public struct LengthPrefixedNALUnits: Sendable {
    /// The size in bytes of the length before each NAL unit: 1, 2 or 4.
    public let lengthSize: Int
    /// The position of the next length in the sample.
    public private(set) var position: Int
    private let base: Int

    /// Creates an iterator that starts at the first NAL unit.
    ///
    /// - Parameters:
    ///   - lengthSize: the size in bytes of the length before each NAL unit: 1, 2 or 4.
    ///   - base: the offset of the sample's first byte, for errors.
    public init(lengthSize: Int, base: Int = 0) {
        precondition((1...4).contains(lengthSize), "the size of a NAL unit length must be 1 to 4 bytes")
        self.lengthSize = lengthSize
        self.base = base
        position = 0
    }

    /// Returns the range of the next NAL unit in the sample, without its length; nil after the last. The range can be
    /// empty.
    ///
    /// - Throws: `ParseError` `truncated` if the sample ends within a length or a NAL unit.
    @inline(__always)
    public mutating func next(_ sample: RawSpan) throws(ParseError) -> Range<Int>? {
        let left = sample.byteCount - position
        guard left > 0 else { return nil }
        guard left >= lengthSize else {
            throw truncated("NAL unit length", "expected \(lengthSize) bytes, \(left) are left")
        }
        let length: Int
        if lengthSize == 4 {
            length = Int(UInt32(bigEndian: sample.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self)))
        } else {
            length = (0..<lengthSize).reduce(0) {
                $0 << 8 | Int(sample.unsafeLoad(fromByteOffset: position + $1, as: UInt8.self))
            }
        }
        guard length <= left - lengthSize else {
            throw truncated("NAL unit", "expected \(length) bytes, \(left - lengthSize) are left")
        }
        let start = position + lengthSize
        position = start + length
        return start..<position
    }

    @inline(never)
    private func truncated(_ field: String, _ reason: String) -> ParseError {
        ParseError(.truncated, reading: field, offset: base + position, reason: reason)
    }
}

/// An iterator over the NAL units of a byte stream, each of which follows a start code (ITU-T H.264 and H.265, Annex
/// B).
///
/// Zero bytes before a start code and after a NAL unit belong to neither. Bytes before the first start code are
/// skipped.
public struct AnnexBNALUnits: Sendable {
    /// The start of the next NAL unit; nil before the first and after the last.
    private var start: Int?
    private var begun = false

    /// Creates an iterator that starts at the first NAL unit.
    public init() {}

    /// Returns the range of the next NAL unit in the stream, without start codes and zero bytes around it; nil after
    /// the last.
    public mutating func next(_ stream: RawSpan) -> Range<Int>? {
        if !begun {
            begun = true
            start = StartCode.next(in: stream).map { $0 + 3 }
        }
        while let begin = start {
            let code = StartCode.next(in: stream, from: begin)
            start = code.map { $0 + 3 }
            var end = code ?? stream.byteCount
            while end > begin, stream.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self) == 0 { end -= 1 }
            if end > begin { return begin..<end }
        }
        return nil
    }
}
