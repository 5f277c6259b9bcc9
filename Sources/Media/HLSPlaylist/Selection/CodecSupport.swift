/// The codecs that a player supports.
///
///     CodecSupport([.h264(level: 42), .aac])
///     CodecSupport { codec in MyDecoder.canDecode(codec.text) }
public struct CodecSupport: Sendable {
    /// A codec family that a player supports, with its profiles and its maximum level.
    public struct Entry: Hashable, Sendable {
        /// The codec family.
        public var family: Codec.Family
        /// The supported profiles, in the numbers of ``Codec/profile``; nil means all.
        public var profiles: Set<Int>?
        /// The maximum level, in the numbers of ``Codec/level``; nil means no limit.
        public var maximumLevel: Int?

        /// Creates an entry.
        public init(_ family: Codec.Family, profiles: Set<Int>? = nil, maximumLevel: Int? = nil) {
            self.family = family
            self.profiles = profiles
            self.maximumLevel = maximumLevel
        }

        /// H.264 in the Baseline, Main, Extended and High profiles up to a level_idc: 42 is level 4.2.
        public static func h264(level: Int) -> Entry {
            Entry(.h264, profiles: [66, 77, 88, 100], maximumLevel: level)
        }

        /// HEVC in the Main and Main 10 profiles up to a general_level_idc: 153 is level 5.1.
        public static func hevc(level: Int) -> Entry { Entry(.hevc, profiles: [1, 2], maximumLevel: level) }

        /// AAC with the audio object types LC (2), HE (5) and HE version 2 (29).
        public static let aac = Entry(.aac, profiles: [2, 5, 29])

        /// Returns whether the entry includes a codec. A codec without a profile or a level is assumed to be within the
        /// limits, but not one with a malformed profile or level.
        func includes(_ codec: Codec) -> Bool {
            guard codec.family == family, family != .unknown, codec.hasValidParameters else { return false }
            if let profiles, let profile = codec.profile, !profiles.contains(profile) { return false }
            if let maximumLevel, let level = codec.level, level > maximumLevel { return false }
            return true
        }
    }

    private let isSupported: @Sendable (Codec) -> Bool

    /// Creates a value from a list of entries. Codecs of unknown families are not supported.
    public init(_ entries: [Entry]) {
        isSupported = { codec in entries.contains { $0.includes(codec) } }
    }

    /// Creates a value from a query of the platform, such as a browser's `MediaSource.isTypeSupported`.
    public init(supports: @escaping @Sendable (Codec) -> Bool) { isSupported = supports }

    /// Returns whether the player supports a codec.
    public func supports(_ codec: Codec) -> Bool { isSupported(codec) }

    /// The codecs that every HLS player supports: H.264 up to level 4.1, AAC, MP3, WebVTT and closed captions.
    public static let basic = CodecSupport(basicEntries)

    /// The codecs of a high-definition player: ``basic``, and H.264 up to level 4.2, HEVC up to 4.1, AC-3, E-AC-3 and
    /// IMSC.
    public static let highDefinition = CodecSupport(
        basicEntries + [.h264(level: 42), .hevc(level: 123), Entry(.ac3), Entry(.eac3), Entry(.ttml)]
    )

    /// The codecs of an ultra-high-definition television: ``highDefinition``, and H.264 and HEVC up to level 5.1, and
    /// Dolby Vision profiles 5 and 8 up to level 9.
    public static let ultraHighDefinition = CodecSupport(
        basicEntries + [
            .h264(level: 51), .hevc(level: 153), Entry(.dolbyVision, profiles: [5, 8], maximumLevel: 9), Entry(.ac3),
            Entry(.eac3), Entry(.ttml),
        ]
    )

    private static let basicEntries: [Entry] = [
        .h264(level: 41), .aac, Entry(.mp3), Entry(.webVTT), Entry(.cea608), Entry(.cea708),
    ]
}
