import FPSCrypto

/// A media file of a bundle, downloaded with one request.
public struct BundleResource: Sendable, Hashable {
    /// The path relative to the bundle's folder, such as `media/video-1/000001.m4s`.
    public let file: String
    /// The URL of the file.
    public let url: String
    /// The byte range of the URL; nil means the whole resource.
    public let range: Range<UInt64>?
    /// The length and checksum of the file; nil until it is complete.
    public var content: Content?

    /// The length and checksum of a complete file.
    public struct Content: Sendable, Hashable {
        /// The length in bytes.
        public let length: UInt64
        /// The SHA-256, 32 bytes.
        public let sha256: [UInt8]
    }

    init(file: String, url: String, range: Range<UInt64>?, content: Content? = nil) {
        (self.file, self.url, self.range, self.content) = (file, url, range, content)
    }

    /// Returns whether a path has the form that the downloader uses: `media`, a folder and a file with safe characters,
    /// so that a path read from a file cannot lead out of the bundle.
    static func isValidPath(_ file: String) -> Bool {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == "media" && parts.dropFirst().allSatisfy(BundlePlaylist.isSafe)
    }
}

/// A Media Playlist of a bundle, or its Multivariant Playlist.
public struct BundlePlaylist: Sendable, Hashable {
    /// The kind of playlist.
    public enum Kind: String, Sendable, CaseIterable {
        /// The Multivariant Playlist.
        case multivariant
        /// A variant, or the only Media Playlist.
        case variant
        /// A rendition.
        case audio, video, subtitles
        /// An I-frame playlist.
        case iFrames = "i-frames"
    }

    /// The file name in the bundle's folder, such as `video-1.m3u8`.
    public let file: String
    /// The URL of the playlist, after redirects.
    public let url: String
    /// The kind of playlist.
    public let kind: Kind
    /// A label for display: the resolution and bandwidth of a variant, or the language and name of a rendition.
    public let label: String
    /// The SHA-256 of the local playlist, 32 bytes.
    public let sha256: [UInt8]
    /// The media sequence number of the next segment to record from a live stream; nil for a VOD stream.
    var next: UInt64?

    init(file: String, url: String, kind: Kind, label: String, sha256: [UInt8]) {
        (self.file, self.url, self.kind, self.label, self.sha256) = (file, url, kind, label, sha256)
    }

    /// Creates the description of a playlist with new bytes.
    init(_ known: BundlePlaylist, bytes: [UInt8]) {
        self.init(file: known.file, url: known.url, kind: known.kind, label: known.label, sha256: SHA256.hash(bytes))
        next = known.next
    }

    /// Returns whether a name contains only lowercase letters, digits, hyphens and dots, and does not start with a dot.
    static func isSafe(_ name: some StringProtocol) -> Bool {
        guard (1...64).contains(name.utf8.count), name.utf8.first != 0x2E else { return false }
        return name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
        }
    }
}
