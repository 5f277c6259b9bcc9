public import ByteCoding

/// Walks through the samples of several tracks of a file in the order of their decode times in the presentation, edit lists
/// taken into account. Tables are not spread out in memory; a sample costs no allocation.
public struct MovieSampleCursor: Sendable {
    /// The next sample of each track, apart from the cursors: comparing them must not copy those.
    private struct Pending: Sendable {
        var sample: Sample?
        /// When it is decoded, in the presentation.
        var time: Int64
        var timescale: UInt32
        var presentationOffset: Int64

        func isBefore(_ other: Pending) -> Bool {
            if timescale == other.timescale { return time < other.time }
            let left = time.multipliedFullWidth(by: Int64(other.timescale))
            let right = other.time.multipliedFullWidth(by: Int64(timescale))
            return (left.high, left.low) < (right.high, right.low)
        }
    }

    private var tracks: [TrackCursor]
    private var pending: [Pending]
    private let byteCount: Int
    private var isStarted = false
    /// The track that gave the last sample: its next one is read only when it is needed, so that an error comes in its place.
    private var last = -1

    init(_ file: MovieFile, tracks: [Track]) {
        byteCount = file.byteCount
        self.tracks = tracks.map { TrackCursor($0, firstFragment: file.firstFragment) }
        pending = tracks.map { track in
            // Whoever cares about times asks for the timing first, and is told what is not supported.
            let offset = (try? track.timing())?.presentationOffset ?? 0
            return Pending(sample: nil, time: 0, timescale: track.timescale, presentationOffset: offset)
        }
    }

    /// The next sample; nil after the last.
    ///
    /// Samples of one track come in the order in which they are stored. Of two at the same time the one of the earlier track
    /// comes first.
    ///
    /// - Parameter file: The file; the same for each call.
    /// - Throws: `ParseError`; `truncated` when a sample lies behind the end of the file, named by track and number.
    public mutating func next(_ file: RawSpan) throws(ParseError) -> Sample? {
        guard file.byteCount == byteCount else {
            throw ParseError(.invalidValue, reading: "file", offset: 0, reason: "its size has changed since it was opened")
        }
        if last >= 0 {
            try advance(last, file)
        } else if !isStarted {
            isStarted = true
            for index in tracks.indices { try advance(index, file) }
        }
        last = -1
        for index in pending.indices where pending[index].sample != nil {
            if last < 0 || pending[index].isBefore(pending[last]) { last = index }
        }
        return last < 0 ? nil : pending[last].sample
    }

    private mutating func advance(_ index: Int, _ file: RawSpan) throws(ParseError) {
        pending[index].sample = nil
        guard let sample = try tracks[index].next(file) else { return }
        pending[index].time = Int64(sample.decodeTime) + pending[index].presentationOffset
        pending[index].sample = sample
    }
}

/// One track's samples: those of its table, then those of fragments.
private struct TrackCursor: Sendable {
    private var table: SampleTableCursor?
    private var fragments: FragmentCursor?
    private let trackID: UInt32
    private var count = 0
    private var bytes = 0

    init(_ track: Track, firstFragment: Int?) {
        trackID = track.id
        table = SampleTableCursor(track)
        if let firstFragment { fragments = FragmentCursor(track, from: firstFragment) }
    }

    mutating func next(_ file: RawSpan) throws(ParseError) -> Sample? {
        guard let sample = try read(file) else { return nil }
        count += 1
        bytes += sample.size
        guard sample.offset <= file.byteCount, sample.size <= file.byteCount - sample.offset else {
            throw ParseError(
                .truncated,
                reading: "sample \(count) of track \(trackID)",
                offset: sample.offset,
                reason: "its \(sample.size) bytes do not lie in the file, which has \(file.byteCount)"
            )
        }
        // Without this, few bytes of tables could stand for samples without end.
        guard bytes <= file.byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "sample \(count) of track \(trackID)",
                offset: sample.offset,
                reason: "the track's samples take more bytes than the file has"
            )
        }
        return sample
    }

    private mutating func read(_ file: RawSpan) throws(ParseError) -> Sample? {
        if let sample = try table?.next(file) { return sample }
        if let end = table?.endTime {
            table = nil
            fragments?.continue(at: end)
        }
        return try fragments?.next(file)
    }
}
