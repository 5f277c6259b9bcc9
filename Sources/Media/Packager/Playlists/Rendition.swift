package import DRMSignaling

/// What was written of a track: what its playlists are made from.
package struct Rendition: Sendable {
    /// A file, or a part of one.
    package struct Resource: Hashable, Sendable {
        /// The name, relative to the Media Playlist.
        package var uri: String
        /// Its part; nil: the whole file.
        package var byteRange: Range<Int>?

        /// Describes a resource.
        package init(uri: String, byteRange: Range<Int>? = nil) {
            self.uri = uri
            self.byteRange = byteRange
        }
    }

    /// A media segment.
    package struct Segment: Sendable {
        /// Where it is.
        package var resource: Resource
        /// How many bytes it has.
        package var byteCount: Int
        /// How long it lasts in the presentation.
        package var duration: MediaTime
        /// Whether it is encrypted.
        package var isProtected: Bool
        /// Its key frames, offsets counted from the beginning of the segment.
        package var keyFrames: [KeyFrame]
        /// The number of the key period in which it lies, from 0.
        package var period = 0

        /// Describes a segment.
        package init(
            resource: Resource,
            byteCount: Int,
            duration: MediaTime,
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

    /// What is new with a key period.
    package struct Period: Sendable {
        /// The number of the period, from 0.
        package var number: Int
        /// Its key.
        package var protection: TrackProtection
        /// When it begins, in Unix seconds; nil: it has no date.
        package var start: Int64?
        /// The init segment of its protected segments; nil: the one before serves as well.
        package var initialization: Resource?

        /// Describes a period.
        package init(number: Int, protection: TrackProtection, start: Int64? = nil, initialization: Resource? = nil) {
            self.number = number
            self.protection = protection
            self.start = start
            self.initialization = initialization
        }
    }

    /// The track.
    package var track: MediaTrack
    /// Its folder below the Multivariant Playlist, such as `video-1080`.
    package var folder: String
    /// Its name for people, for NAME of EXT-X-MEDIA.
    package var name: String
    /// The language as a BCP 47 tag; nil: not known.
    package var language: String?
    /// The group of EXT-X-MEDIA (audio, subtitles).
    package var group: String?
    /// `main`, `alternate`, `description` (audio description), `commentary`, `dub`, `caption`, `forced-subtitle` ...
    package var role: String?
    /// How it is encrypted; nil: it is clear.
    package var protection: TrackProtection?
    /// The key periods behind the first one, in order.
    package var laterPeriods: [Period] = []
    /// When the first key period begins, in Unix seconds; nil: it has no date.
    package var periodStart: Int64?
    /// The init segment of protected segments, or of all when nothing is encrypted; that of the first key period.
    package var initialization: Resource?
    /// The init segment of a clear lead.
    package var clearInitialization: Resource?
    /// Its segments.
    package var segments: [Segment]
    /// When the first segment begins in the presentation.
    package var start = MediaTime.zero
    /// Where the index of a single file lies: of protected segments, or of all when nothing is encrypted.
    package var index: Range<Int>?
    /// The index of a clear lead.
    package var clearIndex: Range<Int>?
    /// All subtitles in one file, for DASH.
    package var wholeFile: Resource?
    /// Frames per second, from the samples that were seen; nil unless it is video.
    package var frameRate: Double?
    /// Whose key and output protection it has, where its input's policy says so; nil: what its kind and size say.
    package var policyClass: TrackClass?

    /// Describes a rendition; parameters as the properties.
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

    /// The class that decides its key and its output protection; subtitles have none.
    package var trackClass: TrackClass? {
        switch track.kind {
        case .subtitles: nil
        case .audio: policyClass ?? .audio
        case .video: policyClass ?? TrackClass(width: track.width, height: track.height)
        }
    }

    /// How it is encrypted in a key period.
    func protection(in period: Int) -> TrackProtection? {
        laterPeriods.last { $0.number == period }?.protection ?? protection
    }

    /// The init segment of a key period.
    func initialization(in period: Int) -> Resource? {
        laterPeriods.last { $0.number <= period && $0.initialization != nil }?.initialization ?? initialization
    }
}
