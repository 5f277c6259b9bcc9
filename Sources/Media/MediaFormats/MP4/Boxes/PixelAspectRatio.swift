public import ByteCoding

/// A `pasp` box: the pixel aspect ratio (ISO/IEC 14496-12, 12.1.4).
///
///     hSpacing   4 bytes
///     vSpacing   4 bytes
public struct PixelAspectRatioBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "pasp"

    /// The relative width of a pixel.
    public var horizontal: UInt32
    /// The relative height of a pixel.
    public var vertical: UInt32

    /// Creates a box.
    public init(horizontal: UInt32, vertical: UInt32) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The pixel aspect ratio; nil if a part is 0.
    public var ratio: VideoUsabilityInformation.AspectRatio? {
        VideoUsabilityInformation.AspectRatio(width: Int(horizontal), height: Int(vertical))
    }

    /// Reads the content of the box, after its header.
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

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("hSpacing", horizontal), BoxField("vSpacing", vertical)] }
}
