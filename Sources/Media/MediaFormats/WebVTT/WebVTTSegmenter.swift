/// A segmenter that cuts a WebVTT file into the segments of a subtitle rendition (RFC 8216bis, 3.1.4).
///
/// Each segment is a complete WebVTT file: the header with X-TIMESTAMP-MAP, the STYLE and REGION blocks, and every cue
/// that is visible during the segment, with its full times. A cue that spans a segment boundary is in both segments. A
/// segment without cues contains only the header.
///
/// Each segment takes time and memory for its own cues and those of the previous segment, not for the whole file.
public struct WebVTTSegmenter: Sendable {
    private let document: WebVTTDocument
    private let head: [UInt8]
    private var start: Cut
    /// The number of milliseconds that is subtracted from the times of cues.
    private let offset: Int64
    /// The index of the first cue that starts after the segments written so far.
    private var next = 0
    /// The indexes of the cues that started before `start` and may still be visible, in order.
    private var open: [Int] = []

    /// A point in time in units of 1/timescale second, compared exactly with cue times in milliseconds.
    private struct Cut {
        let value: Int64
        let timescale: UInt32

        /// The time in milliseconds, rounded down.
        var milliseconds: Int64 {
            let (high, low) = UInt64(max(0, value)).multipliedFullWidth(by: 1000)
            guard high < UInt64(timescale) else { return .max }
            return Int64(clamping: UInt64(timescale).dividingFullWidth((high, low)).quotient)
        }

        /// Returns whether the point in time is later than a cue time.
        func isLater(than milliseconds: Int64) -> Bool {
            value.multipliedFullWidth(by: 1000) > milliseconds.multipliedFullWidth(by: Int64(timescale))
        }

        /// Returns whether the point in time is earlier than a cue time.
        func isEarlier(than milliseconds: Int64) -> Bool {
            value.multipliedFullWidth(by: 1000) < milliseconds.multipliedFullWidth(by: Int64(timescale))
        }

        func isLater(than other: Cut) -> Bool {
            value.multipliedFullWidth(by: Int64(other.timescale))
                > other.value.multipliedFullWidth(by: Int64(timescale))
        }
    }

    /// Creates a segmenter for a document.
    ///
    /// - Parameters:
    ///   - document: the WebVTT file.
    ///   - map: the mapping from cue times to media times.
    ///   - start: the start of the first segment on the timeline of the cues, in units of 1/timescale second.
    ///   - timescale: the number of units per second; must not be 0.
    ///   - isRelative: whether the written times are relative to `start`; cues that began earlier then begin at 0.
    public init(
        _ document: WebVTTDocument,
        map: WebVTTTimestampMap,
        from start: Int64 = 0,
        timescale: UInt32 = 1000,
        isRelative: Bool = false
    ) {
        precondition(timescale > 0, "the timescale must not be 0")
        self.document = document
        self.start = Cut(value: start, timescale: timescale)
        offset = isRelative ? self.start.milliseconds : 0
        var head = Array("WEBVTT\n".utf8)
        map.write(to: &head)
        head.append(UInt8(ascii: "\n"))
        for definition in document.definitions {
            head.append(contentsOf: document.bytes[definition.range])
            head.append(contentsOf: "\n\n".utf8)
        }
        self.head = head
    }

    /// True if a cue is visible after the end of the last segment.
    public var hasCuesLeft: Bool {
        next < document.cues.count || open.contains { start.isEarlier(than: document.cues[$0].end) }
    }

    /// Returns the segment from the end of the previous segment to `end`.
    ///
    /// - Parameters:
    ///   - end: the end of the segment on the timeline of the cues, in units of 1/timescale second; later than the end
    ///     of the previous segment.
    ///   - timescale: the number of units per second; must not be 0.
    public mutating func segment(until end: Int64, timescale: UInt32) -> [UInt8] {
        precondition(timescale > 0, "the timescale must not be 0")
        let cut = Cut(value: end, timescale: timescale)
        guard cut.isLater(than: start) else { return head }
        defer { start = cut }
        return segment { cut.isLater(than: $0) }
    }

    /// Returns the segment from the end of the previous segment to the end of the last cue, at any distance.
    public mutating func lastSegment() -> [UInt8] {
        defer { open = [] }
        return segment { _ in true }
    }

    private mutating func segment(hasBegun: (Int64) -> Bool) -> [UInt8] {
        while next < document.cues.count, hasBegun(document.cues[next].start) {
            open.append(next)
            next += 1
        }
        // A cue that ends at a segment boundary is not visible after it.
        open.removeAll { !start.isEarlier(than: document.cues[$0].end) }
        var text = head
        for index in open { write(document.cues[index], to: &text) }
        return text
    }

    private func write(_ cue: WebVTTCue, to text: inout [UInt8]) {
        if !cue.identifier.range.isEmpty {
            text.append(contentsOf: document.bytes[cue.identifier.range])
            text.append(UInt8(ascii: "\n"))
        }
        WebVTTTimestamp.write(max(0, cue.start - offset), to: &text)
        text.append(contentsOf: " --> ".utf8)
        WebVTTTimestamp.write(max(0, cue.end - offset), to: &text)
        if !cue.settings.range.isEmpty {
            text.append(UInt8(ascii: " "))
            text.append(contentsOf: document.bytes[cue.settings.range])
        }
        text.append(UInt8(ascii: "\n"))
        if !cue.text.range.isEmpty {
            text.append(contentsOf: document.bytes[cue.text.range])
            text.append(UInt8(ascii: "\n"))
        }
        text.append(UInt8(ascii: "\n"))
    }
}
