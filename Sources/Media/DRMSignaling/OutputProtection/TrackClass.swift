/// A class of tracks by resolution. With separate keys for each class, a device that is not allowed to use one of the
/// keys can still play the other classes.
///
///     audio   no video
///     SD      up to 1024 by 576
///     HD      larger, up to 1920 by 1080
///     UHD     larger
///
/// The limits apply in both orientations and to each side separately: 1080 by 1920 is HD, 2048 by 858 is UHD. They are
/// the same as those of `keyway playlist check`.
public enum TrackClass: String, Hashable, Sendable, CaseIterable {
    /// Audio.
    case audio
    /// Standard definition.
    case sd = "SD"
    /// High definition.
    case hd = "HD"
    /// Resolutions above high definition.
    case uhd = "UHD"

    /// Returns the class of a video track.
    ///
    /// - Parameters:
    ///   - width: The width in pixels after cropping, as in RESOLUTION.
    ///   - height: The height in pixels after cropping.
    public init(width: Int, height: Int) {
        let (long, short) = (max(width, height), min(width, height))
        if long > 1920 || short > 1080 {
            self = .uhd
        } else if long > 1024 || short > 576 {
            self = .hd
        } else {
            self = .sd
        }
    }

    /// Parses the name of a class in any letter case; nil for other text.
    public init?(parsing word: some StringProtocol) {
        guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() }) else {
            return nil
        }
        self = found
    }
}
