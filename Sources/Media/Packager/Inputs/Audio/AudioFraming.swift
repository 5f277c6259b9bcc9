import ByteCoding
import MediaFormats

/// The codec-specific part of reading an audio stream: splitting it into samples and describing its track.
protocol AudioFraming {
    /// Starts at the beginning of a stream.
    init()

    /// The number of times that bytes outside of frames were found.
    var damage: Int { get }

    /// Returns whether bytes start with a sync word.
    static func startsFrame(_ bytes: [UInt8]) -> Bool

    /// Consumes the next bytes of the stream. Calls `body` with each sample that they complete, and the whole frame
    /// that contains the sample.
    mutating func feed(_ bytes: RawSpan, _ body: (AudioFrame, RawSpan) throws -> Void) throws

    /// Consumes the end of the stream.
    mutating func finish(_ body: (AudioFrame, RawSpan) throws -> Void) throws

    /// Describes the stream from one of its frames.
    ///
    /// - Throws: `ParseError` if the frame cannot be described.
    static func description(of frame: RawSpan) throws(ParseError) -> AudioTrackDescription
}

/// A sample of an audio stream.
struct AudioFrame {
    /// The offset of the frame in the stream.
    var offset: Int
    /// The byte range of the sample in the frame.
    var sample: Range<Int>
    /// The duration, in samples at the stream's rate.
    var duration: UInt32
    /// The parameters that must not change within a track (sample rate, channels, profile), combined into a number.
    var identity: UInt64
}

/// The description of an audio track, derived from its frames.
struct AudioTrackDescription {
    var format: MediaTrack.Format
    var sampleEntry: SampleEntry
    var codecs: String
    /// The CHANNELS attribute of EXT-X-MEDIA.
    var channels: String
    /// The sample rate in hertz, which is also the timescale of the track.
    var rate: Int

    /// Creates the track.
    func track(timing: TrackTiming, language: String = "und") -> MediaTrack {
        MediaTrack(
            format: format,
            sampleEntry: sampleEntry,
            timescale: UInt32(rate),
            timing: timing,
            language: language,
            codecs: codecs,
            channels: channels,
            sampleRate: rate
        )
    }
}

/// AAC in ADTS frames (ISO/IEC 14496-3, 1.A.2). A sample is a raw data block.
struct ADTSAudioFraming: AudioFraming {
    private var splitter = ADTSSplitter()

    var damage: Int { splitter.damage }

    static func startsFrame(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0
    }

    mutating func feed(_ bytes: RawSpan, _ body: (AudioFrame, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { try Self.emitSamples($0, $1, body) }
    }

    mutating func finish(_ body: (AudioFrame, RawSpan) throws -> Void) throws {
        try splitter.finish { try Self.emitSamples($0, $1, body) }
    }

    private static func emitSamples(
        _ frame: ADTSSplitter.Frame,
        _ bytes: RawSpan,
        _ body: (AudioFrame, RawSpan) throws -> Void
    ) throws {
        let header = frame.header
        let blocks = try header.rawDataBlocks(base: frame.offset)
        for block in blocks {
            let sample = AudioFrame(
                offset: frame.offset,
                sample: block,
                duration: UInt32(header.sampleCount / blocks.count),
                identity: UInt64(header.objectType.rawValue) << 16 | UInt64(header.frequencyIndex) << 8
                    | UInt64(header.channelConfiguration)
            )
            try body(sample, bytes)
        }
    }

    static func description(of frame: RawSpan) throws(ParseError) -> AudioTrackDescription {
        let config = try ADTSHeader(frame).audioSpecificConfig(frame)
        return AudioTrackDescription(
            format: .aac(configuration: config.bytes),
            sampleEntry: .mp4a(config),
            codecs: config.codecs,
            channels: "\(config.outputChannelCount ?? 2)",
            rate: Int(config.samplingFrequency.hertz)
        )
    }
}

/// AC-3 and E-AC-3 (ATSC A/52; ETSI TS 102 366). A sample is a syncframe; for E-AC-3, the syncframes of 6 audio blocks.
struct AC3AudioFraming: AudioFraming {
    private var splitter = AC3Splitter()

    var damage: Int { splitter.damage }

    static func startsFrame(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x0B, 0x77]) }

    mutating func feed(_ bytes: RawSpan, _ body: (AudioFrame, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { try body(Self.frame($0, $1.byteCount), $1) }
    }

    mutating func finish(_ body: (AudioFrame, RawSpan) throws -> Void) throws {
        try splitter.finish { try body(Self.frame($0, $1.byteCount), $1) }
    }

    private static func frame(_ unit: AC3Splitter.AccessUnit, _ size: Int) -> AudioFrame {
        let header = unit.header
        return AudioFrame(
            offset: unit.offset,
            sample: 0..<size,
            duration: UInt32(unit.sampleCount),
            identity: UInt64(header.sampleRate) << 16 | (header.isEnhanced ? 1 << 8 : 0)
                | (header.hasLowFrequency ? 1 << 4 : 0) | UInt64(header.codingMode)
        )
    }

    static func description(of frame: RawSpan) throws(ParseError) -> AudioTrackDescription {
        let header = try AC3Syncframe(frame)
        guard header.isEnhanced else {
            let configuration = try AC3ConfigurationBox(header)
            return AudioTrackDescription(
                format: .ac3,
                sampleEntry: .ac3(configuration),
                codecs: configuration.codecs,
                channels: "\(configuration.channelCount)",
                rate: Int(header.sampleRate)
            )
        }
        let configuration = try EnhancedAC3ConfigurationBox(accessUnit: frame)
        return AudioTrackDescription(
            format: .enhancedAC3,
            sampleEntry: .ec3(configuration, sampleRate: header.sampleRate),
            codecs: configuration.codecs,
            channels: configuration.channelsAttribute,
            rate: Int(header.sampleRate)
        )
    }
}
