import ByteCoding
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption

/// Tries the keys of a presentation on the segments of one rendition.
struct RenditionDecryption: Sendable {
    /// The maximum number of segments of a rendition that the external decoder checks.
    private static let decodedCount = 24

    let validator: StreamValidator
    let source: any ValidationKeySource
    let keys: [MeasuredKey]

    /// A run of segments with the same keys.
    private struct Period {
        var range: Range<Int>
        var id: MeasuredKey.ID?
    }

    /// The number of segments without any key that opens them, after which only the keys of neighbors are tried.
    private static let futileCount = 3

    func key(_ id: MeasuredKey.ID?) -> MeasuredKey? { id.flatMap { id in keys.first { $0.id == id } } }

    func measured(_ rendition: MeasuredRendition) async -> MeasuredRendition {
        var rendition = rendition
        guard let resolved = try? rendition.playlist.resolvedSegments() else { return rendition }
        let periods = periods(of: rendition)
        let decoded = decodedIndices(rendition, periods)
        var initialization = SegmentInitialization()
        var futile: [MeasuredKey.ID: Int] = [:]
        var period = 0
        for index in rendition.segments.indices {
            guard !Task.isCancelled, Self.isLoaded(rendition.segments[index]),
                let tag = PresentationKeys.tag(of: rendition.segments[index].keys, source),
                let segment = resolved.segment(at: index)
            else { continue }
            while periods[period].range.upperBound <= index { period += 1 }
            guard await initialization.load(segment, rendition, self),
                let bytes = await load(segment.segment.uri, segment.byteRange, .segment, rendition.name)
            else { continue }
            let place = SegmentPlace(
                tag: tag,
                index: index,
                range: periods[period].range,
                before: period > 0 ? key(periods[period - 1].id) : nil,
                after: period + 1 < periods.count ? key(periods[period + 1].id) : nil,
                mayDecode: decoded.contains(index),
                triesAllKeys: periods[period].id.map { futile[$0, default: 0] < Self.futileCount } ?? true
            )
            if let method = WholeSegmentCheck.Method(tag) {
                open(bytes, method, place, initialization.probe, in: &rendition)
            } else {
                rendition.segments[index].decryptions = await decryptions(bytes, place, initialization, rendition)
            }
            for found in rendition.segments[index].decryptions
            where found.verdict == .wrongKey && found.opensWith == nil { futile[found.key, default: 0] += 1 }
        }
        return rendition
    }

    /// Where a segment is, and which keys its neighbors have.
    struct SegmentPlace {
        let tag: KeyTag
        let index: Int
        let range: Range<Int>
        let before: MeasuredKey?
        let after: MeasuredKey?
        let mayDecode: Bool
        let triesAllKeys: Bool
    }

    private static func isLoaded(_ segment: MeasuredSegment) -> Bool {
        switch segment.outcome {
        case .measured, .sealed: true
        case .skipped, .missing, .unreadable, .undecryptable: false
        }
    }

    private func periods(of rendition: MeasuredRendition) -> [Period] {
        var periods: [Period] = []
        for (index, segment) in rendition.segments.enumerated() {
            let keyID = segment.measurement?.tracks.flatMap(\.keyIDs).first
            let id = PresentationKeys.tag(of: segment.keys, source).map {
                MeasuredKey.ID($0, playlist: rendition.name, keyID: keyID)
            }
            if let last = periods.last, last.id == id {
                periods[periods.count - 1].range = last.range.lowerBound..<index + 1
            } else {
                periods.append(Period(range: index..<index + 1, id: id))
            }
        }
        return periods
    }

    /// Returns the segments that the external decoder checks: the first and the last of each period, and others at equal
    /// distances.
    private func decodedIndices(_ rendition: MeasuredRendition, _ periods: [Period]) -> Set<Int> {
        let loaded = rendition.segments.indices.filter { Self.isLoaded(rendition.segments[$0]) }
        guard loaded.count > Self.decodedCount else { return Set(loaded) }
        var chosen: Set<Int> = []
        for period in periods where period.id != nil && chosen.count < Self.decodedCount {
            let own = loaded.lazy.filter { period.range ~= $0 }
            for index in [own.first, own.last].compactMap(\.self) { chosen.insert(index) }
        }
        let step = max(1, loaded.count / max(1, Self.decodedCount - chosen.count))
        for position in stride(from: 0, to: loaded.count, by: step) where chosen.count < Self.decodedCount {
            chosen.insert(loaded[position])
        }
        return chosen
    }

