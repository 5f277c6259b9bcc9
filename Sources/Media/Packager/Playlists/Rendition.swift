package import DRMSignaling

/// A written rendition: the source of its playlists.
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

    /// A media segment.
    package struct Segment: Sendable {
        /// The file and the byte range.
        package var resource: Resource
        /// The size in bytes.
        package var byteCount: Int
        /// The duration in the presentation.
        package var duration: RationalTime
        /// True if it is encrypted.
        package var isProtected: Bool
        /// The key frames, with offsets from the start of the segment.
        package var keyFrames: [KeyFrame]
        /// The number of its key period, from 0.
        package var period = 0

        /// Creates a segment.
        package init(
            resource: Resource,
            byteCount: Int,
            duration: RationalTime,
            isProtected: Bool,
            keyFrames: [KeyFrame]
        ) {
            self.resource = resource
            self.byteCount = byteCount
            self.duration = duration
            self.isProtected = isProtected
            self.keyFrames = keyFrames
        }
    }

    /// The changes at the start of a key period.
    package struct Period: Sendable {
        /// The number of the period, from 0.
        package var number: Int
        /// The encryption.
        package var protection: TrackProtection
        /// The start in Unix seconds; nil if it has no date.
        package var start: Int64?
        /// The init segment of its protected segments; nil to continue with the previous one.
        package var initialization: Resource?

        /// Creates a period.
        package init(number: Int, protection: TrackProtection, start: Int64? = nil, initialization: Resource? = nil) {
            self.number = number
            self.protection = protection
            self.start = start
            self.initialization = initialization
        }
    }

    /// The track.
    package var track: MediaTrack
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
    /// The encryption; nil if the rendition is clear.
    package var protection: TrackProtection?
    /// The key periods after the first one, in order.
    package var laterPeriods: [Period] = []
    /// The start of the first key period in Unix seconds; nil if it has no date.
    package var periodStart: Int64?
    /// The init segment of protected segments, or of all segments if none is encrypted; for the first key period.
    package var initialization: Resource?
    /// The init segment of a clear lead.
    package var clearInitialization: Resource?
    /// The segments.
    package var segments: [Segment]
    /// The start time of the first segment in the presentation.
    package var start = RationalTime.zero
    /// The byte range of the index in a single file: of the protected segments, or of all if none is encrypted.
    package var index: Range<Int>?
    /// The byte range of the index of the clear lead.
    package var clearIndex: Range<Int>?
    /// A file with all subtitles, for DASH.
    package var wholeFile: Resource?
    /// The frame rate in frames per second, measured from the samples; nil unless the track is video.
    package var frameRate: Double?
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
        initialization: Resource? = nil,
        clearInitialization: Resource? = nil,
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
        self.initialization = initialization
        self.clearInitialization = clearInitialization
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

    /// Returns the encryption in a key period.
    func protection(in period: Int) -> TrackProtection? {
        laterPeriods.last { $0.number == period }?.protection ?? protection
    }

    /// Returns the init segment of a key period.
    func initialization(in period: Int) -> Resource? {
        laterPeriods.last { $0.number <= period && $0.initialization != nil }?.initialization ?? initialization
    }
}
