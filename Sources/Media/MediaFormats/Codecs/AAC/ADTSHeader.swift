public import ByteCoding

/// The header of an AAC frame in a transport stream or in packed audio: adts_frame() without its raw data blocks
/// (ISO/IEC 14496-3, 1.A.2).
///
///     syncword                             12 bits   0xFFF                              ┐ fixed header
///     ID                                   1 bit     1: MPEG-2                          │
///     layer                                2 bits    0                                  │
///     protection_absent                    1 bit     0: there are checksums             │
///     profile_ObjectType                   2 bits    the audio object type minus 1      │
///     sampling_frequency_index             4 bits    0 to 12                            │
///     private_bit                          1 bit                                        │
///     channel_configuration                3 bits    0: see program_config_element      │
///     original_copy, home                  2 bits                                       ┘
///     copyright_identification             2 bits                                       ┐ variable header
///     aac_frame_length                     13 bits   bytes, including this header       │
///     adts_buffer_fullness                 11 bits   0x7FF: variable bit rate           │
///     number_of_raw_data_blocks_in_frame   2 bits    minus 1                            ┘
///     raw_data_block_position              16 bits   each except the first; with checksums
///     crc_check                            16 bits   with checksums
///
/// With checksums and several raw data blocks, a checksum of 2 bytes follows each block.
public struct ADTSHeader: Hashable, Sendable {
    /// The size in bytes of a header without checksums.
    public static let shortestSize = 7
    /// The maximum size of a frame in bytes: `aac_frame_length` has 13 bits.
    public static let maximumFrameSize = 8191

    /// The fixed and the variable header, 56 bits.
    let bits: UInt64
    /// The positions of raw data blocks and the checksum in the order of the frame: 16 bits each, the checksum lowest.
    private let check: UInt64

    /// True if the header specifies MPEG-2. The audio is the same.
    public var isMPEG2: Bool { bits >> 43 & 1 == 1 }
    /// True if the frame has checksums.
    public var hasChecksum: Bool { bits >> 40 & 1 == 0 }
    /// The audio object type of the core. ADTS does not signal spectral band replication.
    public var objectType: AudioObjectType { AudioObjectType(rawValue: UInt8(bits >> 38 & 3) + 1) }
    /// The index of the core's sample rate in the table, 0 to 12.
    public var frequencyIndex: UInt8 { UInt8(bits >> 34 & 15) }
    /// The channel configuration, 1 to 7. If 0, a program_config_element in the raw data block specifies the channels.
    public var channelConfiguration: UInt8 { UInt8(bits >> 30 & 7) }
    /// The size of the frame in bytes, including the header.
    public var frameLength: Int { Int(bits >> 13 & 0x1FFF) }
    /// The fullness of the encoder's bit reservoir in units of 32 bits per channel; 0x7FF means a variable bit rate.
    public var bufferFullness: UInt16 { UInt16(bits >> 2 & 0x7FF) }
    /// The number of raw data blocks in the frame, 1 to 4. Each is an access unit of 1024 samples.
    public var blockCount: Int { Int(bits & 3) + 1 }

    /// The size in bytes of the header, including the checksum and positions: 7 to 15.
    public var size: Int { hasChecksum ? Self.shortestSize + 2 * blockCount : Self.shortestSize }
    /// The number of samples per channel in the frame, at the core's sample rate.
    public var sampleCount: Int { 1024 * blockCount }
    /// The sample rate of the core in hertz.
    public var sampleRate: UInt32 { SamplingFrequency.table[Int(frequencyIndex)] }
    /// The checksum of the header, or of the header and the only block, if any.
    public var checksum: UInt16? { hasChecksum ? UInt16(truncatingIfNeeded: check) : nil }
    /// The range of the raw data blocks in the frame, including checksums between them.
    public var payload: Range<Int> { size..<frameLength }

    /// Creates a header from its bits. Returns nil if they are not a valid header.
    @inline(__always)
    init?(bits: UInt64, check: UInt64 = 0) {
        self.bits = bits
        self.check = check
        guard bits >> 41 & 0x7FFB == 0x7FF8, bits >> 34 & 15 < 13, frameLength >= size else { return nil }
    }

    /// The bits that must not change within a stream. `private_bit`, `original_copy` and `home` can change.
    static let identity: UInt64 = 0xFFFF_FDC0 << 24

