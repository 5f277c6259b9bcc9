public import ByteCoding

/// Walks through the NAL units of a sample in an MP4 file, each behind its length (ISO/IEC 14496-15, 5.3.3 and 8.3.3).
///
/// It keeps ranges, not bytes: the sample is handed in again for each.
///
///     var units = LengthPrefixedNALUnits(lengthSize: 4)
///     while let unit = try units.next(sample) { ... sample.extracting(unit) ... }
public struct LengthPrefixedNALUnits: Sendable {
    /// How many bytes a length has: 1, 2 or 4.
    public let lengthSize: Int
    /// Where in the sample the next length stands.
    public private(set) var position: Int
    private let base: Int

    /// Starts at the first NAL unit.
    ///
    /// - Parameters:
    ///   - lengthSize: How many bytes a length has: 1, 2 or 4.
    ///   - base: What the first byte of the sample counts as in errors.
    public init(lengthSize: Int, base: Int = 0) {
        precondition((1...4).contains(lengthSize), "a NAL unit length has 1 to 4 bytes")
        self.lengthSize = lengthSize
        self.base = base
        position = 0
    }

    /// The range of the next NAL unit in the sample, its length not included; nil after the last. It can be empty.
    ///
    /// - Throws: `ParseError` `truncated` when the sample ends in a length or before a NAL unit does.
    @inline(__always)
    public mutating func next(_ sample: RawSpan) throws(ParseError) -> Range<Int>? {
        let left = sample.byteCount - position
        guard left > 0 else { return nil }
        guard left >= lengthSize else { throw truncated("NAL unit length", "\(left) bytes left") }
        let length: Int
        if lengthSize == 4 {
            length = Int(UInt32(bigEndian: sample.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self)))
        } else {
            length = (0..<lengthSize).reduce(0) {
                $0 << 8 | Int(sample.unsafeLoad(fromByteOffset: position + $1, as: UInt8.self))
            }
        }
        guard length <= left - lengthSize else {
            throw truncated("NAL unit", "\(length) bytes expected, \(left - lengthSize) left")
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

/// Walks through the NAL units of a byte stream, each behind a start code (ITU-T H.264 and H.265, Annex B).
///
/// Zero bytes before a start code and behind a NAL unit belong to neither. What lies before the first start code is
/// passed over.
public struct AnnexBNALUnits: Sendable {
    /// Where the next NAL unit begins; nil before the first one and after the last.
    private var start: Int?
    private var begun = false

    /// Starts at the first NAL unit.
    public init() {}

    /// The range of the next NAL unit in the stream, start codes and zeros around it left out; nil after the last.
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
