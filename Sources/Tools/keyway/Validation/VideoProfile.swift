import HLSPlaylist

/// The names of the profile and the level of a video codec, as Apple's tools and the standards print them. Members are nil if they
/// are not known.
struct VideoProfile {
    /// The profile, such as High or Main 10.
    let profile: String?
    /// The level, such as 4.1.
    let level: String?

    /// Reads the names from an element of CODECS.
    init(_ codec: Codec) {
        switch codec.family {
        case .h264:
            profile = codec.profile.map { Self.h264[$0] ?? "\($0)" }
            level = codec.level.map { "\($0 / 10).\($0 % 10)" }
        case .hevc:
            let tier = codec.text.split(separator: ".").dropFirst(3).first?.hasPrefix("H") == true ? ", High tier" : ""
            profile = codec.profile.map { (Self.hevc[$0] ?? "\($0)") + tier }
            // general_level_idc is 30 times the level (ITU-T H.265, A.4).
            level = codec.level.map { "\($0 / 30).\($0 % 30 / 3)" }
        case .av1:
            profile = codec.profile.map { Self.av1[$0] ?? "\($0)" }
            // seq_level_idx counts four levels of each number, from 2.0.
            level = codec.level.map { "\(2 + $0 / 4).\($0 % 4)" }
        case .dolbyVision:
            profile = codec.profile.map { "\($0)" }
            level = codec.level.map { "\($0)" }
        default: (profile, level) = (nil, nil)
        }
    }

    /// ITU-T H.264, A.2: profile_idc.
    private static let h264 = [
        66: "Baseline", 77: "Main", 88: "Extended", 100: "High", 110: "High 10", 122: "High 4:2:2", 244: "High 4:4:4",
    ]
    /// ITU-T H.265, A.3 and G.11: general_profile_idc.
    private static let hevc = [
        1: "Main", 2: "Main 10", 3: "Main Still Picture", 4: "Range Extensions", 6: "Multiview Main",
    ]
    /// AV1, 6.4.1: seq_profile.
    private static let av1 = [0: "Main", 1: "High", 2: "Professional"]
}
