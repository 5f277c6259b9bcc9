import ByteCoding
import FileWriting
import MediaFormats

/// An MP4 or QuickTime file read from a pipe. Its `moov` box must precede the media; samples are returned in the order
/// of the file. A part starts where the times jump, and with a `moov` box that describes other tracks.
package final class MovieStreamInput: MediaInput {
    package let name: String
    package private(set) var tracks: [MediaTrack]
    package private(set) var omissions: [Omission]
    package var warnings: [String] {
        let isRepaired = hasRepairedEarlierTracks || repairs.contains(where: \.isActive)
        return skipped + (isRepaired ? ["\(name): \(StartCodeRepair.warning)"] : [])
    }

    private let source: any ByteSource
    private var movie: MovieTracks
    /// The parameter sets to remove from samples, by track.
    private var parameterSets: [Int: InBandParameterSets]
    private var stream = MovieStream()
    /// The skipped tracks of all `moov` boxes.
    private var skipped: [String]
    private var repairs: [StartCodeRepair]
    private var hasRepairedEarlierTracks = false
    private var hasEnded = false
    /// The end of the last sample of each track, and what is subtracted from its times, in the track's timescale.
    private var ends: [Int: Int64] = [:]
    private var shifts: [Int64]
    /// The samples of the next part; nil if it has not started.
    private var upcoming: MovieStreamPart?
    /// The events of a part that has started.
    private var events = Queue<InputEvent>()

    /// Parses the file's headers.
    ///
    /// - Throws: ``InputFailure`` if the input is not a movie, has its `moov` box after the media, is encrypted, or has
    ///   no track that can be packaged; ``FileError``.
    package init(_ source: any ByteSource) throws {
        self.source = source
        name = source.name
        var stream = MovieStream()
        var movie: MovieTracks?
        do {
            while movie == nil {
                switch try stream.next() {
                case .movie(let read): movie = try MovieTracks(read, of: source.name, content: Self.content)
                case .some: break
                case nil:
                    if try !source.next({ stream.push($0) }) {
                        try stream.finish()
                        throw InputFailure(source.name, "the file has no moov box")
                    }
                }
            }
        } catch let error as ParseError {
            throw InputFailure(source.name, "\(error)")
        }
        guard var movie else { throw InputFailure(source.name, "the file has no moov box") }
        parameterSets = movie.moveParameterSets()
        self.movie = movie
        self.stream = stream
        tracks = movie.tracks
        skipped = movie.warnings
        omissions = movie.omissions
        shifts = movie.tracks.map { _ in 0 }
        repairs = movie.tracks.map { StartCodeRepair($0.format) }
    }

    package var byteCount: Int? { source.byteCount }
    package var position: Int { source.position }

    package func next() throws -> InputEvent? {
        do {
            while true {
                if let event = events.removeFirst() { return event }
                if hasEnded { return nil }
                switch try stream.next() {
                case .movie(let read): try begin(MovieTracks(read, of: name, content: Self.content))
                case .sample(let read):
                    guard let track = movie.trackIndexes[read.sample.trackID] else { continue }
                    try MovieTracks.check(read.sample, of: name)
                    var sample = MediaSample(read.sample, in: BufferedBytes(read.bytes))
                    sample.offset = 0
                    sample = try repairs[track].repaired(sample, of: name)
                    add(try removeSets(from: sample, of: track), of: track)
                case .fileType: break
                case nil:
                    if try !source.next({ stream.push($0) }) {
                        hasEnded = true
                        finishPart()
                        try stream.finish()
                    }
                }
            }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
    }

    /// Fragments may follow, and their samples are not known yet.
    private static func content(of track: Track) -> MovieTracks.Content {
        track.extends != nil ? .unknown : track.table == nil ? .empty : .samples
    }

    /// Continues with another `moov` box, which starts a part unless it describes the same tracks.
    private func begin(_ found: MovieTracks) {
        var new = found
        let sets = new.moveParameterSets()
        guard !new.isSame(as: movie) else { return }
        finishPart()
        (movie, parameterSets) = (new, sets)
        skipped += new.warnings.filter { !skipped.contains($0) }
        omissions += new.omissions.filter { !omissions.contains($0) }
        hasRepairedEarlierTracks = hasRepairedEarlierTracks || repairs.contains(where: \.isActive)
        repairs = new.tracks.map { StartCodeRepair($0.format) }
        upcoming = MovieStreamPart(
            reason: "another moov box lists other tracks",
            tracks: new.tracks,
            isWaitingForAll: true
        )
    }

    /// Removes the parameter sets from a sample. If they change, a part starts, whose track has the new ones.
    private func removeSets(from sample: MediaSample, of track: Int) throws -> MediaSample {
        guard var sets = parameterSets[track] else { return sample }
        try sample.withBytes { try sets.record($0, isComplete: true) }
        if sets.hasChanged, let changed = sets.describe(movie.tracks[track]) {
            sets.acceptChanges()
            movie.tracks[track] = changed
            if upcoming != nil {
                upcoming?.replace(track, by: changed)
            } else {
                upcoming = MovieStreamPart(
                    reason: "the parameter sets of the video change",
                    tracks: movie.tracks,
                    isWaitingForAll: false,
                    start: changed.presentation(sample)
                )
            }
        }
        parameterSets[track] = sets
        return try sets.removeSets(from: sample)
    }

    private func add(_ sample: MediaSample, of track: Int) {
        if upcoming == nil, isJump(sample, of: track) {
            upcoming = MovieStreamPart(
                reason: "the times of the fragments jump",
                tracks: movie.tracks,
                isWaitingForAll: false
            )
        }
        if let upcoming, upcoming.contains(sample, of: track) || isJump(sample, of: track) {
            self.upcoming?.add(sample, of: track)
            // A track that has ended does not delay the part.
            if self.upcoming?.isComplete(ends.count) == true { finishPart() }
        } else {
            pass(sample, of: track)
        }
    }

    /// Returns whether a sample is more than ten seconds after the end of the previous one, or before it.
    private func isJump(_ sample: MediaSample, of track: Int) -> Bool {
        guard let end = ends[track] else { return false }
        let (difference, overflow) = sample.decodeTime.subtractingReportingOverflow(end)
        let timescale = Int64(movie.tracks[track].timescale)
        return overflow || difference > 10 * timescale || difference < -timescale / 10
    }

    private func pass(_ sample: MediaSample, of track: Int) {
        ends[track] = sample.decodeTime.addingReportingOverflow(Int64(sample.duration)).partialValue
        var sample = sample
        sample.decodeTime = max(0, sample.decodeTime.subtractingReportingOverflow(shifts[track]).partialValue)
        events.append(.sample(track: track, sample))
    }

    /// Starts the next part, if any.
    private func finishPart() {
        guard let part = upcoming else { return }
        upcoming = nil
        guard !part.samples.isEmpty else { return }
        (tracks, shifts) = part.timeline()
        ends = [:]
        // The tracks are described by the event, so those of the old part must have been returned before.
        events.append(.part(reason: part.reason))
        for (track, sample) in part.samples { pass(sample, of: track) }
    }
}

/// The first samples of a part, from which its timeline is derived.
private struct MovieStreamPart {
    /// The maximum size of samples that wait for those of other tracks: 8 MiB.
    private static let maximumSize = 8 << 20

    let reason: String
    private var tracks: [MediaTrack]
    /// True if all samples belong to the part; false if only those of tracks that have jumped or reached ``start`` do.
    private let isWaitingForAll: Bool
    /// The presentation time from which samples belong to the part, if the times go on; nil if they jump.
    private let start: RationalTime?
    private(set) var samples: [(track: Int, sample: MediaSample)] = []
    private var firsts: [Int: MediaSample] = [:]
    private var size = 0

    init(reason: String, tracks: [MediaTrack], isWaitingForAll: Bool, start: RationalTime? = nil) {
        self.reason = reason
        self.tracks = tracks
        self.isWaitingForAll = isWaitingForAll
        self.start = start
    }

    /// Returns whether a sample belongs to the part, as far as the part knows.
    func contains(_ sample: MediaSample, of track: Int) -> Bool {
        isWaitingForAll || firsts[track] != nil || start.map { tracks[track].presentation(sample) >= $0 } ?? false
    }

    /// Replaces the description of a track.
    mutating func replace(_ track: Int, by changed: MediaTrack) { tracks[track] = changed }

    mutating func add(_ sample: MediaSample, of track: Int) {
        if firsts[track] == nil { firsts[track] = sample }
        samples.append((track, sample))
        size += sample.size
    }

    /// Returns whether all tracks have started, or samples have waited for too long.
    ///
    /// - Parameter count: The number of tracks that had samples before.
    func isComplete(_ count: Int) -> Bool {
        firsts.count >= (isWaitingForAll ? tracks.count : count) || size > Self.maximumSize
            || samples.contains { isLate($0.sample, of: $0.track) }
    }

    private func isLate(_ sample: MediaSample, of track: Int) -> Bool {
        guard let first = firsts[track] else { return false }
        return sample.decodeTime &- first.decodeTime > 10 * Int64(tracks[track].timescale)
    }

    /// Returns the tracks with the start of the part at 0, and what is subtracted from the times of their samples.
    func timeline() -> (tracks: [MediaTrack], shifts: [Int64]) {
        let start = firsts.map { tracks[$0].presentation($1) }.min() ?? .zero
        // A little before 0 is audio priming, which is not presented.
        let origin = start < .zero && start.seconds > -1 ? .zero : start
        var (moved, shifts) = (tracks, [Int64]())
        for (index, track) in tracks.enumerated() {
            let zero = origin.converted(to: track.timescale)
            let shift = firsts[index]?.decodeTime ?? zero &- track.timing.presentationOffset
            let offset = shift &+ track.timing.presentationOffset &- zero
            moved[index].timing = TrackTiming(
                timescale: track.timescale,
                mediaTime: UInt64(clamping: -offset),
                delay: UInt64(clamping: offset)
            )
            shifts.append(shift)
        }
        return (moved, shifts)
    }
}

extension MovieTracks {
    /// Returns whether another `moov` box describes the same tracks.
    fileprivate func isSame(as other: MovieTracks) -> Bool {
        trackIndexes == other.trackIndexes
            && tracks.elementsEqual(other.tracks) { own, other in
                own.format == other.format && own.timescale == other.timescale && own.timing == other.timing
                    && own.language == other.language && (own.width, own.height) == (other.width, other.height)
                    && own.sampleEntry?.boxes == other.sampleEntry?.boxes
            }
    }
}
