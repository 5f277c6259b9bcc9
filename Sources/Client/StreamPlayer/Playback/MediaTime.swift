/// Seconds of media and time by a clock, one made of the other without a trap.
///
/// Media time is a `Double` of seconds, as playlists write it; moments and lengths by a clock are `Duration`.
enum MediaTime {
    /// Longer than anything that is played: about three years. What playlists and servers say beyond it is cut.
    static let longest = 1e8

    /// The seconds of a duration.
    static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The duration of some seconds; what is negative or no number is zero.
    static func duration(_ seconds: Double) -> Duration {
        guard seconds > 0 else { return .zero }
        return .seconds(min(seconds, longest))
    }

    /// Seconds that can be reckoned with: not negative, a number, and not too many.
    static func sane(_ seconds: Double) -> Double { seconds > 0 ? min(seconds, longest) : 0 }
}
