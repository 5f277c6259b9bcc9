public import DRMSignaling

/// A packaging job: the options of `keyway package`, or of a job file, as values. No file has been opened yet.
///
///     job  ->  PackagingPlan (inputs opened, tracks known)  ->  PackagingRun  ->  files
///
/// ``validate()`` rejects options that contradict one another. Checks that depend on the inputs run during planning:
/// ``trackClass(of:from:)``, ``protection(of:)``, ``check(_:)``, ``checkClearLead(presentation:)``.
public struct PackagingJob: Sendable {
    /// The container format of media segments.
    public enum Container: String, Hashable, Sendable, CaseIterable {
        /// Fragmented MP4 (CMAF).
        case fmp4
        /// MPEG-2 transport streams for video, packed audio for audio.
        case ts
    }

    /// A manifest format.
    public enum Manifest: String, Hashable, Sendable, CaseIterable {
        /// HLS playlists.
        case hls
        /// A DASH manifest.
        case dash
    }

    /// The names of the output files. They are relative to the rendition's folder, except the Multivariant Playlist and
    /// the DASH manifest, which are relative to the output folder.
    package struct FileNames: Hashable, Sendable {
        /// The Multivariant Playlist.
        package var multivariant = "main.m3u8"
        /// The DASH manifest.
        package var dash = "main.mpd"
        /// A rendition's Media Playlist.
        package var media = "media.m3u8"
        /// The I-frame playlist of a video rendition; nil for none.
        package var iFrames: String? = "iframes.m3u8"
        /// The prefix of segment names, before the number: `fileSequence` gives `fileSequence1.m4s`.
        package var segmentPrefix = ""

        /// Creates the default names of `keyway package`.
        package init() {}

        /// Returns whether a file in a rendition's folder has a name that the packager uses: a playlist, an init
        /// segment, a segment, or a whole rendition. Files with other names are not the packager's and are kept.
        package func isPackaged(_ file: String) -> Bool {
            if [media, iFrames].contains(file) { return true }
            if file.wholeMatch(of: /init(-clear|-[0-9]+(-[0-9]+)?)?\.mp4|all(-[0-9]+)?\.vtt/) != nil { return true }
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

    /// The inputs, in the order of their renditions.
    public var inputs: [Input]
    /// The path of the output folder.
    public var output: String
    /// True if existing output may be replaced.
    public var overwrites = false
    /// True if video, audio and subtitles that cannot be packaged are left out with a warning: tracks in unsupported
    /// formats, the missing end of a truncated file. By default they are an error (``OmissionFailure``).
    public var skipsUnsupported = false
    /// The names of the output files.
    package var names = FileNames()

    /// The encryption scheme; nil to leave the media clear.
    public var scheme: TrackProtection.Scheme?
    /// The size of each sample's initialization vector with `cenc`: 8 or 16 bytes.
    public var ivSize = 8
    /// The manifest formats to write.
    public var manifests: Set<Manifest> = [.hls]
    /// The container format of media segments.
    public var container = Container.fmp4
    /// True if each rendition is a single file with byte ranges.
    public var isSingleFile = false
    /// The target duration of segments.
    public var segmentDuration = RationalTime(6, timescale: 1)
    /// The duration of the clear lead at the start; nil for none.
    public var clearLead: RationalTime?
    /// The options of a live presentation; nil for VOD.
    package var live: LiveOptions?

    /// The content keys; with key rotation, the keys of the current key period.
    public var keys = ContentKeys()
    /// True if keys become available only after the tracks are known, from ``ContentKeyPeriods``; see
    /// ``PackagingPlan/use(_:)``.
    package var keysArriveLater = false
    /// The key rotation options; nil if keys never change.
    package var rotation: KeyRotation?
    /// The DRM systems for which the keys are signaled.
    public var systems: [ProtectionSystem] = []
    /// The template of key URIs; nil to use the default of FairPlay.
    public var keyURI: KeyURITemplate?
    /// The FPS versions that FairPlay keys signal; nil for version 1.
    package var keyFormatVersions: FairPlayVersions?
    /// The URLs of license servers and of the certificate, for DASH manifests.
    package var licenseURLs = LicenseURLs()
    /// The value of `{title}` in key URIs.
    public var title: String?
    /// The rules for HDCP-LEVEL and ALLOWED-CPC.
    package var outputProtection = OutputProtectionRules.standard

    /// Creates a job that does not encrypt.
    ///
    /// - Parameters:
    ///   - inputs: The inputs.
    ///   - output: The path of the output folder.
    public init(inputs: [Input], output: String) {
        self.inputs = inputs
        self.output = output
    }
}

extension PackagingJob {
    /// The names of the manifests that players open, HLS first.
    public var manifestNames: [String] {
        (manifests.contains(.hls) ? [names.multivariant] : []) + (manifests.contains(.dash) ? [names.dash] : [])
    }
}
