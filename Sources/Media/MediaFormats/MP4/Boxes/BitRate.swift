public import ByteCoding

/// `btrt`: how many bits a track has (ISO/IEC 14496-12, 8.5.2.2).
///
///     bufferSizeDB   4 bytes   bytes of the decoding buffer
///     maxBitrate     4 bytes   bits in any second
///     avgBitrate     4 bytes   bits per second over all
public struct BitRateBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "btrt"

    /// The size of the decoding buffer in bytes.
    public var bufferSize: UInt32
    /// The most bits in any second.
    public var maximum: UInt32
    /// Bits per second over all.
    public var average: UInt32

    /// Makes a box.
    public init(bufferSize: UInt32 = 0, maximum: UInt32, average: UInt32) {
        self.bufferSize = bufferSize
        self.maximum = maximum
        self.average = average
    }

    /// Reads the content, the header left out.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        bufferSize = try reader.readUInt32("buffer size of a btrt box")
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
}
