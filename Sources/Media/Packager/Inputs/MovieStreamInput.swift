import ByteCoding
import FileWriting
import MediaFormats

/// An MP4 or QuickTime file read from a pipe. Its `moov` box must precede the media; samples are returned in the order
/// of the file.
package final class MovieStreamInput: MediaInput {
    package let name: String
    package var tracks: [MediaTrack] { movie.tracks }
    package var warnings: [String] { movie.warnings }

    private let source: any ByteSource
    private let movie: MovieTracks
    private var stream = MovieStream()
    private var hasEnded = false
    /// The end time of the last sample of each track, in the track's timescale.
    private var ends: [Int: Int64] = [:]
    package private(set) var discontinuityCount = 0
    /// The largest difference between a fragment's time and the expected time, in seconds; a larger one is a
    /// discontinuity.
    private static let maximumGap: Int64 = 10

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
                case .movie(let read): movie = try MovieTracks(read, of: source.name)
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
        guard let movie else { throw InputFailure(source.name, "the file has no moov box") }
        self.movie = movie
        self.stream = stream
    }

    package var byteCount: Int? { source.byteCount }
    package var position: Int { source.position }

    package func next() throws -> InputEvent? {
        do {
            while !hasEnded {
                switch try stream.next() {
                case .sample(let read):
                    guard let track = movie.trackIndexes[read.sample.trackID] else { continue }
                    try MovieTracks.check(read.sample, of: name)
                    var sample = MediaSample(read.sample, in: BufferedBytes(read.bytes))
                    sample.offset = 0
                    recordEnd(sample, of: track)
                    return .sample(track: track, sample)
                case .some: break
                case nil:
                    if try !source.next({ stream.push($0) }) {
                        hasEnded = true
                        try stream.finish()
                    }
                }
            }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
        return nil
    }

    private func recordEnd(_ sample: MediaSample, of track: Int) {
        let gap = Self.maximumGap * Int64(tracks[track].timescale)
        let (difference, overflow) = sample.decodeTime.subtractingReportingOverflow(ends[track] ?? sample.decodeTime)
        if overflow || difference.magnitude > gap.magnitude { discontinuityCount += 1 }
        ends[track] = sample.decodeTime.addingReportingOverflow(Int64(sample.duration)).partialValue
    }
}
