import ByteCoding
import FileWriting
package import MediaFormats
import TextCoding

/// A WebVTT file. Its cues do not pass through the pipeline as samples, because a cue that spans a segment boundary is
/// written to both segments, and a segment without cues is also a file. So ``next()`` returns nil; ``rendition(map:)``
/// splits the cues at the segment boundaries of the leading track.
package final class WebVTTInput: MediaInput {
    package let name: String
    package let tracks: [MediaTrack]
    package let byteCount: Int?
    package let position: Int
    package private(set) var warnings: [String]
    /// The parsed document with its cues.
    package let document: WebVTTDocument

    /// Parses the file.
    ///
    /// - Throws: ``InputFailure`` if the file is not WebVTT, or is larger than `WebVTTDocument.maximumSize`;
    ///   ``FileError``.
    package init(_ source: any ByteSource) throws {
        name = source.name
        var text: [UInt8] = []
        var hasMore = true
        while hasMore, text.count <= WebVTTDocument.maximumSize {
            hasMore = try source.next { chunk in chunk.withUnsafeBytes { text.append(contentsOf: $0) } }
        }
        do {
            document = try WebVTTDocument(parsing: text.span.bytes)
        } catch {
            throw InputFailure(source.name, "\(error)")
        }
        byteCount = source.byteCount
        position = source.position
        var warnings = document.dropped.map { "\(source.name): \($0); the block is skipped" }
        let unlistedCount = document.droppedCount - document.dropped.count
        if unlistedCount > 0 { warnings.append("\(source.name): \(counted(unlistedCount, "more block")) skipped") }
        self.warnings = warnings
        tracks = [
            MediaTrack(
                format: .webVTT,
                sampleEntry: nil,
                timescale: 1000,
                timing: TrackTiming(timescale: 1000),
                duration: UInt64(clamping: document.end),
                codecs: "wvtt"
            )
        ]
    }

    /// Returns nil: cues are not samples.
    package func next() -> InputEvent? { nil }

    /// Warns about cues that are never visible, because the presentation ends before they start.
    func endPresentation(at end: RationalTime) {
        let count = document.cues.reduce(0) { count, cue in
            count + (RationalTime(cue.start, timescale: 1000) >= end ? 1 : 0)
        }
        guard count > 0 else { return }
        warnings.append(
            "\(name): \(counted(count, "cue")) after the end of the presentation at \(end.seconds) s left out"
        )
    }

    /// Creates a writer for the segments of the file.
    ///
    /// - Parameters:
    ///   - map: The media timestamp of a cue time, which applies to the segments of the other renditions, too.
    ///   - start: The start of the first segment in the timeline of the cues.
    ///   - isRelative: Whether the written times are relative to `start`.
    package func rendition(
        map: WebVTTTimestampMap,
        from start: RationalTime = .zero,
        isRelative: Bool = false
    ) -> WebVTTRendition {
        WebVTTRendition(
            WebVTTSegmenter(
                document,
                map: map,
                from: start.value,
                timescale: start.timescale,
                isRelative: isRelative
            )
        )
    }
}

/// Writes the segments of a subtitle rendition, one for each segment of the leading track, in order.
///
///     let subtitles = input.rendition(map: WebVTTTimestampMap(mpegTS: 0))
///     for cut in cuts { let file = subtitles.segment(until: cut) }
package final class WebVTTRendition {
    private var segmenter: WebVTTSegmenter

    init(_ segmenter: WebVTTSegmenter) { self.segmenter = segmenter }

    /// Returns the segment that ends at a cut, in presentation time.
    package func segment(until cut: RationalTime) -> [UInt8] {
        segmenter.segment(until: cut.value, timescale: cut.timescale)
    }

    /// Returns all remaining cues as one segment.
    package func last() -> [UInt8] { segmenter.lastSegment() }
}
