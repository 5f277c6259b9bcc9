import ByteCoding
import MediaFormats

/// What has to be known of an audio codec to make samples of its stream.
protocol AudioFraming {
    /// Starts at the beginning of a stream.
    init()

    /// How many times bytes were found that belong to no frame.
    var damage: Int { get }

    /// Takes the next bytes of the stream, and gives the samples that they complete to `body`, each with the whole
    /// frame that it lies in.
    mutating func feed(_ bytes: RawSpan, _ body: (AudioFrame, RawSpan) throws -> Void) throws

    /// Takes the end of the stream.
    mutating func finish(_ body: (AudioFrame, RawSpan) throws -> Void) throws

    /// Describes the stream by one of its frames.
    ///
    /// - Throws: `ParseError` for what cannot be described.
    static func description(of frame: RawSpan) throws(ParseError) -> AudioTrackDescription
}

/// A sample of an audio stream.
struct AudioFrame {
    /// Where the frame begins in the stream.
    var offset: Int
    /// Where the sample lies in the frame.
    var sample: Range<Int>
    /// How long it lasts, in samples of the stream's rate.
    var duration: UInt32
    /// What must not change within a track: rate, channels, profile.
    var identity: UInt64
}

/// An audio track as its frames describe it.
struct AudioTrackDescription {
    var format: MediaTrack.Format
    var sampleEntry: SampleEntry
    var codecs: String
    /// For CHANNELS of EXT-X-MEDIA.
    var channels: String
    /// Samples per second: the timescale of the track.
    var rate: Int

    /// The track.
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

    mutating func feed(_ bytes: RawSpan, _ body: (AudioFrame, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { try Self.take($0, $1, body) }
    }

    mutating func finish(_ body: (AudioFrame, RawSpan) throws -> Void) throws {
        try splitter.finish { try Self.take($0, $1, body) }
    }

    private static func take(
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

/// AC-3 and E-AC-3 (ATSC A/52; ETSI TS 102 366). A sample is a syncframe, of E-AC-3 the syncframes of 6 blocks.
struct AC3AudioFraming: AudioFraming {
    private var splitter = AC3Splitter()

    var damage: Int { splitter.damage }

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
