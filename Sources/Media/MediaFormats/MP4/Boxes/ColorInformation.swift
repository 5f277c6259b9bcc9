public import ByteCoding

/// `colr`: what colors numbers mean (ISO/IEC 14496-12, 12.1.5).
///
///     colour_type                4 bytes   nclx, nclc (QuickTime), rICC, prof
///     colour_primaries           2 bytes   ┐ nclx and nclc
///     transfer_characteristics   2 bytes   │
///     matrix_coefficients        2 bytes   ┘
///     full_range_flag            1 bit     ┐ nclx
///     reserved                   7 bits    ┘
///     ICC profile                          otherwise
public struct ColorInformationBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "colr"

    /// The kind of description.
    public enum Content: Hashable, Sendable {
        /// Code points, with the range: `nclx`.
        case nclx(ColorDescription)
        /// Code points as QuickTime writes them, without the range: `nclc`.
        case nclc(ColorDescription)
        /// An ICC profile or something unknown, as it is.
        case other(type: FourCC, bytes: [UInt8])
    }

    /// The description.
    public var content: Content

    /// Makes a box.
    public init(_ content: Content) { self.content = content }

    /// The code points; nil for ICC profiles.
    public var description: ColorDescription? {
        switch content {
        case .nclx(let description), .nclc(let description): description
        case .other: nil
        }
    }

    /// Reads the content, the header left out.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let type = try reader.readFourCC("type of a colr box")
        guard type == "nclx" || type == "nclc" else {
            content = .other(type: type, bytes: try reader.readRest("content of a colr box"))
            return
        }
        var points: [UInt8] = []
        for field in ["color primaries", "transfer characteristics", "matrix coefficients"] {
            let offset = reader.offset
            let value = try reader.readUInt16(field)
            guard value <= 255 else {
                throw ParseError(.invalidValue, reading: field, offset: offset, reason: "\(value) is above 255")
            }
            points.append(UInt8(value))
        }
        var description = ColorDescription(primaries: points[0], transfer: points[1], matrix: points[2])
        if type == "nclx" {
            description.isFullRange = try reader.readUInt8("range of a colr box") & 0x80 != 0
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

    private static func write(_ description: ColorDescription, to writer: inout BoxWriter) {
        for point in [description.primaries, description.transfer, description.matrix] { writer.write(UInt16(point)) }
    }
}
