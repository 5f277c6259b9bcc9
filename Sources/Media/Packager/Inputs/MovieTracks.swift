import ByteCoding
import MediaFormats

/// The tracks of a movie that can be packaged.
struct MovieTracks {
    /// The tracks, in the order of the movie.
    var tracks: [MediaTrack] = []
    /// The places in ``tracks`` by track ID.
    var places: [UInt32: Int] = [:]
    /// What was left out, and why.
    var warnings: [String] = []

    /// Looks at all tracks.
    ///
    /// - Throws: ``InputFailure`` when one is encrypted or cannot be read, or none can be packaged.
    init(_ movie: Movie, of name: String) throws {
        for track in movie.tracks {
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
            throw InputFailure(name, (["no track can be packaged"] + warnings).joined(separator: "; "))
        }
    }

    /// Holds that a sample can be packaged.
    ///
    /// - Throws: ``InputFailure`` when it is encrypted, or described otherwise than the first ones.
    static func check(_ sample: Sample, of name: String) throws {
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
    }
}
