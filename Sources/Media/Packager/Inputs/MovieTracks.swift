import ByteCoding
import MediaFormats

/// The tracks of a movie that can be packaged.
struct MovieTracks {
    /// The tracks, in the order of the movie.
    var tracks: [MediaTrack] = []
    /// The indexes in ``tracks`` by track ID.
    var trackIndexes: [UInt32: Int] = [:]
    /// The tracks that were skipped, and why.
    var warnings: [String] = []

    /// Inspects all tracks.
    ///
    /// - Throws: ``InputFailure`` if a track is encrypted or cannot be parsed, or if no track can be packaged.
    init(_ movie: Movie, of name: String) throws {
        for track in movie.tracks {
            do {
                tracks.append(try MediaTrack(track))
                trackIndexes[track.id] = tracks.count - 1
            } catch let reason as MediaTrack.UnsupportedReason {
                if reason == .encrypted { throw InputFailure(name, "track \(track.id) \(reason)") }
                warnings.append("\(name): track \(track.id) \(reason); the track is skipped")
            } catch let error as ParseError {
                throw InputFailure(name, "\(error)")
            }
        }
        guard !tracks.isEmpty else {
            throw InputFailure(name, (["no track can be packaged"] + warnings).joined(separator: "; "))
        }
    }

    /// Checks that a sample can be packaged.
    ///
    /// - Throws: ``InputFailure`` if the sample is encrypted or uses another sample description than the first one.
    static func check(_ sample: Sample, of name: String) throws {
        guard sample.protection == nil else {
            throw InputFailure(name, "track \(sample.trackID) \(MediaTrack.UnsupportedReason.encrypted)")
        }
        guard sample.descriptionIndex == 1 else {
            throw InputFailure(
                name,
                "track \(sample.trackID) changes its sample description at byte \(sample.offset), which cannot be "
                    + "packaged as one rendition; encode the track again with a single configuration"
            )
        }
    }
}
