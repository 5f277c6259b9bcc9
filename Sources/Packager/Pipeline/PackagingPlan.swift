package import MediaFormats

/// What is to be done, worked out from a job and from what its inputs turned out to be. Nothing has been written yet: a
/// dry run prints this.
package struct PackagingPlan {
    /// Which container media segments have.
    package enum Container: String, Sendable, CaseIterable {
        /// Fragmented MP4 (CMAF).
        case fmp4
        /// MPEG-2 transport streams; audio alone goes into packed audio.
        case ts
    }

    /// A rendition to be: one track of one input.
    package struct Rendition: Sendable {
        /// The place of its input in ``inputs``.
        package var input: Int
        /// The place of its track in the input.
        package var track: Int
        /// The track.
        package var media: MediaTrack
        /// Its folder below the Multivariant Playlist.
        package var folder: String
        /// Its name for people.
        package var name: String
        /// The language as a BCP 47 tag; nil: not known.
        package var language: String?
        /// The group of EXT-X-MEDIA, where the job names one.
        package var group: String?
        /// What it is for.
        package var role: String?
        /// How it is encrypted; nil: it stays clear.
        package var protection: TrackProtection?

        /// Describes a rendition to be; parameters as the properties.
        package init(
            input: Int,
            track: Int,
            media: MediaTrack,
            folder: String,
            name: String,
            language: String? = nil,
            group: String? = nil,
            role: String? = nil,
            protection: TrackProtection? = nil
        ) {
            self.input = input
            self.track = track
            self.media = media
            self.folder = folder
            self.name = name
            self.language = language
            self.group = group
            self.role = role
            self.protection = protection
        }
    }

    /// The inputs, opened.
    package var inputs: [any MediaInput]
    /// What becomes of their tracks.
    package var renditions: [Rendition]
    /// The folder of the presentation.
    package var output: String
    /// Which container media segments have.
    package var container: Container
    /// How long segments are aimed to be.
    package var segmentDuration: MediaTime
    /// How much of the beginning stays clear.
    package var clearLead: MediaTime?
    /// Whether a rendition is one file with byte ranges.
    package var isSingleFile: Bool
    /// The `pssh` boxes of protected init segments.
    package var systems: [ProtectionSystemHeaderBox]

    /// Describes what is to be done; parameters as the properties.
    package init(
        inputs: [any MediaInput],
        renditions: [Rendition],
        output: String,
        container: Container = .fmp4,
        segmentDuration: MediaTime,
        clearLead: MediaTime? = nil,
        isSingleFile: Bool = false,
        systems: [ProtectionSystemHeaderBox] = []
    ) {
        self.inputs = inputs
        self.renditions = renditions
        self.output = output
        self.container = container
        self.segmentDuration = segmentDuration
        self.clearLead = clearLead
        self.isSingleFile = isSingleFile
        self.systems = systems
    }
}
