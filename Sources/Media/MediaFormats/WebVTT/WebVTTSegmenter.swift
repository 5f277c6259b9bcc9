/// Cuts a WebVTT file into the segments of a subtitle rendition (RFC 8216bis, 3.1.4).
///
/// Each segment is a file of its own: the header with X-TIMESTAMP-MAP, the STYLE and REGION blocks, and every cue that is
/// to be seen during the segment, with its full times, so that one that spans a cut stands on both sides of it. A
/// segment without cues is a header alone.
///
/// It takes time and memory for the cues of the segment, and for those of the one before: never for the whole file.
public struct WebVTTSegmenter: Sendable {
    private let document: WebVTTDocument
    private let head: [UInt8]
    private var start: Cut
    /// The first cue that no segment was asked about.
    private var next = 0
    /// Cues that began before `start` and may last longer, in order.
    private var open: [Int] = []

    /// A point in time as a number of units of 1/timescale second, compared exactly with the cues' milliseconds.
    private struct Cut {
        let value: Int64
        let timescale: UInt32

        /// Whether it is later than a time of a cue.
        func isLater(than milliseconds: Int64) -> Bool {
            value.multipliedFullWidth(by: 1000) > milliseconds.multipliedFullWidth(by: Int64(timescale))
        }

        /// Whether it is earlier than a time of a cue.
        func isEarlier(than milliseconds: Int64) -> Bool {
            value.multipliedFullWidth(by: 1000) < milliseconds.multipliedFullWidth(by: Int64(timescale))
        }

        func isLater(than other: Cut) -> Bool {
            value.multipliedFullWidth(by: Int64(other.timescale))
                > other.value.multipliedFullWidth(by: Int64(timescale))
        }
    }

    /// Prepares to cut a document.
    ///
    /// - Parameters:
    ///   - document: The cues.
    ///   - map: Which time of the media the times of the cues are.
    ///   - start: When the first segment begins, in units of 1/timescale second of the cues' time.
    ///   - timescale: Units per second; not 0.
    public init(
        _ document: WebVTTDocument,
        map: WebVTTTimestampMap,
        from start: Int64 = 0,
        timescale: UInt32 = 1000
    ) {
        precondition(timescale > 0, "a timescale is not 0")
        self.document = document
        self.start = Cut(value: start, timescale: timescale)
        var head = Array("WEBVTT\n".utf8)
        map.write(to: &head)
        head.append(UInt8(ascii: "\n"))
        for definition in document.definitions {
            head.append(contentsOf: document.bytes[definition.range])
            head.append(contentsOf: "\n\n".utf8)
        }
        self.head = head
    }

    /// Whether a cue is still to be seen behind the last cut.
    public var hasCuesLeft: Bool {
        next < document.cues.count || open.contains { start.isEarlier(than: document.cues[$0].end) }
    }

    /// The segment from the last cut up to the next, which is later.
    ///
    /// - Parameters:
    ///   - end: Where the segment ends, in units of 1/timescale second of the cues' time.
    ///   - timescale: Units per second; not 0.
    public mutating func segment(until end: Int64, timescale: UInt32) -> [UInt8] {
        precondition(timescale > 0, "a timescale is not 0")
        let cut = Cut(value: end, timescale: timescale)
        guard cut.isLater(than: start) else { return head }
        defer { start = cut }
        return segment { cut.isLater(than: $0) }
    }

    /// The segment from the last cut to the end of the last cue, however late that is.
    public mutating func lastSegment() -> [UInt8] {
        defer { open = [] }
        return segment { _ in true }
    }

    private mutating func segment(hasBegun: (Int64) -> Bool) -> [UInt8] {
        while next < document.cues.count, hasBegun(document.cues[next].start) {
            open.append(next)
            next += 1
        }
        // A cue that ends at a cut is not seen behind it.
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
        WebVTTTimestamp.write(cue.start, to: &text)
        text.append(contentsOf: " --> ".utf8)
        WebVTTTimestamp.write(cue.end, to: &text)
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
