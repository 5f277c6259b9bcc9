public import ByteCoding

/// An `stsz` or `stz2` box: the sizes of samples (ISO/IEC 14496-12, 8.7.3).
///
///     stsz: sample_size   4 bytes   0: see entry_size
///           sample_count  4 bytes
///           entry_size    4 bytes   each, if sample_size is 0
///
///     stz2: reserved      3 bytes
///           field_size    1 byte    4, 8 or 16 bits
///           sample_count  4 bytes
///           entry_size    field_size bits each
public struct SampleSizeBox: ListedBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "stsz"
    /// The type of the compact box.
    public static let compactType: FourCC = "stz2"
    /// The types of the boxes.
    public static let types: [FourCC] = [type, compactType]
    /// The size of every sample in bytes; 0 if the sizes differ.
    public var sampleSize: UInt32
    /// The number of samples.
    public var sampleCount: Int
    /// The offset of the sizes in the input.
    public var offset: Int
    /// The size of an entry in bits: 4, 8, 16 or 32; 0 if there are no entries.
    public var fieldSize: Int

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`; `invalid-length` if entries are missing.
    public init(reading reader: inout ByteReader, type: FourCC) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: type, newest: 0)
        if type == Self.compactType {
            sampleSize = 0
            let start = reader.offset
            fieldSize = Int(try reader.readUInt32("field size of the stz2 box") & 0xFF)
            guard fieldSize == 4 || fieldSize == 8 || fieldSize == 16 else {
                throw ParseError(
                    .invalidValue,
                    reading: "field size of the stz2 box",
                    offset: start,
                    reason: "the field size is \(fieldSize), must be 4, 8 or 16"
                )
            }
        } else {
            sampleSize = try reader.readUInt32("sample size")
            fieldSize = sampleSize == 0 ? 32 : 0
        }
        let start = reader.offset
        sampleCount = Int(try reader.readUInt32("number of samples"))
        offset = reader.offset
        let needed = (sampleCount * fieldSize + 7) / 8
        guard needed <= reader.remaining else {
            throw ParseError(
                .invalidLength,
                reading: "number of samples in the \(type) box",
                offset: start,
                reason: "\(sampleCount) sizes do not fit in the \(reader.remaining) bytes that are left"
            )
        }
        try reader.skip(needed, "sample sizes")
    }

    /// Reads the number of samples and their size.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        let box = try Self(reading: &reader, type: type)
        return BoxSummary([BoxField("sample_count", box.sampleCount), BoxField("sample_size", box.sampleSize)])
    }
}
