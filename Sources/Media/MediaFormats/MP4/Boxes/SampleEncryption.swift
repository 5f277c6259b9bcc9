public import ByteCoding

/// A `senc` box: the initialization vectors and subsamples of the samples of a fragment (ISO/IEC 23001-7, 7.2).
///
///     sample_count             4 bytes
///     InitializationVector     Per_Sample_IV_Size bytes: 0, 8 or 16      ┐
///     subsample_count          2 bytes   if flags 0x000002               │ each sample
///     BytesOfClearData         2 bytes   ┐ each subsample                │
///     BytesOfProtectedData     4 bytes   ┘                               ┘
public struct SampleEncryptionBox: ListedBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "senc"
    /// The types that are read in this way.
    public static let types: [FourCC] = [type]

    /// A subsample: clear bytes followed by protected bytes.
    public struct Subsample: Hashable, Sendable, BitwiseCopyable {
        /// The number of clear bytes.
        public var clear: UInt16
        /// The number of protected bytes.
        public var protected: UInt32

        /// Creates a subsample.
        public init(clear: UInt16, protected: UInt32) {
            self.clear = clear
            self.protected = protected
        }
    }

    /// The entry of one sample.
    public struct Sample: Hashable, Sendable {
        /// The sample's initialization vector; empty if the constant one is used.
        public var iv: [UInt8]
        /// The sample's subsamples; empty if it is protected as a whole.
        public var subsamples: [Subsample]

        /// Creates the entry of a sample.
        public init(iv: [UInt8] = [], subsamples: [Subsample] = []) {
            self.iv = iv
            self.subsamples = subsamples
        }

        /// Returns the size of the entry in bytes, as in `saiz`.
        public func size(hasSubsamples: Bool) -> Int { iv.count + (hasSubsamples ? 2 + 6 * subsamples.count : 0) }
    }

    /// The entries of the samples.
    public var samples: [Sample]
    /// True if the entries contain subsamples.
    public var hasSubsamples: Bool

    /// Creates a box.
    public init(samples: [Sample], hasSubsamples: Bool) {
        self.samples = samples
        self.hasSubsamples = hasSubsamples
    }

    /// Reads the content of the box.
    ///
    /// - Parameter ivSize: the size of an initialization vector in bytes, from `tenc` or a sample group: 0, 8 or 16.
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader, ivSize: Int) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        hasSubsamples = header.flags & 2 != 0
        let start = reader.offset
        let count = Int(try reader.readUInt32("number of samples in the senc box"))
        let least = ivSize + (hasSubsamples ? 2 : 0)
        guard least == 0 ? count <= 1 << 20 : count <= reader.remaining / least else {
            throw ParseError(
                .invalidLength,
                reading: "number of samples in the senc box",
                offset: start,
                reason: "\(count) samples do not fit in the \(reader.remaining) bytes that are left"
            )
        }
        samples = []
        samples.reserveCapacity(count)
        for _ in 0..<count {
            var sample = Sample(iv: try reader.readBytes(ivSize, "initialization vector"))
            if hasSubsamples {
                let offset = reader.offset
                let subsamples = Int(try reader.readUInt16("number of subsamples"))
                guard subsamples <= reader.remaining / 6 else {
                    throw ParseError(
                        .invalidLength,
                        reading: "number of subsamples",
                        offset: offset,
                        reason: "\(subsamples) subsamples do not fit in the \(reader.remaining) bytes that are left"
                    )
                }
                sample.subsamples.reserveCapacity(subsamples)
                for _ in 0..<subsamples {
                    let clear = try reader.readUInt16("clear bytes of a subsample")
                    sample.subsamples.append(
                        Subsample(clear: clear, protected: try reader.readUInt32("protected bytes of a subsample"))
                    )
                }
            }
            samples.append(sample)
        }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, flags: hasSubsamples ? 2 : 0) { writer in
            writer.write(UInt32(samples.count))
            for sample in samples {
                writer.write(sample.iv)
                guard hasSubsamples else { continue }
                writer.write(UInt16(sample.subsamples.count))
                for subsample in sample.subsamples {
                    writer.write(subsample.clear)
                    writer.write(subsample.protected)
                }
            }
        }
    }

    /// Reads the flags and the number of samples. The size of an initialization vector is not in the box.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        let flags = try FullBoxHeader(reading: &reader, of: type, newest: 0).flags
        let count = try reader.readUInt32("number of samples in the senc box")
        return BoxSummary([BoxField("flags", flags), BoxField("sample_count", count)])
    }
}
