import HLSPlaylist
import MediaFormats

extension RenditionPlaylist {
    /// Returns the segments, with EXT-X-KEY and EXT-X-MAP tags where the values change.
    ///
    ///     protected            KEY ... MAP     KEY once per key system; players read the keys before the init segment
    ///     AES-128              MAP KEY ...     the init segment is not encrypted: the key must not apply to it
    ///     clear lead           MAP (clear), later KEY ... MAP
    ///     clear again          KEY:METHOD=NONE MAP (clear)
    ///     another key period   KEY ... MAP     all keys of the period, and an init segment with its key ID
    func mediaSegments() -> [MediaSegment] {
        var keys: [KeyTag] = []
        var map: Rendition.Resource?
        var bitRate: UInt64?
        let open = lowLatency?.open.map { [$0] } ?? []
        let firstWithParts = firstIndexWithParts
        return (segments + open).enumerated().map { index, segment in
            var segment = segment
            // A gap needs neither keys nor an init segment; those of the segment before it remain in effect.
            if segment.isGap, segment.initialization == nil { (segment.keys, segment.initialization) = (keys, map) }
            var keyTags: [SegmentTag] = []
            if segment.keys != keys { keyTags = segment.keys.isEmpty ? [.key(.none)] : segment.keys.map { .key($0) } }
            var mapTags: [SegmentTag] = []
            if let initialization = segment.initialization, initialization != map {
                mapTags = [
                    .map(MapTag(uri: initialization.uri, byteRange: initialization.byteRange.map { ByteRange($0) }))
                ]
            }
            (keys, map) = (segment.keys, segment.initialization)
            var tags = hasClearMap ? mapTags + keyTags : keyTags + mapTags
            tags += segment.dateRanges.map { .dateRange($0) }
            if let lowLatency, index >= firstWithParts { tags += partTags(segment, lowLatency) }
            // The bit rate is not known before the parts are listed; lines are only added at the end (RFC 8216bis, 6.2.1).
            if hasBitRates, let rate = segment.listedBitRate, rate != bitRate {
                tags.append(.bitrate(rate))
                bitRate = rate
            }
            return MediaSegment(
                uri: segment.resource.uri,
                duration: segment.duration.seconds,
                byteRange: segment.resource.byteRange.map { ByteRange($0) },
                programDateTime: segment.date,
                isDiscontinuity: segment.isDiscontinuity,
                isGap: segment.isGap,
                tags: tags
            )
        }
    }
}

// MARK: - Low latency
extension RenditionPlaylist {
    /// The distance from the end of the playlist, in Target Durations, at which parts are no longer listed (RFC 8216bis,
    /// 4.4.4.9).
    private static let partDistance = 3.0

    /// Adds the tags of Low-Latency HLS, and moves the open segment from the segments to the end.
    func addLowLatency(_ playlist: inout MediaPlaylist) {
        playlist.serverControl = serverControl
        guard let lowLatency else { return }
        playlist.partInf = PartInfTag(partTarget: lowLatency.partTarget)
        if lowLatency.open != nil, let last = playlist.segments.popLast() {
            playlist.upcoming = UpcomingSegment(
                programDateTime: last.programDateTime,
                isDiscontinuity: last.isDiscontinuity,
                tags: last.tags
            )
        }
        guard !isEnded else { return }
        let end = lowLatency.open?.parts.last?.byteRange.upperBound
        if let uri = lowLatency.open?.resource.uri ?? lowLatency.nextURI {
            playlist.preloadHints.append(
                PreloadHintTag(kind: .part, uri: uri, byteRangeStart: UInt64(end ?? 0))
            )
        }
        if let map = lowLatency.nextMap { playlist.preloadHints.append(PreloadHintTag(kind: .map, uri: map)) }
        playlist.renditionReports = lowLatency.reports
    }

    /// The index of the first segment whose parts are listed.
    private var firstIndexWithParts: Int {
        var distance = lowLatency?.open?.parts.reduce(0) { $0 + $1.duration.seconds } ?? 0
        for index in segments.indices.reversed() {
            guard distance < Self.partDistance * Double(targetDuration) else { return index + 1 }
            distance += segments[index].duration.seconds
        }
        return 0
    }

    private func partTags(_ segment: Rendition.Segment, _ lowLatency: LowLatency) -> [SegmentTag] {
        segment.parts.map { part in
            let duration = (part.duration.seconds * 1e6).rounded() / 1e6
            return .part(
                PartTag(
                    uri: segment.resource.uri,
                    // A frame that is shown for longer than the Part Target Duration is in a part of its own.
                    duration: min(duration, lowLatency.partTarget),
                    isIndependent: part.isIndependent,
                    byteRange: ByteRange(part.byteRange)
                )
            )
        }
    }
}

extension ByteRange {
    init(_ range: Range<Int>) {
        self.init(length: UInt64(range.count), offset: UInt64(range.lowerBound))
    }
}
