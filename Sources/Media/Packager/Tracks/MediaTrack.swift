package import MediaFormats

/// What the pipeline knows of a track, whatever it came from.
///
/// Inside the pipeline samples have the form that they have in MP4 files: NAL units behind lengths of 4 bytes or what
/// the configuration says, AAC access units without ADTS headers, AC-3 syncframes, E-AC-3 syncframes of six blocks
/// together. So every input works with every output.
package struct MediaTrack: Sendable {
    /// What kind of media it is.
    package enum Kind: String, Sendable, CaseIterable {
        case video
        case audio
        case subtitles
    }

    /// How it is coded, with what a decoder has to know first.
    package enum Format: Hashable, Sendable {
        case h264(AVCConfigurationBox)
        case hevc(HEVCConfigurationBox)
        /// The bytes of the AudioSpecificConfig.
        case aac(configuration: [UInt8])
        case ac3
        case enhancedAC3
        /// Subtitles: a sample is a cue.
        case webVTT
    }

    /// Width and height on display as `tkhd` has them: 16.16 each.
    package struct DisplaySize: Hashable, Sendable {
        package var width: UInt32
        package var height: UInt32

        /// Nothing to see.
        package static let none = DisplaySize(width: 0, height: 0)

        /// Describes a size.
        package init(width: UInt32, height: UInt32) {
            self.width = width
            self.height = height
        }
    }

    /// How it is coded.
    package var format: Format
    /// What stands in `stsd`; not there for WebVTT. Boxes of the input (`colr`, `mdcv`, `clli`, `dvcC` ...) are kept.
    package var sampleEntry: SampleEntry?
    /// Units per second of its samples' times.
    package var timescale: UInt32
    /// What its edit list means: how sample times become times of the presentation.
    package var timing: TrackTiming
    /// The language, a BCP 47 tag or a code of ISO 639-2/T; `und` when it is not known.
    package var language: String
    /// The width on display in pixels; 0 unless it is video.
    package var width: Int
    /// The height on display in pixels; 0 unless it is video.
    package var height: Int
    /// The display size as `tkhd` has it, 16.16 each: the pixel aspect ratio taken into account.
    package var displaySize: DisplaySize
    /// How long the input says the track is, in its timescale; nil: not known, as on a pipe.
    package var duration: UInt64?
    /// The RFC 6381 name for CODECS.
    package var codecs: String
    /// For CHANNELS of EXT-X-MEDIA, such as `2`, `6` or `16/JOC`; nil unless it is audio.
    package var channels: String?
    /// Samples per second of audio; 0 otherwise.
    package var sampleRate: Int
    /// SDR, HLG or PQ for video, from its color description; nil otherwise.
    package var videoRange: DynamicRange?

    /// What kind of media it is.
    package var kind: Kind {
        switch format {
        case .h264, .hevc: .video
        case .aac, .ac3, .enhancedAC3: .audio
        case .webVTT: .subtitles
        }
    }

    /// Describes a track; parameters as the properties.
    package init(
        format: Format,
        sampleEntry: SampleEntry?,
        timescale: UInt32,
        timing: TrackTiming,
        language: String = "und",
        width: Int = 0,
        height: Int = 0,
        displaySize: DisplaySize = .none,
        duration: UInt64? = nil,
        codecs: String,
        channels: String? = nil,
        sampleRate: Int = 0,
        videoRange: DynamicRange? = nil
    ) {
        self.format = format
        self.sampleEntry = sampleEntry
        self.timescale = timescale
        self.timing = timing
        self.language = language
        self.width = width
        self.height = height
        self.displaySize = displaySize
        self.duration = duration
        self.codecs = codecs
        self.channels = channels
        self.sampleRate = sampleRate
        self.videoRange = videoRange
    }
}
