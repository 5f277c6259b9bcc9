public import ByteCoding

/// A `colr` box: the color space of a track (ISO/IEC 14496-12, 12.1.5).
///
///     colour_type                4 bytes   nclx, nclc (QuickTime), rICC, prof
///     colour_primaries           2 bytes   ┐ nclx and nclc
///     transfer_characteristics   2 bytes   │
///     matrix_coefficients        2 bytes   ┘
///     full_range_flag            1 bit     ┐ nclx
///     reserved                   7 bits    ┘
///     ICC profile                          rICC and prof
public struct ColorInformationBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "colr"

    /// The type of color description.
    public enum Content: Hashable, Sendable {
        /// Code points with the range flag: `nclx`.
        case nclx(ColorDescription)
        /// QuickTime code points without the range flag: `nclc`.
        case nclc(ColorDescription)
        /// An ICC profile or an unknown description.
        case other(type: FourCC, bytes: [UInt8])
    }

    /// The color description.
    public var content: Content

    /// Creates a box.
    public init(_ content: Content) { self.content = content }

    /// The code points; nil for an ICC profile or an unknown description.
    public var description: ColorDescription? {
        switch content {
        case .nclx(let description), .nclc(let description): description
        case .other: nil
        }
    }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let type = try reader.readFourCC("type of the colr box")
        guard type == "nclx" || type == "nclc" else {
            content = .other(type: type, bytes: try reader.readRest("content of the colr box"))
            return
        }
        var points: [UInt8] = []
        for field in ["color primaries", "transfer characteristics", "matrix coefficients"] {
            let offset = reader.offset
            let value = try reader.readUInt16(field)
            guard value <= 255 else {
                throw ParseError(
                    .invalidValue,
                    reading: field,
                    offset: offset,
                    reason: "the value \(value) is above 255"
                )
            }
            points.append(UInt8(value))
        }
        var description = ColorDescription(primaries: points[0], transfer: points[1], matrix: points[2])
        if type == "nclx" {
            description.isFullRange = try reader.readUInt8("range of the colr box") & 0x80 != 0
            content = .nclx(description)
        } else {
            content = .nclc(description)
        }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            switch content {
            case .nclx(let description):
                writer.write("nclx" as FourCC)
                Self.write(description, to: &writer)
                writer.write(UInt8(description.isFullRange ? 0x80 : 0))
            case .nclc(let description):
                writer.write("nclc" as FourCC)
                Self.write(description, to: &writer)
            case .other(let type, let bytes):
                writer.write(type)
                writer.write(bytes)
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        switch content {
        case .nclx(let color):
            [BoxField("colour_type", "nclx")] + Self.fields(color)
                + [BoxField("full_range_flag", color.isFullRange ? 1 : 0)]
        case .nclc(let color): [BoxField("colour_type", "nclc")] + Self.fields(color)
        case .other(let type, let bytes):
            [BoxField("colour_type", type), BoxField("profile_size", bytes.count, unit: "bytes")]
        }
    }

    private static func fields(_ color: ColorDescription) -> [BoxField] {
        [
            BoxField("colour_primaries", color.primaries), BoxField("transfer_characteristics", color.transfer),
            BoxField("matrix_coefficients", color.matrix),
        ]
    }

    private static func write(_ description: ColorDescription, to writer: inout BoxWriter) {
        for point in [description.primaries, description.transfer, description.matrix] { writer.write(UInt16(point)) }
    }
}
