import ByteCoding
package import MediaFormats

/// An MP4 or QuickTime file, mapped into memory. Samples reference byte ranges of the file; nothing is copied.
package final class MovieFileInput: MediaInput {
    package let name: String
    package let tracks: [MediaTrack]
    package private(set) var position = 0

    private let file: MappedFile
    private let movie: MovieFile
    private var cursor: MovieSampleCursor
    /// The indexes in ``tracks`` by track ID.
    private let trackIndexes: [UInt32: Int]
    private let skipped: [String]
    private let unsupported: [Omission]
    /// The ends of tracks that a truncated file lacks.
    private var missingTails: [MissingTail] = []
    private var repairs: [StartCodeRepair] = []
    /// The parameter sets to remove from samples, by track.
    private let parameterSets: [Int: InBandParameterSets]

    /// Parses the file's headers.
    ///
    /// - Throws: ``InputFailure`` if the file is not a movie, is encrypted, or has no track that can be packaged.
    package init(_ file: MappedFile) throws {
        self.file = file
        name = file.path
        do {
            let movie = try file.withBytes { try MovieFile(reading: $0) }
            let tails = movie.truncation == nil ? [] : try file.withBytes { try movie.missingTails($0) }
            var found = try MovieTracks(movie.movie, of: file.path) { track in
                try file.withBytes { try movie.content(of: track, $0, tails) }
            }
            self.movie = movie
            missingTails = tails.filter { found.trackIndexes[$0.trackID] != nil }
            parameterSets = file.withBytes { found.moveParameterSets(of: movie, in: $0) }
            tracks = found.tracks
            trackIndexes = found.trackIndexes
            skipped = found.warnings + file.withBytes { movie.missingDurations($0, of: file.path) }
            unsupported = found.omissions
        } catch let error as ParseError {
            throw InputFailure(file.path, "\(error)")
        }
        repairs = tracks.map { StartCodeRepair($0.format) }
        cursor = movie.samples(of: Set(trackIndexes.keys), endsAtMissingTail: true)
    }

    package var warnings: [String] {
        var warnings = skipped
        if let truncation = movie.truncation {
            let place = "at byte \(truncation.offset)"
            warnings.append(
                truncation.type == "    "
                    ? "\(name): the bytes \(place) at the end of the file are not a box; they are ignored"
                    : "\(name): the file is truncated: the \(truncation.type) box \(place) ends \(truncation.missing) "
                        + (truncation.missing == 1 ? "byte" : "bytes") + " behind the end of the file"
                        + (missingTails.isEmpty ? "; all samples are complete" : "")
            )
        }
        warnings += missingTails.filter { !isLoss($0) }.map { "\(name): track \($0.trackID) \(reason($0))" }
        return warnings + repairs.filter(\.isActive).map { _ in "\(name): \(StartCodeRepair.warning)" }
    }

    package var omissions: [Omission] {
        unsupported
            + missingTails.filter(isLoss).compactMap { tail in
                trackIndexes[tail.trackID].map { index in
                    Omission(tracks[index].kind, "track \(tail.trackID)", reason(tail), advice: "copy the file again")
                }
            }
    }

    /// The longest missing end that is only a warning, in seconds: recorders that stop abruptly lose a few samples.
    private static let tolerance: UInt64 = 1

    private func isLoss(_ tail: MissingTail) -> Bool {
        guard let index = trackIndexes[tail.trackID] else { return false }
        return tail.sampleCount == 0 || tail.duration > Self.tolerance * UInt64(tracks[index].timescale)
    }

    private func reason(_ tail: MissingTail) -> String {
        guard tail.sampleCount > 0, let index = trackIndexes[tail.trackID] else {
            return "ends early: the last fragment is missing in the truncated file"
        }
        let seconds = RationalTime(Int64(clamping: tail.duration), timescale: tracks[index].timescale).seconds
        return "ends early: the last \((seconds * 1000).rounded() / 1000) s (samples \(tail.firstSample) to "
            + "\(tail.firstSample + tail.sampleCount - 1)) are missing in the "
            + (movie.truncation == nil ? "file" : "truncated file")
    }

    package var byteCount: Int? { file.count }

    package func next() throws -> InputEvent? {
        let sample: Sample?
        do {
            sample = try file.withBytes { try cursor.next($0) }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
        guard let sample else {
            position = file.count
            missingTails = cursor.missingTails
            return nil
        }
        guard let track = trackIndexes[sample.trackID] else { return try next() }
        try MovieTracks.check(sample, of: name)
        position = max(position, sample.range.upperBound)
        var read = MediaSample(sample, in: file)
        if repairs[track].isNeeded { read = try repairs[track].repaired(read, of: name) }
        if let sets = parameterSets[track] {
            do {
                read = try sets.removeSets(from: read)
            } catch {
                throw InputFailure(name, "track \(sample.trackID), the sample at byte \(sample.offset): \(error)")
            }
        }
        return .sample(track: track, read)
    }
}

extension MovieFile {
    /// Reads all tables, and returns the missing ends of tracks.
    fileprivate func missingTails(_ file: RawSpan) throws(ParseError) -> [MissingTail] {
        var cursor = samples(endsAtMissingTail: true)
        while try cursor.next(file) != nil {}
        return cursor.missingTails
    }

    /// Returns a warning for each track with samples without durations.
    fileprivate func missingDurations(_ file: RawSpan, of name: String) -> [String] {
        movie.tracks.compactMap { track in
            guard let table = track.table else { return nil }
            let count = table.missingDurationCount(in: file)
            guard count > 0 else { return nil }
            return "\(name): track \(track.id) has no durations from sample \(table.sampleCount - count + 1) on; the "
                + "last duration is repeated"
        }
    }

    /// Returns the amount of media of a track.
    fileprivate func content(
        of track: Track,
        _ file: RawSpan,
        _ tails: [MissingTail]
    ) throws(ParseError) -> MovieTracks.Content {
        if tails.contains(where: { $0.trackID == track.id && $0.firstSample == 1 }) { return .missing }
        if let table = track.table {
            let hasDuration = firstFragment != nil || table.duration(in: file) > 0
            return hasDuration ? .samples : .noDuration(samples: table.sampleCount)
        }
        var cursor = samples(of: [track.id], endsAtMissingTail: true)
        return try cursor.next(file) == nil ? .empty : .samples
    }
}

extension MediaSample {
    /// Creates a sample from a movie sample whose data is in `bytes`.
    package init(_ sample: Sample, in bytes: any SampleBytes) {
        self.init(
            bytes: bytes,
            offset: sample.offset,
            size: sample.size,
            decodeTime: Int64(clamping: sample.decodeTime),
            duration: sample.duration,
            compositionOffset: sample.compositionOffset,
            isSync: sample.isSync
        )
    }
}
