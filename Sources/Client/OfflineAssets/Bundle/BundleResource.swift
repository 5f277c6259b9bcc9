/// A file of media of a bundle: what one request fetches.
public struct BundleResource: Sendable, Hashable {
    /// Its name below the bundle's folder, such as `media/video-1/000001.m4s`.
    public let file: String
    /// Where it comes from.
    public let url: String
    /// Which bytes of that; nil for all.
    public let range: Range<UInt64>?
    /// Its length in bytes and its SHA-256, 32 bytes; nil until it is complete.
    public var content: Content?

    /// What a complete file holds.
    public struct Content: Sendable, Hashable {
        /// In bytes.
        public let length: UInt64
        /// 32 bytes.
        public let sha256: [UInt8]
    }

    init(file: String, url: String, range: Range<UInt64>?, content: Content? = nil) {
        (self.file, self.url, self.range, self.content) = (file, url, range, content)
    }

    /// Whether a name is one that the downloader gives: `media`, a folder and a file of harmless letters, so that nothing
    /// that is read from a file leads out of a bundle.
    static func isOwn(_ file: String) -> Bool {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == "media" && parts.dropFirst().allSatisfy(BundlePlaylist.isHarmless)
    }
}

/// A Media Playlist of a bundle, or its Multivariant Playlist.
public struct BundlePlaylist: Sendable, Hashable {
    /// What it is of.
    public enum Kind: String, Sendable, CaseIterable {
        /// The Multivariant Playlist.
        case multivariant
        /// A variant, or the one Media Playlist that there is.
        case variant
        /// A rendition.
        case audio, video, subtitles
        /// I-frames.
        case iFrames = "i-frames"
    }

    /// Its name in the bundle's folder, such as `video-1.m3u8`.
    public let file: String
    /// Where it came from, after redirects.
    public let url: String
    /// What it is of.
    public let kind: Kind
    /// In words: size and bit rate of a variant, language and name of a rendition.
    public let label: String
    /// The SHA-256 of the local playlist, 32 bytes.
    public let sha256: [UInt8]

    /// Whether a name holds nothing but lower case letters, digits, hyphens and single dots between them.
    static func isHarmless(_ name: some StringProtocol) -> Bool {
        guard (1...64).contains(name.utf8.count), name.utf8.first != 0x2E else { return false }
        return name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
        }
    }
}
