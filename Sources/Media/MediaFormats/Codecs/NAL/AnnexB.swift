public import ByteCoding

/// Turns samples with lengths into byte streams with start codes, and back, into a buffer of the caller's.
public enum AnnexB {
    /// The most bytes that ``write(lengthPrefixed:lengthSize:into:at:)`` makes of a sample of `count` bytes.
    public static func maximumSize(of count: Int, lengthSize: Int) -> Int {
        count + count / (lengthSize + 1) * (4 - lengthSize)
    }

    /// Writes the NAL units of a sample, each behind a start code of 4 bytes. Empty ones are left out.
    ///
    /// - Returns: How many bytes were written; nil when there was no room.
    /// - Throws: `ParseError` `truncated` when the sample's lengths do not fit.
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

    /// The most bytes that ``write(byteStream:into:at:)`` makes of a stream of `count` bytes: a start code has 3 bytes
    /// at least.
    public static func maximumLengthPrefixedSize(of count: Int) -> Int { count + count / 4 + 4 }

    /// Writes the NAL units of a byte stream, each behind a length of 4 bytes.
    ///
    /// - Returns: How many bytes were written; nil when there was no room.
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

    /// Writes a start code of 4 bytes and a NAL unit; nothing for an empty one. False when there is no room.
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
