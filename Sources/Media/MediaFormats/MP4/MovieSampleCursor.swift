public import ByteCoding

/// An iterator over the samples of several tracks of a file in the order of their decode times in the presentation,
/// including edit lists. Tables are not expanded in memory, and a sample needs no memory allocation.
public struct MovieSampleCursor: Sendable {
    /// The decode time of a track's next sample. It is small, so that tracks are compared without copying samples or
    /// cursors.
    private struct Key: Sendable {
        var hasSample = false
        /// The decode time in the presentation.
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
    /// The track of the last sample. Its next sample is read only when required, so that an error is thrown in order.
    private var last = -1

    init(_ file: MovieFile, tracks: [Track]) {
        byteCount = file.byteCount
        self.tracks = tracks.map { TrackCursor($0, firstFragment: file.firstFragment) }
        samples = [Sample](repeating: .none, count: tracks.count)
        keys = tracks.map { track in
            // Callers that require times call `timing()` first, which throws the error.
            let offset = (try? track.timing())?.presentationOffset ?? 0
            return Key(timescale: track.timescale, presentationOffset: offset)
        }
    }

    /// Returns the next sample; nil after the last.
    ///
    /// The samples of a track are in the order in which they are stored. Of two samples with the same time, the one of
    /// the earlier track is first.
    ///
    /// - Parameter file: the file; the same for each call.
    /// - Throws: `ParseError`; `truncated` if a sample extends beyond the end of the file, with its track and number.
    public mutating func next(_ file: RawSpan) throws(ParseError) -> Sample? {
        guard file.byteCount == byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "file",
                offset: 0,
                reason: "the size of the file has changed since it was opened"
            )
        }
        if last >= 0 {
            try advance(last, file)
        } else if !isStarted {
            isStarted = true
            for index in tracks.indices { try advance(index, file) }
        }
        last = -1
        for index in keys.indices where keys[index].hasSample {
            if last < 0 || keys[index].isBefore(keys[last]) { last = index }
        }
        return last < 0 ? nil : samples[last]
    }

    private mutating func advance(_ index: Int, _ file: RawSpan) throws(ParseError) {
        keys[index].hasSample = false
        guard try tracks[index].next(file, into: &samples[index]) else { return }
        keys[index].time = Int64(samples[index].decodeTime) + keys[index].presentationOffset
        keys[index].hasSample = true
    }
}

/// An iterator over the samples of one track: those of its table, then those of fragments.
private struct TrackCursor: Sendable {
    /// The table cursor, or empty. An array, because an optional cursor would be copied for each sample.
    private var table: [SampleTableCursor]
    /// The fragment cursor, or empty.
    private var fragments: [FragmentCursor]
    private let trackID: UInt32
    private var count = 0
    private var bytes = 0

    init(_ track: Track, firstFragment: Int?) {
        trackID = track.id
        table = SampleTableCursor(track).map { [$0] } ?? []
        fragments = firstFragment.map { [FragmentCursor(track, from: $0)] } ?? []
    }

    /// Reads the next sample into `sample`, because copying a sample of more than a hundred bytes costs more than
    /// finding it.
    mutating func next(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        guard try read(file, into: &sample) else { return false }
        count += 1
        bytes += sample.size
        guard sample.offset <= file.byteCount, sample.size <= file.byteCount - sample.offset else {
            throw ParseError(
                .truncated,
                reading: "sample \(count) of track \(trackID)",
                offset: sample.offset,
                reason: "its \(sample.size) bytes extend beyond the file of \(file.byteCount) bytes"
            )
        }
        // This check bounds the work: a few bytes of sample tables could describe any number of overlapping samples.
        guard bytes <= file.byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "sample \(count) of track \(trackID)",
                offset: sample.offset,
                reason: "the samples of the track have more bytes than the file"
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
