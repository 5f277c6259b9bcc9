import MediaFormats

/// Writes the segments of a subtitle rendition, cut where the leading rendition is.
struct SubtitleOutput {
    let planned: PackagingPlan.Rendition
    let input: WebVTTInput

    /// Writes all segments.
    ///
    /// - Parameters:
    ///   - segments: Those of the leading rendition.
    ///   - map: Which timestamp of the media time 0 of the presentation has.
    func write(along segments: [Rendition.Segment], map: WebVTTTimestampMap, to folder: PresentationFolder) throws
        -> Rendition
    {
        let text = input.rendition(map: map)
        var written: [Rendition.Segment] = []
        var end = MediaTime.zero
        for (index, segment) in segments.enumerated() {
            let timescale = segment.duration.timescale
            end = MediaTime(end.converted(to: timescale) + segment.duration.value, timescale: timescale)
            let bytes = index == segments.count - 1 ? text.last() : text.segment(until: end)
            let name = "\(index + 1).vtt"
            let file = try FileOutput(path: folder.stagedPath(planned.folder + "/" + name))
            try file.write(bytes.span.bytes)
            try file.finish()
            written.append(
                Rendition.Segment(
                    resource: Rendition.Resource(uri: name),
                    byteCount: bytes.count,
                    duration: segment.duration,
                    isProtected: false,
                    keyFrames: []
                )
            )
        }
        return Rendition(planned, segments: written)
    }
}
