public import ByteCoding

/// The boxes that contain only boxes.
public enum ContainerBox: ListedBox {
    /// The types of the boxes, without `sinf`, see ``ProtectionSchemeInfoBox``.
    public static let types: [FourCC] = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf", "mfra", "udta", "schi", "wave",
        "tref", "meco", "strk", "ludt",
    ]

    /// Reads nothing: the boxes are at the start.
    public static func summary(reading _: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        BoxSummary(content: .boxes)
    }
}
