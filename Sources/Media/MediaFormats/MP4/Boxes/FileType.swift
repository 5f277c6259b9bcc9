public import ByteCoding

/// `ftyp` and `styp`: what a file or a segment conforms to (ISO/IEC 14496-12, 4.3 and 8.16.2).
///
///     major_brand         4 bytes
///     minor_version       4 bytes
///     compatible_brands   4 bytes each, to the end
public struct FileTypeBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "ftyp"
    /// The type of the same box at the start of a segment.
    public static let segmentType: FourCC = "styp"

    /// The best use of the file.
    public var majorBrand: FourCC
    /// Informative.
    public var minorVersion: UInt32
    /// What else it conforms to.
    public var compatibleBrands: [FourCC]

    /// Makes a box.
    public init(majorBrand: FourCC, minorVersion: UInt32 = 0, compatibleBrands: [FourCC]) {
        self.majorBrand = majorBrand
        self.minorVersion = minorVersion
        self.compatibleBrands = compatibleBrands
    }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        majorBrand = try reader.readFourCC("major brand")
        minorVersion = try reader.readUInt32("minor version")
        compatibleBrands = []
        // QuickTime writes files whose last brand is cut off.
        while reader.remaining >= 4 { compatibleBrands.append(try reader.readFourCC("compatible brand")) }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { write(as: Self.type, to: &writer) }

    /// Writes the box as `ftyp` or `styp`.
    public func write(as type: FourCC, to writer: inout BoxWriter) {
        writer.box(type) { writer in
            writer.write(majorBrand)
            writer.write(minorVersion)
            for brand in compatibleBrands { writer.write(brand) }
        }
    }
}
