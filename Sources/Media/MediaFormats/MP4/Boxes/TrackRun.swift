public import ByteCoding
import TextCoding

/// A `trun` box: samples of a fragment whose data are contiguous (ISO/IEC 14496-12, 8.8.8).
///
///     sample_count                     4 bytes
///     data_offset                      4 bytes, signed   if flags 0x000001
///     first_sample_flags               4 bytes           if flags 0x000004
///     sample_duration                  4 bytes           if flags 0x000100   ┐
///     sample_size                      4 bytes           if flags 0x000200   │ each sample
///     sample_flags                     4 bytes           if flags 0x000400   │
///     sample_composition_time_offset   4 bytes           if flags 0x000800   ┘ signed in version 1
public struct TrackRunBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "trun"

    /// A sample of the run. A property that is nil has the default of the fragment.
    public struct Sample: Hashable, Sendable {
        /// The duration in the timescale of the media.
        public var duration: UInt32?
        /// The size in bytes.
        public var size: UInt32?
        /// The flags of the sample.
        public var flags: SampleFlags?
        /// The presentation time minus the decode time, in the timescale of the media.
        public var compositionOffset: Int32?

        /// Creates a sample.
        public init(
            duration: UInt32? = nil,
            size: UInt32? = nil,
            flags: SampleFlags? = nil,
            compositionOffset: Int32? = nil
        ) {
            self.duration = duration
            self.size = size
            self.flags = flags
            self.compositionOffset = compositionOffset
        }
    }

    /// The offset in bytes of the first sample's data relative to the base of the fragment; nil if they follow the
    /// previous run.
    public var dataOffset: Int32?
    /// The flags of the first sample if they differ from the default; otherwise nil.
    public var firstSampleFlags: SampleFlags?
    /// The samples, which all have the same fields.
    public var samples: [Sample]

    /// Creates a box.
    public init(dataOffset: Int32? = 0, firstSampleFlags: SampleFlags? = nil, samples: [Sample]) {
        self.dataOffset = dataOffset
        self.firstSampleFlags = firstSampleFlags
        self.samples = samples
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        let flags = header.flags
        let start = reader.offset
        let count = Int(try reader.readUInt32("number of samples in a run"))
        dataOffset = flags & 0x01 == 0 ? nil : Int32(bitPattern: try reader.readUInt32("data offset of a run"))
        firstSampleFlags = flags & 0x04 == 0 ? nil : SampleFlags(rawValue: try reader.readUInt32("first sample flags"))
        let fields = [0x100, 0x200, 0x400, 0x800].count { flags & $0 != 0 }
        // Samples without fields have no bytes in the box, so their number must be limited.
        guard fields == 0 ? count <= 1 << 20 : count <= reader.remaining / (4 * fields) else {
            throw ParseError(
                .invalidLength,
                reading: "number of samples in a run",
                offset: start,
                reason: "\(count) samples do not fit in the \(reader.remaining) bytes that are left"
            )
        }
        samples = []
        samples.reserveCapacity(count)
        for _ in 0..<count {
            var sample = Sample()
            if flags & 0x100 != 0 { sample.duration = try reader.readUInt32("sample duration") }
            if flags & 0x200 != 0 { sample.size = try reader.readUInt32("sample size") }
            if flags & 0x400 != 0 { sample.flags = SampleFlags(rawValue: try reader.readUInt32("sample flags")) }
            // Composition offsets are unsigned in version 0, but some files contain negative numbers.
            if flags & 0x800 != 0 {
                sample.compositionOffset = Int32(bitPattern: try reader.readUInt32("composition offset"))
            }
            samples.append(sample)
        }
    }

    /// Writes the whole box, always in version 1.
    public func write(to writer: inout BoxWriter) {
        let first = samples.first
        var flags: UInt32 = 0
        if dataOffset != nil { flags |= 0x01 }
        if firstSampleFlags != nil { flags |= 0x04 }
        if first?.duration != nil { flags |= 0x100 }
        if first?.size != nil { flags |= 0x200 }
        if first?.flags != nil { flags |= 0x400 }
        if first?.compositionOffset != nil { flags |= 0x800 }
        writer.fullBox(Self.type, version: 1, flags: flags) { writer in
            writer.write(UInt32(samples.count))
            if let dataOffset { writer.write(dataOffset) }
            if let firstSampleFlags { writer.write(firstSampleFlags.rawValue) }
            for sample in samples {
                if flags & 0x100 != 0 { writer.write(sample.duration ?? 0) }
                if flags & 0x200 != 0 { writer.write(sample.size ?? 0) }
                if flags & 0x400 != 0 { writer.write(sample.flags?.rawValue ?? 0) }
                if flags & 0x800 != 0 { writer.write(sample.compositionOffset ?? 0) }
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { Self.fields(sampleCount: samples.count, dataOffset: dataOffset) }

    /// Reads the fields before the samples.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        let header = try FullBoxHeader(reading: &reader, of: type, newest: 1)
        let count = Int(try reader.readUInt32("number of samples in a run"))
        let offset = header.flags & 1 == 0 ? nil : Int32(bitPattern: try reader.readUInt32("data offset of a run"))
        return BoxSummary(
            [
                BoxField("version", header.version),
                BoxField("flags", "0x" + Hexadecimal.encode(header.flags, digits: 1)),
            ] + fields(sampleCount: count, dataOffset: offset)
        )
    }

    private static func fields(sampleCount: Int, dataOffset: Int32?) -> [BoxField] {
        [BoxField("sample_count", sampleCount)] + (dataOffset.map { [BoxField("data_offset", $0)] } ?? [])
    }
}
