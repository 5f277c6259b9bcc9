import HLSPlaylist
import MediaFormats

extension StreamValidator {
    /// Measures the loudness of the audio in each rendition, one after the other, if there is a meter. The segments are loaded
    /// once more, because all of the audio is decoded.
    func measureLoudness(_ presentation: inout MeasuredPresentation) async {
        guard let loudnessMeter else { return }
        let decryption = RenditionDecryption(
            validator: self,
            source: keySource ?? NoKeys(),
            keys: presentation.keys
        )
        for index in presentation.renditions.indices {
            guard !Task.isCancelled else { return }
            let rendition = presentation.renditions[index]
            presentation.renditions[index].loudness = await Self.loudness(of: rendition, loudnessMeter, decryption)
        }
    }

    /// Returns the loudness of a rendition; nil if it has no audio.
    private static func loudness(
        of rendition: MeasuredRendition,
        _ meter: any LoudnessMeter,
        _ decryption: RenditionDecryption
    ) async -> MeasuredLoudness? {
        guard !rendition.isIFrames else { return nil }
        guard let format = rendition.declaredLoudness?.format else {
            let isSealed = rendition.segments.contains { if case .sealed = $0.outcome { true } else { false } }
            return isSealed ? MeasuredLoudness(outcome: .needsKey, isWhole: false) : nil
        }
        guard let stream = LoudnessStreamFormat(format) else {
            return MeasuredLoudness(outcome: .notDecoded, isWhole: false)
        }
        let reader = AudioStreamReader(rendition, decryption)
        let result = await meter.measure(stream) { await reader.next() }
        let isWhole = await reader.isWhole && !rendition.isLive
        if await reader.lacksKey, await !reader.hasParts { return MeasuredLoudness(outcome: .needsKey, isWhole: false) }
        return MeasuredLoudness(outcome: result.map { .measured($0) } ?? .notDecoded, isWhole: isWhole)
    }
}

extension LoudnessStreamFormat {
    /// Creates the format of a rendition; nil if it has none.
    init?(_ format: TrackFormat) {
        switch (format.container, format.sampleEntry) {
        case (.mp4, _): self = .mp4
        case (.transportStream, _): self = .transportStream
        case (.packedAudio, "ac-3"): self = .ac3
        case (.packedAudio, "ec-3"): self = .eac3
        case (.packedAudio, _): self = .aac
        case (.webVTT, _): return nil
        }
    }
}

/// A source without keys, for presentations that are validated without one.
private struct NoKeys: ValidationKeySource {
    let deviceClasses: [String] = []
    let requestsPersistentKeys = false

    func supports(_: KeyTag) -> Bool { false }

    func license(for _: ValidationKeyRequest) async -> ValidationLicense {
        ValidationLicense(failure: "there is no source of keys")
    }
}
