import ByteCoding
import MediaFormats

extension MediaTrack {
    init(audio entry: SampleEntry, _ track: Track, _ timing: TrackTiming) throws {
        guard case .audio(let fields) = entry.fields else { throw Refusal.otherFormat(entry.format) }
        let format: Format
        let codecs: String
        switch entry.format {
        case "mp4a":
            guard let box = entry.boxes.first("esds") else { throw Refusal.otherFormat(entry.format) }
            var reader = ByteReader(box.content.span.bytes)
            let descriptor = try ElementaryStreamDescriptorBox(reading: &reader)
            guard [0x40, 0x66, 0x67, 0x68].contains(descriptor.objectType) else {
                throw Refusal.otherFormat(entry.format)
            }
            format = .aac(configuration: descriptor.decoderSpecificInfo)
            codecs = "mp4a.40.\((descriptor.decoderSpecificInfo.first ?? 0) >> 3)"
        case "ac-3":
            format = .ac3
            codecs = "ac-3"
        case "ec-3":
            format = .enhancedAC3
            codecs = "ec-3"
        default: throw Refusal.otherFormat(entry.format)
        }
        self.init(
            format: format,
            sampleEntry: entry,
            timescale: track.timescale,
            timing: timing,
            language: track.language,
            codecs: codecs,
            channels: "\(fields.channelCount)",
            sampleRate: Int(fields.sampleRate)
        )
    }
}
