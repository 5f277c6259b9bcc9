public import ByteCoding

/// An `mdcv` box: the mastering display of HDR video (ISO/IEC 14496-12, 12.1.7; SMPTE ST 2086). SEI message 137 has the
/// same bytes.
///
///     display_primaries x, y            2 + 2 bytes   green, blue, red; in units of 0.00002
///     white_point x, y                  2 + 2 bytes
///     max_display_mastering_luminance   4 bytes       in units of 0.0001 candelas per square meter
///     min_display_mastering_luminance   4 bytes
public struct MasteringDisplayBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "mdcv"

    /// A chromaticity, in units of 0.00002.
    public struct Point: Hashable, Sendable {
        /// The x coordinate.
        public var x: UInt16
        /// The y coordinate.
        public var y: UInt16

        /// Creates a chromaticity.
        public init(x: UInt16, y: UInt16) {
            self.x = x
            self.y = y
        }
    }

    /// The chromaticities of green, blue and red.
    public var primaries: [Point]
    /// The chromaticity of the white point.
    public var whitePoint: Point
    /// The maximum luminance in units of 0.0001 candelas per square meter.
    public var maximumLuminance: UInt32
    /// The minimum luminance in units of 0.0001 candelas per square meter.
    public var minimumLuminance: UInt32

    /// Creates a box. `primaries` are green, blue and red.
    public init(primaries: (Point, Point, Point), whitePoint: Point, maximumLuminance: UInt32, minimumLuminance: UInt32)
    {
        self.primaries = [primaries.0, primaries.1, primaries.2]
        self.whitePoint = whitePoint
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        var points: [Point] = []
        for _ in 0..<4 {
            let x = try reader.readUInt16("chromaticity of a mastering display")
            points.append(Point(x: x, y: try reader.readUInt16("chromaticity of a mastering display")))
        }
        whitePoint = points.removeLast()
        primaries = points
        maximumLuminance = try reader.readUInt32("maximum luminance of a mastering display")
        minimumLuminance = try reader.readUInt32("minimum luminance of a mastering display")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            for point in primaries + [whitePoint] {
                writer.write(point.x)
                writer.write(point.y)
            }
            writer.write(maximumLuminance)
            writer.write(minimumLuminance)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        let points = zip(["G", "B", "R", "WP"], primaries + [whitePoint]).map { "\($0)(\($1.x),\($1.y))" }
        return [
            BoxField("display_primaries", points.joined()),
            BoxField("max_display_mastering_luminance", Double(maximumLuminance) / 10000, unit: "cd/m2"),
            BoxField("min_display_mastering_luminance", Double(minimumLuminance) / 10000, unit: "cd/m2"),
        ]
    }
}
