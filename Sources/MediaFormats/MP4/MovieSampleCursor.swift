public import ByteCoding

/// Walks through the samples of several tracks of a file in the order of their decode times in the presentation, edit lists
/// taken into account. Tables are not spread out in memory; a sample costs no allocation.
public struct MovieSampleCursor: Sendable {
    private var tracks: [TrackCursor]
    private let byteCount: Int
    /// The track that gave the last sample: its next one is read only when it is needed, so that an error comes in its place.
    private var last = -1

    init(_ file: MovieFile, tracks: [Track]) {
        byteCount = file.byteCount
        self.tracks = tracks.map { TrackCursor($0, firstFragment: file.firstFragment) }
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
        if last >= 0 { try tracks[last].advance(file) }
        var best = -1
        for index in tracks.indices {
            if !tracks[index].isStarted { try tracks[index].advance(file) }
            guard tracks[index].pending != nil else { continue }
            if best < 0 || tracks[index].isBefore(tracks[best]) { best = index }
        }
        guard best >= 0, let sample = tracks[best].pending else {
            last = -1
            return nil
        }
        last = best
        return sample
    }
}

/// One track's samples: those of its table, then those of fragments.
private struct TrackCursor: Sendable {
    private var table: SampleTableCursor?
    private var fragments: FragmentCursor?
    private let track: Track
    private let firstFragment: Int?
    private let presentationOffset: Int64
    private let timescale: UInt32
    private var count = 0
    private var bytes = 0
    private var time: Int64 = 0
    private(set) var isStarted = false
    private(set) var pending: Sample?

    init(_ track: Track, firstFragment: Int?) {
        self.track = track
        self.firstFragment = firstFragment
        timescale = track.timescale
        // Whoever cares about times asks for the timing first, and is told what is not supported.
        presentationOffset = (try? track.timing())?.presentationOffset ?? 0
        table = SampleTableCursor(track)
        if table == nil, let firstFragment { fragments = FragmentCursor(track, from: firstFragment) }
    }

    func isBefore(_ other: TrackCursor) -> Bool {
        if timescale == other.timescale { return time < other.time }
        let left = time.multipliedFullWidth(by: Int64(other.timescale))
        let right = other.time.multipliedFullWidth(by: Int64(timescale))
        return (left.high, left.low) < (right.high, right.low)
    }

    mutating func advance(_ file: RawSpan) throws(ParseError) {
        isStarted = true
        pending = nil
        guard let sample = try read(file) else { return }
        count += 1
        bytes += sample.size
        guard sample.offset <= file.byteCount, sample.size <= file.byteCount - sample.offset else {
            throw ParseError(
                .truncated,
                reading: "sample \(count) of track \(track.id)",
                offset: sample.offset,
                reason: "its \(sample.size) bytes do not lie in the file, which has \(file.byteCount)"
            )
        }
        // Without this, few bytes of tables could stand for samples without end.
        guard bytes <= file.byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "sample \(count) of track \(track.id)",
                offset: sample.offset,
                reason: "the track's samples take more bytes than the file has"
            )
        }
        time = Int64(sample.decodeTime) + presentationOffset
        pending = sample
    }

    private mutating func read(_ file: RawSpan) throws(ParseError) -> Sample? {
        if let sample = try table?.next(file) { return sample }
        if let end = table?.endTime {
            table = nil
            if let firstFragment { fragments = FragmentCursor(track, from: firstFragment, decodeTime: end) }
        }
        return try fragments?.next(file)
    }
}
