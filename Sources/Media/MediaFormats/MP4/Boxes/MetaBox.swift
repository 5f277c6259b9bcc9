public import ByteCoding

/// A `meta` box: metadata as boxes (ISO/IEC 14496-12, 8.11.1). It is a full box in MP4 and a plain box in QuickTime,
/// where the size of the first child box is in the position of version and flags.
///
///     version and flags   4 bytes   0, in MP4
///     boxes               to the end
public enum MetaBox: ListedBox {
    /// The type of the box.
    public static let types: [FourCC] = ["meta"]

    /// Reads version and flags, if the box has them.
    public static func summary(reading reader: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        var probe = reader
        if reader.remaining >= 4, try probe.readUInt32("version and flags of the meta box") == 0 { reader = probe }
        return BoxSummary(content: .boxes)
    }
}
