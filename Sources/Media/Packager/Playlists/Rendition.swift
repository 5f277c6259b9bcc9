package import DRMSignaling

/// A written rendition: the source of its playlists and manifests.
package struct Rendition: Sendable {
    /// A file, or a byte range of one.
    package struct Resource: Hashable, Sendable {
        /// The name, relative to the Media Playlist.
        package var uri: String
        /// The byte range; nil for the whole file.
        package var byteRange: Range<Int>?

        /// Creates a resource.
        package init(uri: String, byteRange: Range<Int>? = nil) {
            self.uri = uri
            self.byteRange = byteRange
        }
    }

    /// The track; that of the first part, if there are several.
    package var track: MediaTrack
    /// The tracks in later parts of the presentation, by number of the part.
    package var laterTracks: [Int: MediaTrack] = [:]
    /// The name of its folder, relative to the Multivariant Playlist, such as `video-1080`.
    package var folder: String
    /// The name shown to viewers (NAME of EXT-X-MEDIA).
    package var name: String
    /// The language as a BCP 47 tag; nil if unknown.
    package var language: String?
    /// The rendition group in EXT-X-MEDIA (audio, subtitles); nil to choose one by codec.
    package var group: String?
    /// The role: `main`, `alternate`, `description` (audio description), `commentary`, `dub`, `caption`,
    /// `forced-subtitle` ...
    package var role: String?
    /// The encryption with the first key; nil if the rendition is clear.
    package var protection: TrackProtection?
    /// The segments.
    package var segments: [Segment]
    /// The byte ranges of the indexes in a single file, by init segment.
    package var indexes: [Resource: Range<Int>] = [:]
    /// The files with all subtitles of a DASH Period, by the number of the Period's first segment.
    package var wholeFiles: [UInt64: Resource] = [:]
    /// The maximum frame rate in frames per second, measured from the samples; nil unless the track is video.
    package var frameRate: Double?
    /// The average frame rate; nil if it is not measured.
    package var averageFrameRate: Double?
    /// The closed captions in the pictures; nil if they were not searched for.
    var captions: ClosedCaptions?
    /// The durations of the gaps before the first segment, if the rendition starts later than others.
    var leadingGaps: [RationalTime] = []
    /// The class that determines its key and output protection, if the input's policy specifies one; nil to choose by
    /// kind and resolution.
    package var policyClass: TrackClass?

    /// Creates a rendition; for the parameters see the properties.
    package init(
        track: MediaTrack,
        folder: String,
        name: String,
        language: String? = nil,
        group: String? = nil,
        role: String? = nil,
        protection: TrackProtection? = nil,
        segments: [Segment] = [],
        frameRate: Double? = nil,
        policyClass: TrackClass? = nil
    ) {
        self.track = track
        self.folder = folder
        self.name = name
        self.language = language
        self.group = group
        self.role = role
        self.protection = protection
        self.segments = segments
        self.frameRate = frameRate
        self.policyClass = policyClass
    }

    /// The class that determines its key and its output protection; nil for subtitles.
    package var trackClass: TrackClass? {
        switch track.kind {
        case .subtitles: nil
        case .audio: policyClass ?? .audio
        case .video: policyClass ?? TrackClass(width: track.width, height: track.height)
        }
    }
    /// The CODECS attribute: the distinct codecs of all parts.
    package var codecs: [String] {
        var codecs = [track.codecs]
        for part in laterTracks.keys.sorted() {
            guard let more = laterTracks[part]?.codecs, !codecs.contains(more) else { continue }
            codecs.append(more)
        }
        return codecs
    }

    /// Returns the track in a part of the presentation.
    func track(in part: Int) -> MediaTrack { laterTracks[part] ?? track }
}
