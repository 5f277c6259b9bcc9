import FPSCrypto
import KeyStore
import TextCoding

/// Converts names of CPIX to names of titles and tracks, and back.
///
///     contentId            title      unchanged if it is a valid name; otherwise its first 80 characters, in which all
///                                     except letters, digits, dots, hyphens and underscores are replaced by
///                                     underscores, a hyphen, and the first 8 bytes of its SHA-256 in hexadecimal
///     intendedTrackType    track      in lowercase if it consists of the keywords of DASH-IF and AWS, with + replaced
///                                     by an underscore; otherwise like the title
enum SPEKENames {
    /// The keywords, which are uppercase in documents and lowercase in names of tracks.
    private static let standardTypes: [String: ContentTrack] = [
        "ALL": .unspecified, "AUDIO": .audio, "STEREO_AUDIO": .audio, "MULTICHANNEL_AUDIO": .audio, "VIDEO": .video,
        "SD": .sd, "HD": .hd, "HD1": .hd, "HD2": .hd, "UHD": .uhd, "UHD1": .uhd, "UHD2": .uhd,
    ]

    /// Returns the title's name for a content ID.
    static func title(ofContentID text: String) -> String { name(text) }

    /// Returns the track's name for a track type.
    static func track(ofType text: String) -> String {
        let keywords = self.keywords(text)
        let isStandard = keywords.allSatisfy { standardTypes[$0.uppercased()] != nil }
        return isStandard ? keywords.map { $0.lowercased() }.joined(separator: "_") : name(text)
    }

    /// Returns the track type for a track's name, for documents that are written.
    static func trackType(ofTrack name: String) -> String {
        standardTypes[name.uppercased()] != nil && name == name.lowercased() ? name.uppercased() : name
    }

    /// Returns the kind of track for a track type: the highest class of video that it contains; nil if the type has
    /// unknown keywords.
    static func kind(ofType text: String) -> ContentTrack? {
        var kinds: [ContentTrack] = []
        for keyword in keywords(text) {
            guard let kind = standardTypes[keyword.uppercased()] else { return nil }
            kinds.append(kind)
        }
        let hasAudio = kinds.contains(.audio)
        let videos = kinds.filter(\.isVideo)
        if kinds.contains(.unspecified) || (hasAudio && !videos.isEmpty) { return .unspecified }
        if hasAudio { return .audio }
        return [.uhd, .hd, .sd].first { videos.contains($0) } ?? .video
    }

    /// Returns the keywords of a type: `SD+HD1` has two.
    private static func keywords(_ type: String) -> [Substring] {
        type.split(separator: "+", omittingEmptySubsequences: false)
    }

    private static func name(_ text: String) -> String {
        let characters = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        if characters.elementsEqual(text.utf8), (1...100).contains(characters.count) { return text }
        let hash = Hexadecimal.encode(Array(SHA256.hash(Array(text.utf8)).prefix(8)))
        return String(decoding: characters.prefix(80), as: UTF8.self) + "-" + hash
    }
}