    func load(
        _ uri: String,
        _ range: Range<UInt64>?,
        _ purpose: StreamResourceRequest.Purpose,
        _ playlist: String
    ) async -> [UInt8]? {
        let url = URIReference.resolve(uri, against: playlist)
        let limit = validator.settings.segmentLimit
        let request = StreamResourceRequest(url: url, byteRange: range, purpose: purpose, maximumSize: limit)
        return try? await validator.resources.load(request).bytes
    }

    // MARK: Samples

    private func decryptions(
        _ bytes: [UInt8],
        _ place: SegmentPlace,
        _ initialization: SegmentInitialization,
        _ rendition: MeasuredRendition
    ) async -> [MeasuredDecryption] {
        let span = bytes.span.bytes
        let excerpts: [EncryptedExcerpt]
        switch MediaFileKind(span) {
        case .mp4:
            let movie = (try? MP4Decryptor.movie(of: span)) ?? initialization.movie
            excerpts =
                movie.map {
                    EncryptedExcerpt.excerpts(of: bytes.span.bytes, movie: $0, isTruncated: rendition.isIFrames)
                } ?? []
        case .transportStream:
            excerpts = EncryptedExcerpt.excerpts(ofTransportStream: span, tables: initialization.tables)
        case .packedAudio: excerpts = [EncryptedExcerpt.excerpt(ofPackedAudio: span)].compactMap(\.self)
        case .webVTT, .playlist, .other: excerpts = []
        }
        var result: [MeasuredDecryption] = []
        for excerpt in excerpts where !excerpt.samples.isEmpty {
            if let found = await decryption(excerpt, place, rendition) { result.append(found) }
        }
        return result
    }

    private func decryption(
        _ excerpt: EncryptedExcerpt,
        _ place: SegmentPlace,
        _ rendition: MeasuredRendition
    ) async -> MeasuredDecryption? {
        let id = MeasuredKey.ID(place.tag, playlist: rendition.name, keyID: excerpt.keyID)
        let own = key(id)
        let sequence = rendition.segments[place.index].sequence
        let delivered = Self.delivered(own, place.tag, sequence)
        var judge = ExcerptJudge(excerpt: excerpt, decoder: place.mayDecode ? validator.decoder : nil)
        let judged = await judge.judge(
            key: own?.value,
            delivered: delivered,
            vectors: Self.vectors(own, place.tag, sequence, except: excerpt.mediaIV ?? delivered),
            candidates: candidates(own, place, sequence)
        )
        guard let judged else { return nil }
        var result = MeasuredDecryption(
            track: excerpt.track,
            kind: excerpt.kind,
            key: id,
            verdict: judged.verdict,
            frameCount: judged.frameCount,
            evidence: judged.evidence
        )
        (result.opensWith, result.opensWithIV, result.ends) = (judged.opensWith, judged.opensWithIV, judged.ends)
        if judged.verdict == .opened, excerpt.kind == .audio, let key = own?.value,
            let frames = excerpt.decrypted(key: key, iv: excerpt.mediaIV == nil ? delivered : nil)
        {
            result.loudness = excerpt.loudness(of: frames)
        }
        if let media = excerpt.mediaIV, excerpt.hasConstantIV, let given = own?.license?.iv,
            place.tag.keyFormat == .fairPlay
        {
            result.hasDifferentVectors = media.paddedWithZeros.bytes != given
        }
        return result
    }

    // MARK: Whole segments

    /// Opens a segment that is encrypted as a whole, and measures it.
    private func open(
        _ bytes: [UInt8],
        _ method: WholeSegmentCheck.Method,
        _ place: SegmentPlace,
        _ probe: SegmentProbe,
        in rendition: inout MeasuredRendition
    ) {
        let id = MeasuredKey.ID(place.tag, playlist: rendition.name, keyID: nil)
        let own = key(id)
        let sequence = rendition.segments[place.index].sequence
        let iv = Self.delivered(own, place.tag, sequence)
        let judged = WholeSegmentCheck(segment: bytes, method: method).judge(
            key: own?.value,
            iv: iv,
            vectors: Self.vectors(own, place.tag, sequence, except: iv),
            candidates: candidates(own, place, sequence)
        )
        guard let judged else { return }
        var result = MeasuredDecryption(
            track: 0,
            kind: nil,
            key: id,
            verdict: judged.verdict,
            frameCount: 0,
            evidence: method.evidence
        )
        (result.opensWith, result.opensWithIV) = (judged.opensWith, judged.opensWithIV)
        rendition.segments[place.index].decryptions = [result]
        guard let clear = judged.clear else { return }
        var probe = probe
        do {
            var measurement = try probe.measure(clear.span.bytes)
            // Bit rates are those of the bytes that are transferred.
            measurement.byteCount = bytes.count
            rendition.segments[place.index].outcome = .measured(measurement)
        } catch {
            rendition.segments[place.index].outcome = .unreadable(reason: error.description)
        }
    }
}
