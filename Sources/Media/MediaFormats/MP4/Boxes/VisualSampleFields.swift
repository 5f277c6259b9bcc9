import ByteCoding

/// The fields of a video track's sample entry (ISO/IEC 14496-12, 12.1.3).
///
///     pre_defined, reserved    16 bytes   version, vendor and quality in QuickTime
///     width, height            2 bytes each, in pixels
///     horizresolution          4 bytes    16.16, 72 dpi
///     vertresolution           4 bytes
///     reserved                 4 bytes
///     frame_count              2 bytes    1
///     compressorname           32 bytes   a length byte and text
///     depth                    2 bytes    0x0018
///     pre_defined              2 bytes    -1
public struct VisualSampleFields: Hashable, Sendable {
    /// The width in pixels.
    public var width: UInt16
    /// The height in pixels.
    public var height: UInt16
    /// The horizontal resolution in pixels per inch as a 16.16 fixed-point number.
    public var horizontalResolution: UInt32
    /// The vertical resolution in pixels per inch as a 16.16 fixed-point number.
    public var verticalResolution: UInt32
    /// The number of frames per sample.
    public var frameCount: UInt16
    /// The name of the compressor, 32 bytes: a length byte and text.
    public var compressorName: [UInt8]
    /// The color depth in bits per pixel.
    public var depth: UInt16

    /// Creates the fields of a visual sample entry.
    public init(width: UInt16, height: UInt16) {
        self.width = width
        self.height = height
        horizontalResolution = 0x0048_0000
        verticalResolution = 0x0048_0000
        frameCount = 1
        compressorName = [UInt8](repeating: 0, count: 32)
        depth = 0x18
    }

    init(reading reader: inout ByteReader) throws(ParseError) {
        try reader.skip(16, "reserved part of a visual sample entry")
        width = try reader.readUInt16("width")
        height = try reader.readUInt16("height")
        horizontalResolution = try reader.readUInt32("horizontal resolution")
        verticalResolution = try reader.readUInt32("vertical resolution")
        try reader.skip(4, "reserved part of a visual sample entry")
        frameCount = try reader.readUInt16("frame count")
        compressorName = try reader.readBytes(32, "compressor name")
        depth = try reader.readUInt16("depth")
        try reader.skip(2, "pre-defined")
    }

    func write(to writer: inout BoxWriter) {
        writer.zeros(16)
        writer.write(width)
        writer.write(height)
        writer.write(horizontalResolution)
        writer.write(verticalResolution)
        writer.zeros(4)
        writer.write(frameCount)
        writer.write(compressorName)
        writer.write(depth)
        writer.write(Int16(-1))
    }

    /// The fields to display.
    var fields: [BoxField] { [BoxField("width", width), BoxField("height", height)] }
}
