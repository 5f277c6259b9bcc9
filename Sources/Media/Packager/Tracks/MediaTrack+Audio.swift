import ByteCoding
import MediaFormats

extension MediaTrack {
    /// Describes an audio track of an MP4 or QuickTime file, by what its codec's configuration says: the fields of the
    /// sample entry are often wrong about channels and rates.
    ///
    /// - Throws: ``Refusal`` for a format that cannot be packaged; `ParseError` for a configuration that cannot be read.
    init(audio entry: SampleEntry, _ track: Track, _ timing: TrackTiming) throws {
        let format: Format
        switch entry.format {
        case "mp4a":
            // MP3 and others hide behind the same name.
            guard try entry.audioSpecificConfig() != nil, let descriptor = try entry.elementaryStreamDescriptor() else {
                throw Refusal.otherFormat(entry.format)
            }
            format = .aac(configuration: descriptor.decoderSpecificInfo)
        case "ac-3": format = .ac3
        case "ec-3": format = .enhancedAC3
        default: throw Refusal.otherFormat(entry.format)
        }
        guard let description = try entry.audioDescription() else { throw Refusal.otherFormat(entry.format) }
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
