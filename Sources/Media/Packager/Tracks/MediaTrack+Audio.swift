import ByteCoding
import MediaFormats

extension MediaTrack {
    /// True if decoding of audio can start only at some frames, as in xHE-AAC: its immediate playout frames are sync
    /// samples (HLS authoring specification for Apple devices, 7.8).
    var hasSyncFrames: Bool {
        guard case .aac(let configuration) = format else { return false }
        return (try? AudioSpecificConfig(configuration.span.bytes))?.objectType == .usac
    }

    /// Creates an audio track from a track of an MP4 or QuickTime file and its codec configuration. The channels and
    /// sample rate in the sample entry are often wrong, so they are not used.
    ///
    /// - Throws: ``UnsupportedReason`` for a format that cannot be packaged; `ParseError` for an invalid configuration.
    init(audio entry: SampleEntry, _ track: Track, _ timing: TrackTiming) throws {
        let format: Format
        switch entry.format {
        case "mp4a":
            // MP3 and other formats use the same sample entry.
            guard try entry.audioSpecificConfig() != nil, let descriptor = try entry.elementaryStreamDescriptor() else {
                throw UnsupportedReason.format(SampleFormatName.name(of: entry))
            }
            format = .aac(configuration: descriptor.decoderSpecificInfo)
        case "ac-3": format = .ac3
        case "ec-3": format = .enhancedAC3
        default: throw UnsupportedReason.format(SampleFormatName.name(of: entry))
        }
        guard let description = try entry.audioDescription() else {
            throw UnsupportedReason.format(SampleFormatName.name(of: entry))
        }
        self.init(
            format: format,
            sampleEntry: entry,
            timescale: track.timescale,
            timing: timing,
            language: track.language,
            codecs: description.codecs,
            channels: description.channels,
            sampleRate: Int(description.sampleRate)
        )
    }
}
