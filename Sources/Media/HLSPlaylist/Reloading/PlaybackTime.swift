/// Conversions between seconds of media and clock durations that do not trap.
///
/// Media time is a `Double` in seconds, as in playlists; clock times and durations are `Duration`.
package enum PlaybackTime {
    /// A limit of about three years, longer than any media. Larger values from playlists and servers are clamped.
    package static let maximum = 1e8

    /// Returns the seconds of a duration.
    package static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Returns the duration of a number of seconds; zero for a negative value or NaN.
    package static func duration(_ seconds: Double) -> Duration {
        guard seconds > 0 else { return .zero }
        return .seconds(min(seconds, maximum))
    }

    /// Returns the seconds clamped to a range that is safe for arithmetic: 0 to ``maximum``; 0 for NaN.
    package static func clamped(_ seconds: Double) -> Double { seconds > 0 ? min(seconds, maximum) : 0 }
}
