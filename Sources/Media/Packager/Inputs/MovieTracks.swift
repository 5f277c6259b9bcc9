import ByteCoding
import MediaFormats
import TextCoding

/// The tracks of a movie: those that can be packaged, and the reasons why others cannot.
struct MovieTracks {
    /// The amount of media of a track.
    enum Content {
        case samples
        /// The track has no samples.
        case empty
        /// The track has samples, but a truncated file lacks them.
        case missing
        /// The track has samples whose durations are all 0; their number.
        case noDuration(samples: Int)
        /// Samples may follow, as from a pipe.
        case unknown
    }

    /// The tracks, in the order of the movie.
    var tracks: [MediaTrack] = []
    /// The indexes in ``tracks`` by track ID.
    var trackIndexes: [UInt32: Int] = [:]
    /// The skipped tracks that are empty, or are neither video nor audio nor subtitles.
    var warnings: [String] = []
    /// The video, audio and subtitle tracks that cannot be packaged.
    var omissions: [Omission] = []

    /// Inspects all tracks.
    ///
    /// - Parameter content: Returns the amount of media of a track.
    /// - Throws: ``InputFailure`` if a track is encrypted or cannot be parsed, or if no track can be packaged; errors of
    ///   `content`.
    init(_ movie: Movie, of name: String, content: (Track) throws -> Content) throws {
        let chapters = Set(movie.tracks.flatMap(\.chapterTrackIDs))
        for track in movie.tracks {
            do {
                try add(track, isChapters: chapters.contains(track.id), name, content)
            } catch let error as ParseError {
                let (text, label) = ("\(error)", "track \(track.id)")
                throw InputFailure(name, text.contains(label) ? text : "\(label): \(text)")
            }
        }
        guard tracks.isEmpty else { return }
        guard !omissions.isEmpty else {
            throw InputFailure(name, (["no track can be packaged"] + warnings).joined(separator: "; "))
        }
        throw InputFailure(name, "no track can be packaged; " + OmissionFailure(name, omissions, packaged: []).reason)
    }

    private mutating func add(
        _ track: Track,
        isChapters: Bool,
        _ name: String,
        _ content: (Track) throws -> Content
    ) throws {
        let label = "track \(track.id)"
        func skipped(_ reason: String) -> String { "\(name): \(label) \(reason); the track is skipped" }
        guard let kind = Self.kind(of: track), !isChapters else {
            let type = isChapters ? "chapters" : SampleFormatName.name(ofHandler: track.kind)
            return warnings.append(skipped("contains \(type)"))
        }
        let amount = try content(track)
        if case .empty = amount { return warnings.append(skipped("has no samples")) }
        guard kind != .subtitles else {
            let entry = track.descriptions.first
            let format = entry.map(SampleFormatName.name) ?? SampleFormatName.name(ofHandler: track.kind)
            let isText = entry.map { ["tx3g", "text", "wvtt"].contains($0.format) } ?? false
            let reason = "contains subtitles in the format \(format), which cannot be packaged"
            let advice = isText ? Conversion.subtitleTrack : nil
            return omissions.append(Omission(.subtitles, label, reason, advice: advice))
        }
        if let entry = track.descriptions.first, SampleFormatName.isStillPicture(entry), track.table?.sampleCount == 1 {
            return warnings.append(skipped("is a still picture, such as cover art"))
        }
        if let entry = track.descriptions.first, entry.lacksDecoderConfiguration {
            let reason = "has an empty decoder configuration: its movie box was written before the first frame"
            return omissions.append(Omission(kind, label, reason, advice: "with ffmpeg, add -movflags +delay_moov"))
        }
        do {
            let media = try MediaTrack(track)
            switch amount {
            case .noDuration(let count):
                let reason = "has only \(counted(count, "sample")) of duration 0, which are never presented"
                return omissions.append(Omission(kind, label, reason, advice: Conversion.encode))
            case .missing:
                let reason = "is missing: the file is truncated before its first sample"
                return omissions.append(Omission(kind, label, reason, advice: "copy the file again"))
            case .samples, .unknown, .empty: break
            }
            tracks.append(media)
            trackIndexes[track.id] = tracks.count - 1
        } catch let reason as MediaTrack.UnsupportedReason {
            if reason == .encrypted { throw InputFailure(name, "\(label) \(reason)") }
            omissions.append(Omission(kind, "\(label) (\(kind.rawValue))", "\(reason)"))
        }
    }

    /// Returns the kind of a track; nil if it is neither video nor audio nor subtitles. Closed captions (`clcp`) are no
    /// subtitles: the pictures contain them too.
    private static func kind(of track: Track) -> MediaTrack.Kind? {
        switch track.kind {
        case "vide": .video
        case "soun": .audio
        case "sbtl", "subt", "subp", "text": .subtitles
        default: nil
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

extension SampleEntry {
    /// True for AAC with an esds box without an AudioSpecificConfig, which ffmpeg writes into fragmented MP4 if it does
    /// not know the configuration yet.
    fileprivate var lacksDecoderConfiguration: Bool {
        guard format == "mp4a", let descriptor = try? elementaryStreamDescriptor() else { return false }
        return descriptor.objectType == ElementaryStreamDescriptorBox.mpeg4Audio
            && descriptor.decoderSpecificInfo.isEmpty
    }
}
