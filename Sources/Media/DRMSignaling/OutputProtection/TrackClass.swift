/// How precious a track is. Each class has a key of its own where keys are separate, so that a device that may not have
/// one of them still gets the others.
///
///     audio   no picture
///     SD      up to 1024 by 576
///     HD      larger, up to 1920 by 1080
///     UHD     larger
///
/// The borders hold in either orientation and for each side alone: 1080 by 1920 is HD, 2048 by 858 is UHD. They are the
/// ones by which `keyway playlist check` judges a playlist.
public enum TrackClass: String, Hashable, Sendable, CaseIterable {
    /// Audio.
    case audio
    /// Standard definition.
    case sd = "SD"
    /// High definition.
    case hd = "HD"
    /// Above high definition.
    case uhd = "UHD"

    /// The class of a video track.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, as RESOLUTION has it: after cropping, not as coded.
    ///   - height: The height in pixels, likewise.
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

    /// Reads a class's name in either case; nil for another word.
    public init?(parsing word: some StringProtocol) {
        guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() }) else {
            return nil
        }
        self = found
    }
}
