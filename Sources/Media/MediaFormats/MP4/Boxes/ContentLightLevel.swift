public import ByteCoding

/// A `clli` box: the light levels of HDR content (ISO/IEC 14496-12, 12.1.6). SEI message 144 has the same bytes.
///
///     max_content_light_level       2 bytes   candelas per square meter
///     max_pic_average_light_level   2 bytes
public struct ContentLightLevelBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "clli"

    /// The maximum light level of a pixel (MaxCLL) in candelas per square meter; 0 if unknown.
    public var maximum: UInt16
    /// The maximum of the pictures' average light levels (MaxFALL) in candelas per square meter; 0 if unknown.
    public var maximumAverage: UInt16

    /// Creates a box.
    public init(maximum: UInt16, maximumAverage: UInt16) {
        self.maximum = maximum
        self.maximumAverage = maximumAverage
    }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        maximum = try reader.readUInt16("maximum content light level")
        maximumAverage = try reader.readUInt16("maximum average light level")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.write(maximum)
            writer.write(maximumAverage)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("max_content_light_level", maximum, unit: "cd/m2"),
            BoxField("max_pic_average_light_level", maximumAverage, unit: "cd/m2"),
        ]
    }
}
