public import ByteCoding

/// The header of a frame of AAC in a transport stream or in packed audio: adts_frame() without its raw data blocks
/// (ISO/IEC 14496-3, 1.A.2).
///
///     syncword                             12 bits   0xFFF                              ┐ fixed header
///     ID                                   1 bit     1: MPEG-2                          │
///     layer                                2 bits    0                                  │
///     protection_absent                    1 bit     0: there are checksums             │
///     profile_ObjectType                   2 bits    the audio object type less 1       │
///     sampling_frequency_index             4 bits    0 to 12                            │
///     private_bit                          1 bit                                        │
///     channel_configuration                3 bits    0: a program_config_element says it│
///     original_copy, home                  2 bits                                       ┘
///     copyright_identification             2 bits                                       ┐ variable header
///     aac_frame_length                     13 bits   bytes, this header included        │
///     adts_buffer_fullness                 11 bits   0x7FF: variable bit rate           │
///     number_of_raw_data_blocks_in_frame   2 bits    less 1                             ┘
///     raw_data_block_position              16 bits   each but the first one; with checksums
///     crc_check                            16 bits   with checksums
///
/// With checksums and several raw data blocks, a checksum of 2 bytes follows each block.
public struct ADTSHeader: Hashable, Sendable {
    /// Bytes of a header without checksums.
    public static let shortestSize = 7
    /// The greatest size of a frame in bytes: `aac_frame_length` has 13 bits.
    public static let largestFrame = 8191

    /// Fixed and variable header, 56 bits.
    let bits: UInt64
    /// The positions of raw data blocks and the checksum, as they lie in the frame: 16 bits each, the checksum lowest.
    private let check: UInt64

    /// Whether it is called MPEG-2; the audio is the same.
    public var isMPEG2: Bool { bits >> 43 & 1 == 1 }
    /// Whether there are checksums.
    public var hasChecksum: Bool { bits >> 40 & 1 == 0 }
    /// The type of the core; nothing is said of spectral band replication.
    public var objectType: AudioObjectType { AudioObjectType(rawValue: UInt8(bits >> 38 & 3) + 1) }
    /// Which rate of the table, 0 to 12.
    public var frequencyIndex: UInt8 { UInt8(bits >> 34 & 15) }
    /// Where the loudspeakers are, 1 to 7; 0: a program_config_element in the raw data block says it.
    public var channelConfiguration: UInt8 { UInt8(bits >> 30 & 7) }
    /// Bytes of the frame, the header included.
    public var frameLength: Int { Int(bits >> 13 & 0x1FFF) }
    /// How full the encoder's bit reservoir is, in units of 32 bits for each channel; 0x7FF: variable bit rate.
    public var bufferFullness: UInt16 { UInt16(bits >> 2 & 0x7FF) }
    /// How many raw data blocks the frame has, 1 to 4: each is an access unit of 1024 samples.
    public var blockCount: Int { Int(bits & 3) + 1 }

    /// Bytes before the first raw data block, checksum and positions included: 7 to 15.
    public var size: Int { hasChecksum ? Self.shortestSize + 2 * blockCount : Self.shortestSize }
    /// Samples in the frame at the core's rate, for each channel.
    public var sampleCount: Int { 1024 * blockCount }
    /// The core's rate, in samples a second.
    public var sampleRate: UInt32 { SamplingFrequency.table[Int(frequencyIndex)] }
    /// The checksum of the header, or of the header and the only block; nil when there is none.
    public var checksum: UInt16? { hasChecksum ? UInt16(truncatingIfNeeded: check) : nil }
    /// Where the raw data blocks lie together in the frame, checksums between them included.
    public var payload: Range<Int> { size..<frameLength }

    /// Whether a header can begin with these bits, and have this frame.
    @inline(__always)
    init?(bits: UInt64, check: UInt64 = 0) {
        self.bits = bits
        self.check = check
        guard bits >> 41 & 0x7FFB == 0x7FF8, bits >> 34 & 15 < 13, frameLength >= size else { return nil }
    }

    /// Bits that must not change within a stream: `private_bit`, `original_copy` and `home` may.
    static let identity: UInt64 = 0xFFFF_FDC0 << 24

    /// Loads the 56 bits at the beginning of 7 bytes or more.
    @inline(__always)
    static func bits(_ bytes: RawSpan) -> UInt64 {
        UInt64(bytes.load(0, as: UInt32.self)) << 24 | UInt64(bytes.load(3, as: UInt32.self) & 0xFF_FFFF)
    }

