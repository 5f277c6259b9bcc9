import ByteCoding

/// The fields of an audio track's sample entry (ISO/IEC 14496-12, 12.2.3), and of QuickTime sound descriptions of
/// versions 1 and 2 (QuickTime File Format, Sound Sample Descriptions).
///
///     version                  2 bytes
///     reserved                 6 bytes
///     channelcount             2 bytes
///     samplesize               2 bytes   bits
///     pre_defined, reserved    4 bytes
///     samplerate               4 bytes   16.16 Hz
///     QuickTime version 1      16 bytes  samples per packet, bytes per packet, per frame, per sample
///     QuickTime version 2      36 bytes  size 4, sample rate as a 64-bit float, channels 4, 0x7F000000 4, bits 4,
///                                        flags 4, bytes per packet 4, frames per packet 4
///
/// Version 1 also occurs in ISO files without these 16 bytes; the version of `stsd` is then also 1.
public struct AudioSampleFields: Hashable, Sendable {
    /// The number of channels. The codec's configuration is more reliable.
    public var channelCount: UInt32
    /// The sample size in bits; 16 for compressed audio.
    public var sampleSize: UInt16
    /// The sample rate in hertz; 0 if it does not fit and only the codec's configuration specifies it.
    public var sampleRate: Double

    /// Creates the fields of an audio sample entry.
    public init(channelCount: UInt32, sampleSize: UInt16 = 16, sampleRate: Double) {
        self.channelCount = channelCount
        self.sampleSize = sampleSize
        self.sampleRate = sampleRate
    }

    init(reading reader: inout ByteReader, isQuickTime: Bool) throws(ParseError) {
        let start = reader.offset
        let version = try reader.readUInt16("version of an audio sample entry")
        guard version <= 2 else {
            throw ParseError(
                .invalidValue,
                reading: "version of an audio sample entry",
                offset: start,
                reason: "version \(version) is not supported, the maximum is 2"
            )
        }
        try reader.skip(6, "reserved part of an audio sample entry")
        channelCount = UInt32(try reader.readUInt16("channel count"))
        sampleSize = try reader.readUInt16("sample size")
        try reader.skip(4, "reserved part of an audio sample entry")
        sampleRate = Double(try reader.readUInt32("sample rate")) / 65536
        guard isQuickTime else { return }
        if version == 1 { try reader.skip(16, "fields of sound description version 1") }
        if version == 2 { try readVersion2(&reader) }
    }

    private mutating func readVersion2(_ reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let size = Int(try reader.readUInt32("size of sound description version 2"))
        let rate = Double(bitPattern: try reader.readUInt64("sample rate"))
        guard rate >= 0, rate < 0x1p32 else {
            throw ParseError(
                .invalidValue,
                reading: "sample rate",
                offset: start + 4,
                reason: "the sample rate is out of range"
            )
        }
        sampleRate = rate
        channelCount = try reader.readUInt32("channel count")
        try reader.skip(4, "constant of sound description version 2")
        sampleSize = UInt16(truncatingIfNeeded: try reader.readUInt32("bits per channel"))
        try reader.skip(12, "fields of sound description version 2")
        // The size is relative to the start of the sample entry: 8 of the header, 8, 20 and 36 are 72 bytes.
        guard size == 0 || size >= 72 else {
            throw ParseError(
                .invalidLength,
                reading: "size of sound description version 2",
                offset: start,
                reason: "the size is \(size) bytes, must be at least 72"
            )
        }
        if size > 72 { try reader.skip(size - 72, "extension of sound description version 2") }
    }

    /// Writes the fields in version 0. A sample rate of 65,536 Hz or more is written as 0, and only the codec's
    /// configuration specifies it.
    func write(to writer: inout BoxWriter) {
        writer.zeros(8)
        writer.write(UInt16(clamping: channelCount))
        writer.write(sampleSize)
        writer.zeros(4)
        writer.write(sampleRate < 65536 ? UInt32(sampleRate * 65536) : 0)
    }

    /// The fields to display.
    var fields: [BoxField] {
        [
            BoxField("channelcount", channelCount), BoxField("samplesize", sampleSize),
            BoxField("samplerate", sampleRate),
        ]
    }
}
