public import ByteCoding

/// A `btrt` box: the bit rates of a track (ISO/IEC 14496-12, 8.5.2.2).
///
///     bufferSizeDB   4 bytes   bytes of the decoding buffer
///     maxBitrate     4 bytes   maximum bits in any second
///     avgBitrate     4 bytes   average bits per second
public struct BitRateBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "btrt"

    /// The size of the decoding buffer in bytes.
    public var bufferSize: UInt32
    /// The maximum bit rate in bits per second, over any second.
    public var maximum: UInt32
    /// The average bit rate in bits per second.
    public var average: UInt32

    /// Creates a box.
    public init(bufferSize: UInt32 = 0, maximum: UInt32, average: UInt32) {
        self.bufferSize = bufferSize
        self.maximum = maximum
        self.average = average
    }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        bufferSize = try reader.readUInt32("buffer size of the btrt box")
        maximum = try reader.readUInt32("maximum bit rate")
        average = try reader.readUInt32("average bit rate")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.write(bufferSize)
            writer.write(maximum)
            writer.write(average)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("bufferSizeDB", bufferSize, unit: "bytes"), BoxField("maxBitrate", maximum, unit: "bit/s"),
            BoxField("avgBitrate", average, unit: "bit/s"),
        ]
    }
}
