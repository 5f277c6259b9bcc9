import ByteCoding
import FileWriting
package import MediaFormats

/// A WebVTT file. Its cues do not pass through the pipeline as samples: a cue that spans a cut stands on both sides of
/// it, and a segment without cues is a file as well. So ``next()`` gives nothing; ``rendition(map:)`` cuts the text
/// where the leading track is cut.
package final class WebVTTInput: MediaInput {
    package let name: String
    package let tracks: [MediaTrack]
    package let byteCount: Int?
    package let position: Int
    package let warnings: [String]
    /// The cues.
    package let document: WebVTTDocument

    /// Reads the file.
    ///
    /// - Throws: ``InputFailure`` when it is no WebVTT, or larger than `WebVTTDocument.maximumSize`; ``FileFailure``.
    package init(_ source: any ByteSource) throws {
        name = source.name
        var text: [UInt8] = []
        var isMore = true
        while isMore, text.count <= WebVTTDocument.maximumSize {
            isMore = try source.next { piece in piece.withUnsafeBytes { text.append(contentsOf: $0) } }
        }
        do {
            document = try WebVTTDocument(parsing: text.span.bytes)
        } catch {
            throw InputFailure(source.name, "\(error)")
        }
        byteCount = source.byteCount
        position = source.position
        var warnings = document.dropped.map { "\(source.name): \($0); it is left out" }
        let untold = document.droppedCount - document.dropped.count
        if untold > 0 { warnings.append("\(source.name): \(untold) more blocks are left out") }
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

    /// Nothing: cues are no samples.
    package func next() -> (track: Int, sample: MediaSample)? { nil }

    /// Begins to cut the file.
    ///
    /// - Parameter map: Which timestamp of the media time 0 of the presentation has: that of the segments of the other
    ///   renditions.
    package func rendition(map: WebVTTTimestampMap) -> WebVTTRendition { WebVTTRendition(document, map: map) }
}

/// Writes the segments of a subtitle rendition, one for each segment of the leading track, in order.
///
///     let subtitles = input.rendition(map: WebVTTTimestampMap(mpegTS: 0))
///     for cut in cuts { let file = subtitles.segment(until: cut) }
///     let file = subtitles.last(end: end)
package final class WebVTTRendition {
    private var segmenter: WebVTTSegmenter

    init(_ document: WebVTTDocument, map: WebVTTTimestampMap) {
        segmenter = WebVTTSegmenter(document, map: map)
    }

    /// The file of the segment that ends at a cut, in the time of the presentation.
    package func segment(until cut: MediaTime) -> [UInt8] {
        segmenter.segment(until: cut.value, timescale: cut.timescale)
    }

    /// The file of the last segment, which has all cues that are left.
    package func last() -> [UInt8] { segmenter.lastSegment() }
}
