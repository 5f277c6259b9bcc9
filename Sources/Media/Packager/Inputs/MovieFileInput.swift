import ByteCoding
package import MediaFormats

/// An MP4 or QuickTime file, mapped into memory. Samples reference byte ranges of the file; nothing is copied.
package final class MovieFileInput: MediaInput {
    package let name: String
    package let tracks: [MediaTrack]
    package let warnings: [String]
    package private(set) var position = 0

    private let file: MappedFile
    private let movie: MovieFile
    private var cursor: MovieSampleCursor
    /// The indexes in ``tracks`` by track ID.
    private let trackIndexes: [UInt32: Int]

    /// Parses the file's headers.
    ///
    /// - Throws: ``InputFailure`` if the file is not a movie, is truncated, is encrypted, or has no track that can be
    ///   packaged.
    package init(_ file: MappedFile) throws {
        self.file = file
        name = file.path
        let name = file.path
        do {
            movie = try file.withBytes { try MovieFile(reading: $0) }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
        if let truncation = movie.truncation, truncation.type != "    " {
            throw InputFailure(
                name,
                "the file is truncated: \(truncation.missing) bytes are missing at the end of the \(truncation.type) "
                    + "box at byte \(truncation.offset); copy the file again"
            )
        }
        let found = try MovieTracks(movie.movie, of: name)
        tracks = found.tracks
        trackIndexes = found.trackIndexes
        warnings = found.warnings
        cursor = movie.samples(of: Set(trackIndexes.keys))
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
            return nil
        }
        guard let track = trackIndexes[sample.trackID] else { return try next() }
        try MovieTracks.check(sample, of: name)
        position = max(position, sample.range.upperBound)
        return .sample(track: track, MediaSample(sample, in: file))
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
