package import MediaFormats

/// A track in the pipeline, independent of its input.
///
/// In the pipeline, samples have the same format as in MP4 files: NAL units after length fields of 4 bytes, or as
/// specified in the configuration; AAC access units without ADTS headers; AC-3 syncframes; E-AC-3 syncframes of six
/// blocks together. So every input works with every output.
package struct MediaTrack: Sendable {
    /// The kind of media.
    package enum Kind: String, Sendable, CaseIterable {
        case video
        case audio
        case subtitles
    }

    /// The codec, with the configuration that a decoder requires.
    package enum Format: Hashable, Sendable {
        case h264(AVCConfigurationBox)
        case hevc(HEVCConfigurationBox)
        /// AAC, with the bytes of the AudioSpecificConfig.
        case aac(configuration: [UInt8])
        case ac3
        case enhancedAC3
        /// Subtitles; a sample is a cue.
        case webVTT
    }

    /// The display width and height in `tkhd`, as 16.16 fixed-point numbers.
    package struct DisplaySize: Hashable, Sendable {
        package var width: UInt32
        package var height: UInt32

        /// The size of a track that is not visible.
        package static let none = DisplaySize(width: 0, height: 0)

        /// Creates a size.
        package init(width: UInt32, height: UInt32) {
            self.width = width
            self.height = height
        }
    }

    /// The codec.
    package var format: Format
    /// The sample entry in `stsd`; nil for WebVTT. Boxes of the input (`colr`, `mdcv`, `clli`, `dvcC` ...) are kept.
    package var sampleEntry: SampleEntry?
    /// The number of units per second in the times of its samples.
    package var timescale: UInt32
    /// The meaning of its edit list: the conversion of sample times to presentation times.
    package var timing: TrackTiming
    /// The language, as a BCP 47 tag or an ISO 639-2/T code; `und` if unknown.
    package var language: String
    /// The display width in pixels; 0 unless the track is video.
    package var width: Int
    /// The display height in pixels; 0 unless the track is video.
    package var height: Int
    /// The display size in `tkhd`, corrected for the pixel aspect ratio, as 16.16 fixed-point numbers.
    package var displaySize: DisplaySize
    /// The transformation matrix of `tkhd` if the picture is rotated or mirrored for display, 36 bytes; otherwise nil.
    /// ``width`` and ``height`` are those of the displayed picture.
    package var matrix: [UInt8]?
    /// The duration specified in the input, in the track's timescale; nil if unknown, as for a pipe.
    package var duration: UInt64?
    /// The RFC 6381 value for the CODECS attribute.
    package var codecs: String
    /// The CHANNELS attribute of EXT-X-MEDIA, such as `2`, `6` or `16/JOC`; nil unless the track is audio.
    package var channels: String?
    /// The sample rate of audio in hertz; 0 for other tracks.
    package var sampleRate: Int
    /// The video range (SDR, HLG or PQ) from the color description; nil unless the track is video.
    package var videoRange: DynamicRange?
    /// The role that the input specifies; nil if it specifies none.
    package var role: TrackRole?
    /// Advice about the signaling of the track, for warnings.
    package var notes: [String] = []

    /// The kind of media.
    package var kind: Kind {
        switch format {
        case .h264, .hevc: .video
        case .aac, .ac3, .enhancedAC3: .audio
        case .webVTT: .subtitles
        }
    }

    /// Creates a track; for the parameters see the properties.
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
