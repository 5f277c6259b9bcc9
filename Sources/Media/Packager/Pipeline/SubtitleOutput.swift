import ByteCoding
import MediaFormats

/// Writes the segments of a subtitle rendition, with the segment boundaries of the leading rendition.
struct SubtitleOutput {
    let planned: PackagingPlan.Rendition
    let input: WebVTTInput
    let manifests: Set<PackagingJob.Manifest>

    /// Writes all segments.
    ///
    /// - Parameters:
    ///   - segments: The segments of the leading rendition.
    ///   - map: The media timestamp of presentation time 0.
    func write(along segments: [Rendition.Segment], map: WebVTTTimestampMap, to folder: PresentationFolder) throws
        -> Rendition
    {
        let text = input.rendition(map: map)
        var written: [Rendition.Segment] = []
        var end = RationalTime.zero
        for (index, segment) in segments.enumerated() {
            let timescale = segment.duration.timescale
            end = RationalTime(end.converted(to: timescale) + segment.duration.value, timescale: timescale)
            let bytes = index == segments.count - 1 ? text.last() : text.segment(until: end)
            let name = "\(index + 1).vtt"
            try write(bytes, name, to: folder)
            var subtitles = Rendition.Segment(
                resource: Rendition.Resource(uri: name),
                byteCount: bytes.count,
                start: segment.start,
                duration: segment.duration
            )
            (subtitles.number, subtitles.isInClearLead) = (UInt64(index) + 1, segment.isInClearLead)
            (subtitles.period, subtitles.part) = (segment.period, segment.part)
            written.append(subtitles)
        }
        var rendition = Rendition(planned)
        rendition.segments = written
        // DASH has no WebVTT segments outside of MP4: players read the whole file (DASH-IF IOP, 6.4.5).
        if manifests.contains(.dash) {
            try write(input.rendition(map: map).last(), "all.vtt", to: folder)
            rendition.wholeFile = Rendition.Resource(uri: "all.vtt")
        }
        return rendition
    }

    private func write(_ bytes: [UInt8], _ name: String, to folder: PresentationFolder) throws {
        let file = try folder.create(planned.folder + "/" + name)
        try file.write(bytes.span.bytes)
        try file.finish()
    }
}
