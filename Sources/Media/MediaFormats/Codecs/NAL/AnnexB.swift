public import ByteCoding

/// Conversion between samples with length-prefixed NAL units and byte streams with start codes, in a buffer of the
/// caller.
public enum AnnexB {
    /// Returns the maximum number of bytes that ``write(lengthPrefixed:lengthSize:into:at:)`` writes for a sample of
    /// `count` bytes.
    public static func maximumSize(of count: Int, lengthSize: Int) -> Int {
        count + count / (lengthSize + 1) * (4 - lengthSize)
    }

    /// Writes the NAL units of a sample, each after a start code of 4 bytes. Empty NAL units are skipped.
    ///
    /// - Returns: the number of bytes written; nil if the output is too small.
    /// - Throws: `ParseError` `truncated` if a NAL unit's length extends beyond the sample.
    public static func write(
        lengthPrefixed sample: RawSpan,
        lengthSize: Int,
        into output: inout MutableRawSpan,
        at offset: Int = 0
    ) throws(ParseError) -> Int? {
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        var write = offset
        while let unit = try units.next(sample) {
            guard append(sample, unit, to: &output, at: &write) else { return nil }
        }
        return write - offset
    }

    /// Returns the maximum number of bytes that ``write(byteStream:into:at:)`` writes for a stream of `count` bytes,
    /// whose start codes have at least 3 bytes.
    public static func maximumLengthPrefixedSize(of count: Int) -> Int { count + count / 4 + 4 }

    /// Writes the NAL units of a byte stream, each after a length of 4 bytes.
    ///
    /// - Returns: the number of bytes written; nil if the output is too small.
    public static func write(byteStream: RawSpan, into output: inout MutableRawSpan, at offset: Int = 0) -> Int? {
        var units = AnnexBNALUnits()
        var write = offset
        while let unit = units.next(byteStream) {
            guard write >= 0, output.byteCount - write >= 4 else { return nil }
            output.storeBytes(of: UInt32(unit.count).bigEndian, toByteOffset: write, as: UInt32.self)
            write += 4
            guard EmulationPrevention.copy(byteStream, unit, to: &output, at: &write) else { return nil }
        }
        return write - offset
    }

    /// Writes a start code of 4 bytes and a NAL unit, or nothing if the NAL unit is empty. Returns false if the output
    /// is too small.
    static func append(
        _ bytes: RawSpan,
        _ unit: Range<Int>,
        to output: inout MutableRawSpan,
        at write: inout Int
    ) -> Bool {
        if unit.isEmpty { return true }
        guard write >= 0, output.byteCount - write >= 4 else { return false }
        output.storeBytes(of: UInt32(1).bigEndian, toByteOffset: write, as: UInt32.self)
        write += 4
        return EmulationPrevention.copy(bytes, unit, to: &output, at: &write)
    }
}