    /// Reads the header of a frame; the raw data blocks need not be there.
    ///
    /// - Parameter base: What the first byte counts as in errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` when no frame can begin like that.
    public init(_ frame: RawSpan, base: Int = 0) throws(ParseError) {
        guard frame.byteCount >= Self.shortestSize else { throw Self.truncated(frame.byteCount, base) }
        guard let header = ADTSHeader(bits: Self.bits(frame)) else {
            throw ParseError(
                .invalidValue,
                reading: "ADTS header",
                offset: base,
                reason: "syncword, layer, sampling frequency index or frame length is not that of an ADTS frame"
            )
        }
        guard frame.byteCount >= header.size else { throw Self.truncated(frame.byteCount, base) }
        self = header.reading(frame)
    }

    /// The same header with its positions and its checksum, which `frame` must have.
    @inline(__always)
    func reading(_ frame: RawSpan) -> ADTSHeader {
        guard hasChecksum else { return self }
        var check: UInt64 = 0
        for offset in stride(from: Self.shortestSize, to: size, by: 2) {
            check = check << 16 | UInt64(frame.load(offset, as: UInt16.self))
        }
        return ADTSHeader(bits: bits, check: check) ?? self
    }

    private static func truncated(_ count: Int, _ base: Int) -> ParseError {
        ParseError(.truncated, reading: "ADTS header", offset: base, reason: "there are only \(count) bytes")
    }

    /// Writes 7 to 15 bytes, as they were read.
    public func write(to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(48), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        guard hasChecksum else { return }
        for shift in stride(from: UInt64(16 * blockCount - 8), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: check >> shift))
        }
    }

    /// Where raw data block `index` begins, from the first block's first byte.
    fileprivate func position(_ index: Int) -> Int {
        index == 0 ? 0 : Int(UInt16(truncatingIfNeeded: check >> UInt64(16 * (blockCount - index))))
    }
}

extension ADTSHeader {
    /// Where each raw data block lies in its frame, from the header's first byte: what a sample in MP4 is.
    ///
    /// Several blocks have boundaries only where the frame has checksums. Without them only a decoder finds where a
    /// block ends: such a frame can be passed on whole, as ``payload`` of ``sampleCount`` samples, from one ADTS stream
    /// to another.
    ///
    /// - Parameter base: What the frame's first byte counts as in errors.
    /// - Throws: `ParseError`; `unsupported-codec-feature` for several blocks without checksums, `invalid-value` when
    ///   positions contradict each other.
    public func rawDataBlocks(base: Int = 0) throws(ParseError) -> RawDataBlocks {
        guard blockCount > 1 else { return RawDataBlocks(header: self) }
        guard hasChecksum else {
            throw ParseError(
                .unsupportedCodecFeature,
                reading: "raw data blocks of an ADTS frame",
                offset: base,
                reason: "\(blockCount) blocks without checksums have no boundaries; encode with one block a frame"
            )
        }
        for index in 0..<blockCount {
            let (start, end) = bounds(index)
            guard start < end, end <= frameLength - 2 else {
                throw ParseError(
                    .invalidValue,
                    reading: "raw data block position",
                    offset: base + Self.shortestSize + 2 * max(0, index - 1),
                    reason: "block \(index) would lie at bytes \(start) to \(end) of \(frameLength)"
                )
            }
        }
        return RawDataBlocks(header: self)
    }

    /// Where raw data block `index` begins and ends, as far as the header says it.
    fileprivate func bounds(_ index: Int) -> (start: Int, end: Int) {
        guard blockCount > 1 else { return (size, frameLength) }
        // 2 bytes of checksum follow each block.
        return (size + position(index), (index + 1 < blockCount ? size + position(index + 1) : frameLength) - 2)
    }

    /// The places of 1 to 4 raw data blocks in their frame.
    public struct RawDataBlocks: RandomAccessCollection, Sendable {
        /// Its positions have been checked.
        private let header: ADTSHeader

        fileprivate init(header: ADTSHeader) { self.header = header }

        /// 0.
        public var startIndex: Int { 0 }
        /// The number of blocks.
        public var endIndex: Int { header.blockCount }
        /// A block, from 0: its bytes, counted from the frame's first.
        public subscript(index: Int) -> Range<Int> {
            let (start, end) = header.bounds(index)
            return start..<end
        }
    }
}
