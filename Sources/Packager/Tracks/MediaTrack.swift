package import MediaFormats

/// What the pipeline knows of a track, whatever it came from.
///
/// Inside the pipeline samples have the form that they have in MP4 files: NAL units behind lengths of 4 bytes or what
/// the configuration says, AAC access units without ADTS headers, AC-3 syncframes, E-AC-3 syncframes of six blocks
/// together. So every input works with every output.
package struct MediaTrack: Sendable {
    /// What kind of media it is.
    package enum Kind: String, Sendable {
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
    package var displaySize: (width: UInt32, height: UInt32)
    /// How long the input says the track is, in its timescale; nil: not known, as on a pipe.
    package var duration: UInt64?
    /// The RFC 6381 name for CODECS.
    package var codecs: String
    /// For CHANNELS of EXT-X-MEDIA, such as `2`, `6` or `16/JOC`; nil unless it is audio.
    package var channels: String?
    /// Samples per second of audio; 0 otherwise.
    package var sampleRate: Int
    /// SDR, HLG or PQ for video, from its colour description; nil otherwise.
    package var videoRange: VideoRange?

    /// What kind of media it is.
    package var kind: Kind {
        switch format {
        case .h264, .hevc: .video
        case .aac, .ac3, .enhancedAC3: .audio
        case .webVTT: .subtitles
        }
    }

    /// How light values become numbers (RFC 8216bis, VIDEO-RANGE).
    package enum VideoRange: String, Sendable {
        case sdr = "SDR"
        case hlg = "HLG"
        case pq = "PQ"
    }
}
