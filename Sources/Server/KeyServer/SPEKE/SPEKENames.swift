import FPSCrypto
import KeyStore
import TextCoding

/// How the names of CPIX become those of titles and tracks, and back.
///
///     contentId            title      itself, where it is a title's name; otherwise its letters, digits, dots, hyphens
///                                     and underscores, the others as underscores, 80 of them, a hyphen, and the first
///                                     8 bytes of SHA-256 over it in hexadecimal
///     intendedTrackType    track      in lower case where it is one of DASH-IF's and AWS's words, + as an underscore;
///                                     otherwise itself, by the same rule as the title
enum SPEKENames {
    /// The words that documents have in capitals, and our tracks in lower case.
    private static let customaryTypes: [String: ContentTrack] = [
        "ALL": .unspecified, "AUDIO": .audio, "STEREO_AUDIO": .audio, "MULTICHANNEL_AUDIO": .audio, "VIDEO": .video,
        "SD": .sd, "HD": .hd, "HD1": .hd, "HD2": .hd, "UHD": .uhd, "UHD1": .uhd, "UHD2": .uhd,
    ]

    /// The title of a content ID.
    static func title(ofContentID text: String) -> String { name(text) }

    /// The track of a track type.
    static func track(ofType text: String) -> String {
        let words = self.words(text)
        let isCustomary = words.allSatisfy { customaryTypes[$0.uppercased()] != nil }
        return isCustomary ? words.map { $0.lowercased() }.joined(separator: "_") : name(text)
    }

    /// The track type of a track, for documents that are written.
    static func trackType(ofTrack name: String) -> String {
        customaryTypes[name.uppercased()] != nil && name == name.lowercased() ? name.uppercased() : name
    }

    /// What a track of that type decrypts: the highest class of video that it may have; nil for words that say nothing of
    /// it.
    static func kind(ofType text: String) -> ContentTrack? {
        var kinds: [ContentTrack] = []
        for word in words(text) {
            guard let kind = customaryTypes[word.uppercased()] else { return nil }
            kinds.append(kind)
        }
        let hasAudio = kinds.contains(.audio)
        let videos = kinds.filter(\.isVideo)
        if kinds.contains(.unspecified) || (hasAudio && !videos.isEmpty) { return .unspecified }
        if hasAudio { return .audio }
        return [.uhd, .hd, .sd].first { videos.contains($0) } ?? .video
    }

    /// `SD+HD1` has two words.
    private static func words(_ type: String) -> [Substring] {
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
