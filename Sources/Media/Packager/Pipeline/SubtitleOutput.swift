import ByteCoding
import HLSPlaylist
import MediaFormats

/// Writes the segments of a subtitle rendition, with the segment boundaries of the leading rendition.
struct SubtitleOutput {
    let planned: PackagingPlan.Rendition
    let input: WebVTTInput
    let manifests: Set<PackagingJob.Manifest>
    /// The media timestamp of the start of each part's timeline, in units of 1/90,000 second.
    let origin: Int64
    /// The media time of the start of the presentation, from which cue times count.
    let start: RationalTime

    /// A segment of the leading rendition, with its times in the presentation: the timeline of the cues.
    private struct Cut {
        let segment: Rendition.Segment
        let start: RationalTime
        let end: RationalTime
    }

    /// Writes all segments.
    ///
    /// - Parameter segments: The segments of the leading rendition.
    func write(along segments: [Rendition.Segment], to folder: PresentationFolder) throws -> Rendition {
        var rendition = Rendition(planned)
        let cuts = cuts(segments)
        rendition.segments = try write(cuts, to: folder)
        if let end = cuts.last?.end { input.endPresentation(at: end) }
        // DASH has no WebVTT segments outside of MP4: players read a whole file for each Period (DASH-IF IOP, 6.4.5).
        if manifests.contains(.dash) { rendition.wholeFiles = try writeWholeFiles(cuts, to: folder) }
        return rendition
    }

    /// The first segment includes the time before the leading rendition, if that starts later than others.
    private func cuts(_ segments: [Rendition.Segment]) -> [Cut] {
        var end = RationalTime.zero
        return segments.enumerated().map { index, segment in
            var segment = segment
            if index == 0 {
                let lead = RationalTime.difference(segment.start, start)
                segment.start = RationalTime.difference(segment.start, lead)
                segment.duration.value += lead.converted(to: segment.duration.timescale)
                segment.date = segment.date?.advanced(by: -lead.seconds).inMilliseconds
            }
            let (start, timescale) = (end, segment.duration.timescale)
            end = RationalTime(end.converted(to: timescale) + segment.duration.value, timescale: timescale)
            return Cut(segment: segment, start: start, end: end)
        }
    }

    private func write(_ cuts: [Cut], to folder: PresentationFolder) throws -> [Rendition.Segment] {
        var text: WebVTTRendition?
        return try cuts.enumerated().map { index, cut in
            if text == nil || cut.segment.isDiscontinuity { text = input.rendition(map: map(at: cut), from: cut.start) }
            let bytes = text?.segment(until: cut.end) ?? []
            let name = "\(index + 1).vtt"
            try write(bytes, name, to: folder)
            var subtitles = Rendition.Segment(
                resource: Rendition.Resource(uri: name),
                byteCount: bytes.count,
                start: cut.segment.start,
                duration: cut.segment.duration
            )
            (subtitles.number, subtitles.isInClearLead) = (UInt64(index) + 1, cut.segment.isInClearLead)
            (subtitles.period, subtitles.part) = (cut.segment.period, cut.segment.part)
            subtitles.isDiscontinuity = cut.segment.isDiscontinuity
            (subtitles.date, subtitles.dateRanges) = (cut.segment.date, cut.segment.dateRanges)
            return subtitles
        }
    }

    private var firstMap: WebVTTTimestampMap {
        WebVTTTimestampMap(mpegTS: UInt64(clamping: origin &+ start.converted(to: 90_000)))
    }

    /// Returns the media timestamp of a cue time: in the first part they differ by the origin, and later parts have
    /// timelines of their own.
    private func map(at cut: Cut) -> WebVTTTimestampMap {
        guard cut.segment.isDiscontinuity else { return firstMap }
        // The timestamp of the part's start, rounded like the time in the cues.
        let local = cut.start.converted(to: 1000)
        let shift = cut.segment.start.converted(to: 90_000) &- cut.start.converted(to: 90_000)
        return WebVTTTimestampMap(mpegTS: UInt64(clamping: origin &+ shift &+ local &* 90), local: local)
    }

    /// Writes a file for each Period, with times relative to its start.
    private func writeWholeFiles(_ cuts: [Cut], to folder: PresentationFolder) throws -> [UInt64: Rendition.Resource] {
        let starts = cuts.indices.filter { $0 == 0 || !cuts[$0].segment.sharesPeriod(with: cuts[$0 - 1].segment) }
        var files: [UInt64: Rendition.Resource] = [:]
        for (index, start) in starts.enumerated() {
            let text = input.rendition(
                map: firstMap,
                from: cuts[start].start,
                isRelative: true
            )
            let isLast = index == starts.count - 1
            let bytes = isLast ? text.last() : text.segment(until: cuts[starts[index + 1]].start)
            let name = index == 0 ? "all.vtt" : "all-\(index).vtt"
            try write(bytes, name, to: folder)
            files[UInt64(start) + 1] = Rendition.Resource(uri: name)
        }
        return files
    }

    private func write(_ bytes: [UInt8], _ name: String, to folder: PresentationFolder) throws {
        let file = try folder.create(planned.folder + "/" + name)
        try file.write(bytes.span.bytes)
        try file.finish()
    }
}
