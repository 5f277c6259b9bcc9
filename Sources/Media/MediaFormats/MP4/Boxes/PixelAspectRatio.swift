public import ByteCoding

/// `pasp`: the shape of a pixel (ISO/IEC 14496-12, 12.1.4).
///
///     hSpacing   4 bytes
///     vSpacing   4 bytes
public struct PixelAspectRatioBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "pasp"

    /// Relative width.
    public var horizontal: UInt32
    /// Relative height.
    public var vertical: UInt32

    /// Makes a box.
    public init(horizontal: UInt32, vertical: UInt32) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The ratio; nil when a part is 0.
    public var ratio: VideoUsabilityInformation.AspectRatio? {
        VideoUsabilityInformation.AspectRatio(width: Int(horizontal), height: Int(vertical))
    }

    /// Reads the content, the header left out.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        horizontal = try reader.readUInt32("horizontal spacing of pixels")
        vertical = try reader.readUInt32("vertical spacing of pixels")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.write(horizontal)
            writer.write(vertical)
        }
    }
}