    /// Returns the first 56 bits of at least 7 bytes.
    @inline(__always)
    static func bits(_ bytes: RawSpan) -> UInt64 {
        UInt64(bytes.load(0, as: UInt32.self)) << 24 | UInt64(bytes.load(3, as: UInt32.self) & 0xFF_FFFF)
    }

    /// Reads the header of a frame. The raw data blocks can be missing.
    ///
    /// - Parameter base: the offset of the first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if the bytes are not an ADTS header.
    public init(_ frame: RawSpan, base: Int = 0) throws(ParseError) {
        guard frame.byteCount >= Self.shortestSize else { throw Self.truncated(frame.byteCount, base) }
        guard let header = ADTSHeader(bits: Self.bits(frame)) else {
            throw ParseError(
                .invalidValue,
                reading: "ADTS header",
                offset: base,
                reason: "invalid syncword, layer, sampling frequency index or frame length"
            )
        }
        guard frame.byteCount >= header.size else { throw Self.truncated(frame.byteCount, base) }
        self = header.reading(frame)
    }

    /// Returns the header with its positions and its checksum, which `frame` must contain.
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
        ParseError(.truncated, reading: "ADTS header", offset: base, reason: "the data end after \(count) bytes")
    }

    /// Writes the header, 7 to 15 bytes, as it was read.
    public func write(to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(48), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        guard hasChecksum else { return }
        for shift in stride(from: UInt64(16 * blockCount - 8), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: check >> shift))
        }
    }

    /// Returns the position of raw data block `index` relative to the first block.
    fileprivate func position(_ index: Int) -> Int {
        index == 0 ? 0 : Int(UInt16(truncatingIfNeeded: check >> UInt64(16 * (blockCount - index))))
    }
}

extension ADTSHeader {
    /// Returns the range of each raw data block in its frame, relative to the first byte of the header. A raw data
    /// block is a sample in MP4.
    ///
    /// The boundaries of several blocks are specified only if the frame has checksums. Without checksums only a decoder
    /// can find the end of a block; such a frame can only be copied as a whole, as ``payload`` with ``sampleCount``
    /// samples, from one ADTS stream to another.
    ///
    /// - Parameter base: the offset of the frame's first byte, for errors.
    /// - Throws: `ParseError`; `unsupported-codec-feature` for several blocks without checksums, `invalid-value` if
    ///   positions are inconsistent.
    public func rawDataBlocks(base: Int = 0) throws(ParseError) -> RawDataBlocks {
        guard blockCount > 1 else { return RawDataBlocks(header: self) }
        guard hasChecksum else {
            throw ParseError(
                .unsupportedCodecFeature,
                reading: "raw data blocks of an ADTS frame",
                offset: base,
                reason: "\(blockCount) blocks without checksums have no boundaries; encode one block per frame"
            )
        }
        for index in 0..<blockCount {
            let (start, end) = bounds(index)
            guard start < end, end <= frameLength - 2 else {
                throw ParseError(
                    .invalidValue,
                    reading: "raw data block position",
                    offset: base + Self.shortestSize + 2 * max(0, index - 1),
                    reason: "block \(index) has the invalid range \(start)..<\(end) in a frame of \(frameLength) bytes"
                )
            }
        }
        return RawDataBlocks(header: self)
    }

    /// Returns the start and end of raw data block `index`, as specified by the header.
    fileprivate func bounds(_ index: Int) -> (start: Int, end: Int) {
        guard blockCount > 1 else { return (size, frameLength) }
        // A checksum of 2 bytes follows each block.
        return (size + position(index), (index + 1 < blockCount ? size + position(index + 1) : frameLength) - 2)
    }

    /// The ranges of 1 to 4 raw data blocks in their frame.
    public struct RawDataBlocks: RandomAccessCollection, Sendable {
        /// The header, whose positions have been checked.
        private let header: ADTSHeader

        fileprivate init(header: ADTSHeader) { self.header = header }

        /// The index of the first block, 0.
        public var startIndex: Int { 0 }
        /// The number of blocks.
        public var endIndex: Int { header.blockCount }
        /// The range of a block, relative to the first byte of the frame.
        public subscript(index: Int) -> Range<Int> {
            let (start, end) = header.bounds(index)
            return start..<end
        }
    }
}
