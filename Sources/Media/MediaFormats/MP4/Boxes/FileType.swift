public import ByteCoding

/// An `ftyp` or `styp` box: the brands of a file or a segment (ISO/IEC 14496-12, 4.3 and 8.16.2).
///
///     major_brand         4 bytes
///     minor_version       4 bytes
///     compatible_brands   4 bytes each, to the end
public struct FileTypeBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "ftyp"
    /// The type of the same box at the start of a segment.
    public static let segmentType: FourCC = "styp"
    /// The types of the boxes.
    public static let types: [FourCC] = [type, segmentType]

    /// The major brand: the preferred specification for the file.
    public var majorBrand: FourCC
    /// The minor version, which is informative.
    public var minorVersion: UInt32
    /// The compatible brands: the specifications that the file conforms to.
    public var compatibleBrands: [FourCC]

    /// Creates a box.
    public init(majorBrand: FourCC, minorVersion: UInt32 = 0, compatibleBrands: [FourCC]) {
        self.majorBrand = majorBrand
        self.minorVersion = minorVersion
        self.compatibleBrands = compatibleBrands
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        majorBrand = try reader.readFourCC("major brand")
        minorVersion = try reader.readUInt32("minor version")
        compatibleBrands = []
        // QuickTime writes files whose last brand is truncated.
        while reader.remaining >= 4 { compatibleBrands.append(try reader.readFourCC("compatible brand")) }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { write(as: Self.type, to: &writer) }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("major_brand", majorBrand),
            BoxField("compatible_brands", compatibleBrands.map(\.description).joined(separator: ",")),
        ]
    }

    /// Writes the box as `ftyp` or `styp`.
    public func write(as type: FourCC, to writer: inout BoxWriter) {
        writer.box(type) { writer in
            writer.write(majorBrand)
            writer.write(minorVersion)
            for brand in compatibleBrands { writer.write(brand) }
        }
    }
}
