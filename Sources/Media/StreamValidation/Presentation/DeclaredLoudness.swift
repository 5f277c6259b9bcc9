public import MediaFormats

/// The loudness that a rendition declares in its container and in its audio frames.
public struct DeclaredLoudness: Hashable, Sendable {
    /// A declared value.
    public struct Value: Hashable, Sendable {
        /// The field that contains a value.
        public enum Source: String, Hashable, Sendable {
            /// Method 1 of the `tlou` box: program loudness.
            case box = "ludt"
            /// The dialog normalization of AC-3 and E-AC-3.
            case dialogNormalization = "dialnorm"
            /// The program reference level of AAC.
            case programReferenceLevel = "prog_ref_level"
        }

        /// The source.
        public var source: Source
        /// The loudness in LKFS: for `dialnorm` and `prog_ref_level` the level in dBFS.
        public var loudness: Double
    }

    /// The format of the audio.
    public let format: TrackFormat
    /// The `ludt` box; nil without one.
    public let box: LoudnessBox?
    /// The metadata in the audio frames.
    public let stream: StreamLoudness

    /// The values that can be compared with the sound, the most precise first.
    public var values: [Value] {
        var values: [Value] = []
        let program = box?.entry?.measurements.first { $0.method == 1 && (1...3).contains($0.system) }
        if let loudness = program?.loudness { values.append(.init(source: .box, loudness: loudness)) }
        if let level = stream.dialogNormalization {
            values.append(.init(source: .dialogNormalization, loudness: -Double(level)))
        }
        if let level = stream.programReferenceLevel {
            values.append(.init(source: .programReferenceLevel, loudness: -Double(level) / 4))
        }
        return values
    }

    /// The declared true peak in dBTP; nil if none is declared.
    public var truePeak: Double? { box?.entry?.truePeakLevel }
}

extension MeasuredRendition {
    /// The loudness that the audio declares; nil if no audio was measured.
    ///
    /// If the format changes, it is that of the first audio track.
    public var declaredLoudness: DeclaredLoudness? {
        guard !isIFrames else { return nil }
        var format: TrackFormat?
        var stream = StreamLoudness()
        for (segment, measurement) in measured {
            guard let track = measurement.tracks.first(where: { $0.format.kind == .audio }) else { continue }
            format = format ?? track.format
            guard track.format.codecs == format?.codecs else { continue }
            stream.add(track.loudness)
            for decryption in segment.decryptions where decryption.track == track.id { stream.add(decryption.loudness) }
        }
        return format.map { DeclaredLoudness(format: $0, box: $0.details.loudness, stream: stream) }
    }
}
