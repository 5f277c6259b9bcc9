public import ByteCoding

/// A `dec3` box: the configuration of an E-AC-3 track (ETSI TS 102 366, F.6).
///
///     data_rate       13 bits   kbit/s, total of all substreams
///     num_ind_sub     3 bits    minus 1
///     fscod           2 bits    ┐
///     bsid            5 bits    │
///     reserved        1 bit     │
///     asvc            1 bit     │
///     bsmod           3 bits    │ each independent substream
///     acmod           3 bits    │
///     lfeon           1 bit     │
///     reserved        3 bits    │
///     num_dep_sub     4 bits    │
///     chan_loc        9 bits    ┘ if num_dep_sub is not 0; otherwise 1 reserved bit
///     extension                 for object audio (ETSI TS 103 420, C.3): reserved 7 bits,
///                               flag_ec3_extension_type_a 1 bit, complexity_index_type_a 8 bits
///
/// Reserved bits are 0. Bytes after the substreams are preserved.
public struct EnhancedAC3ConfigurationBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "dec3"

    /// An independent substream with its dependent substreams.
    public struct Substream: Hashable, Sendable {
        /// The `fscod`: 0 is 48 kHz, 1 is 44.1 kHz, 2 is 32 kHz, 3 is half of one of these.
        public var frequencyCode: UInt8
        /// The `bsid`: the version of the format.
        public var bitStreamID: UInt8
        /// True if the substream is an associated service, which is mixed with another.
        public var isAssociated = false
        /// The `bsmod`: the type of service; 0 is a complete main service.
        public var bitStreamMode: UInt8
        /// The `acmod`: the full-bandwidth channels.
        public var codingMode: UInt8
        /// True if there is a low-frequency effects (LFE) channel.
        public var hasLowFrequency: Bool
        /// The number of its dependent substreams.
        public var dependentCount: UInt8 = 0
        /// The channels of the dependent substreams, 9 bits, starting with the lowest: Lc and Rc, Lrs and Rrs, Cs, Ts,
        /// Lsd and Rsd, Lw and Rw, Lvh and Rvh, Cvh, a second LFE channel.
        public var channelLocations: UInt16 = 0

        init(_ syncframe: AC3Syncframe, bitStreamMode: UInt8) {
            frequencyCode = syncframe.frequencyCode
            bitStreamID = syncframe.bitStreamID
            self.bitStreamMode = bitStreamMode
            codingMode = syncframe.codingMode
            hasLowFrequency = syncframe.hasLowFrequency
        }

        /// The number of channels of the substream and its dependent substreams, including LFE channels.
        public var channelCount: Int {
            let pairs = channelLocations & 0b0_0111_0011
            let others = channelLocations & 0b1_1000_1100
            return AC3Syncframe.channels[Int(codingMode & 7)] + (hasLowFrequency ? 1 : 0)
                + pairs.nonzeroBitCount * 2 + others.nonzeroBitCount
        }

        /// Adds the loudspeakers of a dependent substream: bits 5 to 12 and 14 of `chanmap`, counted from the highest.
        mutating func add(channelMap: UInt16) {
            for location in 0..<8 where channelMap >> UInt16(10 - location) & 1 == 1 {
                channelLocations |= 1 << UInt16(location)
            }
            channelLocations |= (channelMap >> 1 & 1) << 8
        }
    }

    /// The total bit rate of all substreams in kbit/s, 13 bits.
    public var dataRate: UInt16
    /// The independent substreams, 1 to 8. Players decode the first one.
    public var substreams: [Substream]
    /// The bytes after the substreams.
    private var rest: [UInt8] = []

    /// Creates the box of a stream from an access unit.
    ///
    /// - Parameters:
    ///   - accessUnit: all syncframes of the access unit, as ``AC3Splitter`` returns them.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError`; `invalid-value` if the first syncframe is not of independent substream 0, or there are more
    ///   than 8 independent substreams.
    public init(accessUnit: RawSpan, base: Int = 0) throws(ParseError) {
        substreams = []
        dataRate = 0
        var syncframes = AC3Syncframes(base: base)
        var samples = 0
        var rate: UInt32 = 0
        var rounds = 0
        while let range = try syncframes.next(accessUnit) {
            guard let header = syncframes.header else { break }
            let bytes = accessUnit.extracting(range)
            guard header.beginsAccessUnit || rounds > 0 else { break }
            if header.beginsAccessUnit {
                samples += header.sampleCount
                rounds += 1
                rate = header.sampleRate
            }
            // Further syncframes of substream 0 repeat the information of the first one.
            guard rounds < 2 else { continue }
            let information = header.isEnhanced ? try EnhancedAC3Information(bytes, base: base + range.lowerBound) : nil
            if header.streamType != .dependent {
                let mode = information?.bitStreamMode ?? header.bitStreamMode
                substreams.append(Substream(header, bitStreamMode: mode))
                if let count = information?.objectCount { objectCount = count }
            } else if let last = substreams.indices.last {
                substreams[last].dependentCount += 1
                if let map = information?.channelMap { substreams[last].add(channelMap: map) }
                if let count = information?.objectCount { objectCount = count }
            }
        }
        guard !substreams.isEmpty, samples > 0, substreams.count <= 8 else {
            throw ParseError(
                .invalidValue,
                reading: "E-AC-3 access unit",
                offset: base,
                reason: "the access unit must begin with independent substream 0 and contain at most 8 substreams"
            )
        }
        let bits = accessUnit.byteCount * 8 * Int(rate)
        dataRate = UInt16(min(8191, (bits + samples * 500) / (samples * 1000)))
    }

    /// The number of objects for a decoder of joint object coding (Dolby Atmos), `complexity_index_type_a`; nil if
    /// there are none.
    public var objectCount: UInt8? {
        get { rest.count >= 2 && rest[0] & 1 == 1 ? rest[1] : nil }
        set { rest = newValue.map { [1, $0] } ?? [] }
    }

    /// The number of channels of the first program, without objects and including LFE channels.
    public var channelCount: Int { substreams.first?.channelCount ?? 0 }
    /// The sample rate in hertz; 0 for half rates, which the box does not specify.
    public var sampleRate: UInt32 { substreams.first.map { AC3Syncframe.sampleRate($0.frequencyCode) } ?? 0 }
    /// The codec string for a CODECS attribute (RFC 6381).
    public var codecs: String { "ec-3" }
    /// The CHANNELS attribute of HLS (RFC 8216bis, 4.4.6.1), for example `6`, or `16/JOC` with objects.
    public var channelsAttribute: String { objectCount.map { "\($0)/JOC" } ?? "\(channelCount)" }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let first = try reader.readUInt16("data rate of E-AC-3")
        dataRate = first >> 3
        substreams = []
        for _ in 0...(first & 7) {
            let bits =
                UInt32(try reader.readUInt16("E-AC-3 substream")) << 8
                | UInt32(try reader.readUInt8("dependent substreams"))
            var substream = Substream(bits)
            if substream.dependentCount > 0 {
                substream.channelLocations = UInt16(bits & 1) << 8 | UInt16(try reader.readUInt8("channel locations"))
            }
            substreams.append(substream)
        }
        rest = try reader.readRest("extension of E-AC-3")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        var bits = BitWriter()
        bits.write(dataRate, bits: 13)
        bits.write(max(1, min(8, substreams.count)) - 1, bits: 3)
        for substream in substreams.prefix(8) { substream.write(to: &bits) }
        writer.box(Self.type) { writer in
            writer.write(bits.bytes)
            writer.write(rest)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("data_rate", dataRate), BoxField("num_ind_sub", substreams.count),
            BoxField("num_dep_sub", list: substreams.map(\.dependentCount)), BoxField("channels", channelsAttribute),
        ]
    }
}

extension EnhancedAC3ConfigurationBox.Substream {
    /// Creates a substream from its first 24 bits.
    fileprivate init(_ bits: UInt32) {
        frequencyCode = UInt8(bits >> 22)
        bitStreamID = UInt8(bits >> 17 & 31)
        isAssociated = bits >> 15 & 1 == 1
        bitStreamMode = UInt8(bits >> 12 & 7)
        codingMode = UInt8(bits >> 9 & 7)
        hasLowFrequency = bits >> 8 & 1 == 1
        dependentCount = UInt8(bits >> 1 & 15)
    }

    /// Writes the substream, 3 or 4 bytes.
    fileprivate func write(to bits: inout BitWriter) {
        bits.write(frequencyCode, bits: 2)
        bits.write(bitStreamID, bits: 5)
        bits.write(false)
        bits.write(isAssociated)
        bits.write(bitStreamMode, bits: 3)
        bits.write(codingMode, bits: 3)
        bits.write(hasLowFrequency)
        bits.write(0, bits: 3)
        bits.write(dependentCount, bits: 4)
        if dependentCount > 0 {
            bits.write(channelLocations, bits: 9)
        } else {
            bits.write(false)
        }
    }
}
