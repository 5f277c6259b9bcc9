/// A way in which a client comes by a content key: a DRM system, or none.
///
/// Others may be made; the named ones are those that a command line can ask for.
public struct ProtectionSystem: Hashable, Sendable {
    /// The word for it on a command line.
    public let name: String
    /// What `pssh` boxes and DASH call it; nil when it has no such box.
    public let systemID: SystemID?
    /// KEYFORMAT of EXT-X-KEY (RFC 8216bis, 4.4.4.4).
    public let keyFormat: String
    /// KEYFORMATVERSIONS of EXT-X-KEY.
    public let keyFormatVersions: String
    /// Which methods of EXT-X-KEY there may be.
    public let methods: [HLSKeyMethod]

    /// Makes a system. `name` is one word of lower-case letters.
    public init(
        name: String,
        systemID: SystemID?,
        keyFormat: String,
        keyFormatVersions: String = "1",
        methods: [HLSKeyMethod] = [.sampleAES, .sampleAESCTR]
    ) {
        self.name = name
        self.systemID = systemID
        self.keyFormat = keyFormat
        self.keyFormatVersions = keyFormatVersions
        self.methods = methods
    }

    /// FairPlay Streaming. It decrypts SAMPLE-AES and nothing else (Apple's authoring specification, 13.2 and 13.11).
    public static let fairPlay = ProtectionSystem(
        name: "fairplay",
        systemID: .fairPlay,
        keyFormat: "com.apple.streamingkeydelivery",
        methods: [.sampleAES]
    )
    /// Widevine. Its clients take the key ID from the `pssh` box in the URI.
    public static let widevine = ProtectionSystem(
        name: "widevine",
        systemID: .widevine,
        keyFormat: "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
    )
    /// PlayReady. Its clients take the key ID from the PlayReady Object in the URI.
    public static let playReady = ProtectionSystem(
        name: "playready",
        systemID: .playReady,
        keyFormat: "com.microsoft.playready"
    )
    /// The common system: Clear Key in browsers, under the key format that hls.js has for it.
    public static let common = ProtectionSystem(
        name: "common",
        systemID: .common,
        keyFormat: "org.w3.clearkey"
    )
    /// No system: the 16 bytes of the key lie at the URI.
    public static let identity = ProtectionSystem(
        name: "identity",
        systemID: nil,
        keyFormat: "identity",
        methods: [.aes128, .sampleAES, .sampleAESCTR]
    )

    /// The systems that have a name here.
    public static let known = [fairPlay, widevine, playReady, common, identity]

    /// Reads a list such as `fairplay,common`, in either case, with white space around the words or not. `clearkey` is
    /// another word for `common`. A system that is named twice counts once.
    ///
    /// - Throws: `unknown-system`, which names the word and those that are known; `conflicting-systems` when `identity`
    ///   stands beside another, since a key in the clear makes the other useless (RFC 8216bis, 4.4.4.4).
    public static func parse(list: String) throws(SignalingError) -> [ProtectionSystem] {
        var systems: [ProtectionSystem] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.filter { !$0.isWhitespace }.lowercased()
            guard let system = word == "clearkey" ? common : known.first(where: { $0.name == word }) else {
                let found = word.isEmpty ? "an empty word" : "“\(word)”"
                throw SignalingError(
                    .unknownSystem,
                    "protection systems",
                    "\(found) is none; write one or more of \(known.map(\.name).joined(separator: ", ")) between commas"
                )
            }
            if !systems.contains(system) { systems.append(system) }
        }
        try check(systems)
        return systems
    }

    /// Holds that systems may stand beside each other.
    ///
    /// - Throws: `conflicting-systems`.
    static func check(_ systems: [ProtectionSystem]) throws(SignalingError) {
        guard systems.contains(identity), let other = systems.first(where: { $0 != identity }) else { return }
        throw SignalingError(
            .conflictingSystems,
            "protection systems",
            "identity hands out the key in the clear, which makes \(other.name) useless: ask for one of the two"
        )
    }
}

extension ProtectionSystem: CustomStringConvertible {
    /// The word for it on a command line.
    public var description: String { name }
}
