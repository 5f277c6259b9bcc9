/// A system by which clients obtain content keys: a DRM system, or `identity` for clear keys.
///
/// The constants are the systems available on the command line; other systems can be created.
public struct ProtectionSystem: Hashable, Sendable {
    /// The name on the command line.
    public let name: String
    /// The system ID in `pssh` boxes and DASH; nil if the system has no box.
    public let systemID: SystemID?
    /// The KEYFORMAT of EXT-X-KEY (RFC 8216bis, 4.4.4.4).
    public let keyFormat: String
    /// The KEYFORMATVERSIONS of EXT-X-KEY.
    public let keyFormatVersions: String
    /// The supported methods of EXT-X-KEY.
    public let methods: [HLSKeyMethod]

    /// Creates a system. `name` must be one word of lowercase letters.
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

    /// FairPlay Streaming. It supports only SAMPLE-AES (Apple's HLS Authoring Specification, 13.2 and 13.11).
    public static let fairPlay = ProtectionSystem(
        name: "fairplay",
        systemID: .fairPlay,
        keyFormat: "com.apple.streamingkeydelivery",
        methods: [.sampleAES]
    )
    /// Widevine. Its clients read the key ID from the `pssh` box in the URI.
    public static let widevine = ProtectionSystem(
        name: "widevine",
        systemID: .widevine,
        keyFormat: "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
    )
    /// PlayReady. Its clients read the key ID from the PlayReady Object in the URI.
    public static let playReady = ProtectionSystem(
        name: "playready",
        systemID: .playReady,
        keyFormat: "com.microsoft.playready"
    )
    /// The common system: Clear Key in browsers, with the key format of hls.js.
    public static let common = ProtectionSystem(
        name: "common",
        systemID: .common,
        keyFormat: "org.w3.clearkey"
    )
    /// No DRM: clients fetch the 16-byte key from the URI.
    public static let identity = ProtectionSystem(
        name: "identity",
        systemID: nil,
        keyFormat: "identity",
        methods: [.aes128, .sampleAES, .sampleAESCTR]
    )

    /// The systems that are available by name.
    public static let known = [fairPlay, widevine, playReady, common, identity]

    /// Parses a list such as `fairplay,common`, in any letter case, with optional white space around the names.
    /// `clearkey` is an alias of `common`. A system that is listed twice counts once.
    ///
    /// - Throws: `unknown-system` with the unknown name and the known ones; `conflicting-systems` if `identity` is
    ///   combined with another system, because a clear key makes the other system ineffective (RFC 8216bis, 4.4.4.4).
    public static func parse(list: String) throws(SignalingError) -> [ProtectionSystem] {
        var systems: [ProtectionSystem] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.filter { !$0.isWhitespace }.lowercased()
            guard let system = word == "clearkey" ? common : known.first(where: { $0.name == word }) else {
                let found = word.isEmpty ? "an empty name" : "“\(word)”"
                throw SignalingError(
                    .unknownSystem,
                    "protection systems",
                    "\(found) is not a protection system: use one or more of "
                        + "\(known.map(\.name).joined(separator: ", ")), separated by commas"
                )
            }
            if !systems.contains(system) { systems.append(system) }
        }
        try check(systems)
        return systems
    }

    /// Checks that systems can be combined.
    ///
    /// - Throws: `conflicting-systems`.
    static func check(_ systems: [ProtectionSystem]) throws(SignalingError) {
        guard systems.contains(identity), let other = systems.first(where: { $0 != identity }) else { return }
        throw SignalingError(
            .conflictingSystems,
            "protection systems",
            "identity serves the key in the clear, which makes \(other.name) ineffective: use only one of them"
        )
    }
}

extension ProtectionSystem: CustomStringConvertible {
    /// The name on the command line.
    public var description: String { name }
}
