public import ByteCoding

/// The samples at the end of a track that a file lacks: it was not copied completely, or the tables have too few
/// entries.
public struct MissingTail: Hashable, Sendable {
    /// The ID of the track.
    public let trackID: UInt32
    /// The number of the first missing sample, from 1.
    public let firstSample: Int
    /// The number of missing samples; 0 if a fragment is missing whose samples are not known.
    public let sampleCount: Int
    /// The duration of the missing samples, in the timescale of the track.
    public let duration: UInt64
}

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

    /// Creates an iterator.
    ///
    /// - Parameter endsAtMissingTail: whether a track whose last samples are missing ends before them, instead of with
    ///   an error. If only their durations are missing, they have the duration of the sample before.
    init(_ file: MovieFile, tracks: [Track], endsAtMissingTail: Bool) {
        byteCount = file.byteCount
        self.tracks = tracks.map {
            TrackCursor($0, firstFragment: file.firstFragment, endsAtMissingTail: endsAtMissingTail)
        }
        samples = [Sample](repeating: .none, count: tracks.count)
        keys = tracks.map { track in
            // Callers that require times call `timing()` first, which throws the error.
            let offset = (try? track.timing())?.presentationOffset ?? 0
            return Key(timescale: track.timescale, presentationOffset: offset)
        }
    }

    /// The missing ends of the tracks that have been read to the end.
    public var missingTails: [MissingTail] { tracks.compactMap(\.missingTail) }

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
    private let endsAtMissingTail: Bool
    private var count = 0
    private var bytes = 0
    private(set) var missingTail: MissingTail?

    init(_ track: Track, firstFragment: Int?, endsAtMissingTail: Bool) {
        trackID = track.id
        self.endsAtMissingTail = endsAtMissingTail
        table = SampleTableCursor(track, repeatsLastDuration: endsAtMissingTail).map { [$0] } ?? []
        fragments = firstFragment.map { [FragmentCursor(track, from: $0, endsAtMissingTail: endsAtMissingTail)] } ?? []
    }

    /// Reads the next sample into `sample`, because copying a sample of more than a hundred bytes costs more than
    /// finding it.
    mutating func next(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        var isListed = false
        do {
            guard try read(file, into: &sample) else { return false }
            isListed = true
            count += 1
            try check(sample, file)
            return true
        } catch {
            guard endsAtMissingTail, error.code == .truncated, let tail = tail(file, from: isListed ? sample : nil)
            else {
                throw error
            }
            missingTail = tail
            return false
        }
    }

    private mutating func check(_ sample: Sample, _ file: RawSpan) throws(ParseError) {
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
    }

    private mutating func read(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        if !table.isEmpty {
            if try table[0].next(file, into: &sample) { return true }
            if !fragments.isEmpty { fragments[0].continue(at: table[0].endTime) }
            table = []
        }
        guard !fragments.isEmpty else { return false }
        if try fragments[0].next(file, into: &sample) { return true }
        if fragments[0].lacksFragment {
            missingTail = MissingTail(trackID: trackID, firstSample: count + 1, sampleCount: 0, duration: 0)
        }
        return false
    }

    /// Returns the tail that starts at the sample that could not be read; nil if later samples are in the file, so that
    /// it is an error in the middle.
    ///
    /// - Parameter sample: the sample, if it is in the tables but not in the file; nil if the tables end before it.
    private mutating func tail(_ file: RawSpan, from sample: Sample?) -> MissingTail? {
        let rest: (sampleCount: Int, duration: UInt64)
        if let cursor = table.first {
            guard fragments.isEmpty, !cursor.hasChunk(before: file.byteCount, file) else { return nil }
            rest = cursor.rest(file)
        } else {
            guard !fragments.isEmpty, sample != nil, let left = fragments[0].restOfLastFragment(file) else {
                return nil
            }
            rest = left
        }
        return MissingTail(
            trackID: trackID,
            firstSample: sample == nil ? count + 1 : count,
            sampleCount: rest.sampleCount + (sample == nil ? 0 : 1),
            duration: rest.duration + UInt64(sample?.duration ?? 0)
        )
    }
}
