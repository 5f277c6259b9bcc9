import ByteCoding
package import MediaFormats

/// An MP4 or QuickTime file, mapped into memory. Samples are places in it; nothing is copied.
package final class MovieFileInput: MediaInput {
    package let name: String
    package let tracks: [MediaTrack]
    package let warnings: [String]
    package private(set) var position = 0

    private let file: MappedFile
    private let movie: MovieFile
    private var cursor: MovieSampleCursor
    /// The places in ``tracks`` by track ID.
    private let places: [UInt32: Int]

    /// Reads the headers of a file.
    ///
    /// - Throws: ``InputFailure`` when it is no movie, is cut off, is encrypted, or has no track that can be packaged.
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
                "it is cut off: of the \(truncation.type) box at byte \(truncation.offset) \(truncation.missing) bytes "
                    + "are missing; copy the file again"
            )
        }
        var tracks: [MediaTrack] = []
        var places: [UInt32: Int] = [:]
        var warnings: [String] = []
        for track in movie.movie.tracks {
            do {
                tracks.append(try MediaTrack(track))
                places[track.id] = tracks.count - 1
            } catch let refusal as MediaTrack.Refusal {
                if refusal == .encrypted { throw InputFailure(name, "track \(track.id) \(refusal)") }
                warnings.append("\(name): track \(track.id) \(refusal); it is left out")
            } catch let error as ParseError {
                throw InputFailure(name, "\(error)")
            }
        }
        guard !tracks.isEmpty else {
            throw InputFailure(name, (["no track can be packaged"] + warnings.map { "\($0)" }).joined(separator: "; "))
        }
        self.tracks = tracks
        self.places = places
        self.warnings = warnings
        cursor = movie.samples(of: Set(places.keys))
    }

    package var byteCount: Int? { file.count }

    package func next() throws -> (track: Int, sample: MediaSample)? {
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
        guard let track = places[sample.trackID] else { return try next() }
        guard sample.protection == nil else {
            throw InputFailure(name, "track \(sample.trackID) \(MediaTrack.Refusal.encrypted)")
        }
        guard sample.descriptionIndex == 1 else {
            throw InputFailure(
                name,
                "track \(sample.trackID) changes its sample description at byte \(sample.offset), which cannot be "
                    + "packaged as one rendition; encode it anew with one configuration"
            )
        }
        position = max(position, sample.range.upperBound)
        return (track, MediaSample(sample, in: file))
    }
}

extension MediaSample {
    /// A sample of a movie that lies in `bytes`.
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
