public import ByteCoding

/// Walks through the samples of several tracks of a file in the order of their decode times in the presentation, edit
/// lists taken into account. Tables are not spread out in memory; a sample costs no allocation.
public struct MovieSampleCursor: Sendable {
    /// When the next sample of a track is decoded. It is small, so that tracks are compared without copying samples or
    /// cursors.
    private struct Key: Sendable {
        var isThere = false
        /// In the presentation.
        var time: Int64 = 0
        var timescale: UInt32
        var presentationOffset: Int64

        func isBefore(_ other: Key) -> Bool {
            if timescale == other.timescale { return time < other.time }
            let left = time.multipliedFullWidth(by: Int64(other.timescale))
            let right = other.time.multipliedFullWidth(by: Int64(timescale))
            return (left.high, left.low) < (right.high, right.low)
        }
    }

    private var tracks: [TrackCursor]
    private var keys: [Key]
    private var samples: [Sample]
    private let byteCount: Int
    private var isStarted = false
    /// The track that gave the last sample: its next one is read only when it is needed, so that an error comes in its
    /// place.
    private var last = -1

    init(_ file: MovieFile, tracks: [Track]) {
        byteCount = file.byteCount
        self.tracks = tracks.map { TrackCursor($0, firstFragment: file.firstFragment) }
        samples = [Sample](repeating: .none, count: tracks.count)
        keys = tracks.map { track in
            // Whoever cares about times asks for the timing first, and is told what is not supported.
            let offset = (try? track.timing())?.presentationOffset ?? 0
            return Key(timescale: track.timescale, presentationOffset: offset)
        }
    }

    /// The next sample; nil after the last.
    ///
    /// Samples of one track come in the order in which they are stored. Of two at the same time the one of the earlier
    /// track comes first.
    ///
    /// - Parameter file: The file; the same for each call.
    /// - Throws: `ParseError`; `truncated` when a sample lies behind the end of the file, named by track and number.
    public mutating func next(_ file: RawSpan) throws(ParseError) -> Sample? {
        guard file.byteCount == byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "file",
                offset: 0,
                reason: "its size has changed since it was opened"
            )
        }
        if last >= 0 {
            try advance(last, file)
        } else if !isStarted {
            isStarted = true
            for index in tracks.indices { try advance(index, file) }
        }
        last = -1
        for index in keys.indices where keys[index].isThere {
            if last < 0 || keys[index].isBefore(keys[last]) { last = index }
        }
        return last < 0 ? nil : samples[last]
    }

    private mutating func advance(_ index: Int, _ file: RawSpan) throws(ParseError) {
        keys[index].isThere = false
        guard try tracks[index].next(file, into: &samples[index]) else { return }
        keys[index].time = Int64(samples[index].decodeTime) + keys[index].presentationOffset
        keys[index].isThere = true
    }
}

/// One track's samples: those of its table, then those of fragments.
private struct TrackCursor: Sendable {
    /// One or none; as an optional the cursor would be copied out and back for each sample.
    private var table: [SampleTableCursor]
    /// One or none.
    private var fragments: [FragmentCursor]
    private let trackID: UInt32
    private var count = 0
    private var bytes = 0

    init(_ track: Track, firstFragment: Int?) {
        trackID = track.id
        table = SampleTableCursor(track).map { [$0] } ?? []
        fragments = firstFragment.map { [FragmentCursor(track, from: $0)] } ?? []
    }

    /// The sample goes where it stays: it has more than a hundred bytes, and copying it costs more than finding it.
    mutating func next(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        guard try read(file, into: &sample) else { return false }
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
        return true
    }

    private mutating func read(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        if !table.isEmpty {
            if try table[0].next(file, into: &sample) { return true }
            if !fragments.isEmpty { fragments[0].continue(at: table[0].endTime) }
            table = []
        }
        return fragments.isEmpty ? false : try fragments[0].next(file, into: &sample)
    }
}
