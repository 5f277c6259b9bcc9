public import DRMSignaling

/// What is to be packaged, and how: the options of `keyway package`, or a job file, as values. Nothing has been opened
/// yet.
///
///     job  ->  PackagingPlan (inputs opened, tracks known)  ->  PackagingRun  ->  files
///
/// ``validate()`` says what contradicts itself. What depends on the inputs is asked while planning:
/// ``trackClass(of:from:)``, ``protection(of:)``, ``check(_:)``, ``checkClearLead(presentation:)``.
public struct PackagingJob: Sendable {
    /// Which container media segments have.
    public enum Container: String, Hashable, Sendable, CaseIterable {
        /// Fragmented MP4 (CMAF).
        case fmp4
        /// MPEG-2 transport streams for video, packed audio for audio.
        case ts
    }

    /// What tells players of the media.
    public enum Manifest: String, Hashable, Sendable, CaseIterable {
        /// HLS playlists.
        case hls
        /// A DASH manifest.
        case dash
    }

    /// What files are called. Names are relative to the folder of a rendition, that of the Multivariant Playlist to the
    /// output folder.
    package struct FileNames: Hashable, Sendable {
        /// The Multivariant Playlist.
        package var multivariant = "main.m3u8"
        /// The DASH manifest.
        package var dash = "main.mpd"
        /// A rendition's Media Playlist.
        package var media = "media.m3u8"
        /// The playlist of I-frames beside it; nil: there is none.
        package var iFrames: String? = "iframes.m3u8"
        /// What stands before the number of a segment: `fileSequence` makes `fileSequence1.m4s`.
        package var segmentPrefix = ""

        /// The names of `keyway package`.
        package init() {}

        /// Whether a file in a rendition's folder has a name that the packager gives: a playlist, an init segment, a
        /// segment, or a whole rendition. Files with other names were put there by others, and stay.
        package func isPackaged(_ file: String) -> Bool {
            if [media, iFrames, "all.vtt"].contains(file) { return true }
            if file.wholeMatch(of: /init(-clear|-[0-9]+)?\.mp4/) != nil { return true }
            let extensions = ["m4s", "mp4", "ts", "aac", "ac3", "ec3", "mp3", "vtt"]
            guard let dot = file.lastIndex(of: "."), extensions.contains(String(file[file.index(after: dot)...])) else {
                return false
            }
            let name = file[..<dot]
            guard name != "media" else { return true }
            guard name.hasPrefix(segmentPrefix) else { return false }
            let number = name.dropFirst(segmentPrefix.count)
            return !number.isEmpty && number.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        }
    }

    /// The inputs, in the order in which their renditions come.
    public var inputs: [Input]
    /// The folder of the presentation.
    public var output: String
    /// Whether what is in the folder may be replaced.
    public var overwrites = false
    /// What files are called.
    package var names = FileNames()

    /// How media is encrypted; nil: it stays clear.
    public var scheme: TrackProtection.Scheme?
    /// How many bytes the initialization vector of a sample has with `cenc`: 8 or 16.
    public var ivSize = 8
    /// Which manifests are written.
    public var manifests: Set<Manifest> = [.hls]
    /// Which container media segments have.
    public var container = Container.fmp4
    /// Whether a rendition is one file with byte ranges.
    public var isSingleFile = false
    /// How long segments are aimed to be.
    public var segmentDuration = MediaTime(6, timescale: 1)
    /// How much of the beginning stays clear; nil: nothing.
    public var clearLead: MediaTime?
    /// How a presentation without an end is kept; nil: inputs are packaged from their beginnings to their ends.
    package var live: LiveOptions?

    /// The content keys; with key periods those of the one that is being packaged.
    public var keys = ContentKeys()
    /// Whether keys come only when the tracks are known, from ``ContentKeyPeriods``; ``PackagingPlan/use(_:)`` brings them.
    package var awaitsKeys = false
    /// How often keys change; nil: never.
    package var rotation: KeyRotation?
    /// Whom the keys are signaled to.
    public var systems: [ProtectionSystem] = []
    /// What the URIs of keys look like; nil: as FairPlay has them unless another is asked for.
    public var keyURI: KeyURITemplate?
    /// What `{title}` of the key URI stands for.
    public var title: String?
    /// HDCP-LEVEL and ALLOWED-CPC.
    package var outputProtection = OutputProtectionRules.standard

    /// Makes a job that leaves everything clear.
    ///
    /// - Parameters:
    ///   - inputs: The inputs.
    ///   - output: The folder of the presentation.
    public init(inputs: [Input], output: String) {
        self.inputs = inputs
        self.output = output
    }
}

extension PackagingJob {
    /// The names of the files that players open, HLS first.
    public var manifestNames: [String] {
        (manifests.contains(.hls) ? [names.multivariant] : []) + (manifests.contains(.dash) ? [names.dash] : [])
    }
}
