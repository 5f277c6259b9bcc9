package import HLSPlaylist

/// The options of a live presentation.
package struct LiveOptions: Hashable, Sendable {
    /// The part of a live presentation that playlists list.
    package enum Window: Hashable, Sendable {
        /// A number of segments.
        case segments(Int)
        /// Segments with a total duration of at least a number of seconds.
        case seconds(Double)
    }

    /// The window of playlists; nil for an event, which lists all segments.
    package var window: Window?
    /// The Target Duration in seconds; nil to derive it from the first segment. It never changes.
    package var targetDuration: UInt64?
    /// The date of the first frame; time then advances with the media. Nil to use the system clock.
    package var startDate: PlaylistDate?

    /// The URL of a server of the time for players of the DASH manifest (UTCTiming); nil for none.
    package var timeServer: String?

    /// The maximum duration of a Partial Segment for Low-Latency HLS; nil for whole segments only.
    package var partDuration: RationalTime?

    /// The default duration of Partial Segments.
    package static let defaultPartDuration = RationalTime(330, timescale: 1000)
    /// The allowed durations of Partial Segments, in seconds.
    package static let partDurations = 0.1...2.0
    /// The maximum number of segments in a window.
    package static let maximumSegments = 100_000
    /// The maximum duration of a window, in seconds: one week.
    package static let maximumWindow = 604_800.0

    /// The default options of a live presentation: six segments, the minimum of Apple's authoring specification (8.11).
    package static let live = LiveOptions(window: .segments(6))
    /// The default options of an event, which keeps all segments.
    package static let event = LiveOptions(window: nil)

    /// Creates options.
    package init(window: Window?) { self.window = window }

    /// True if the presentation is an event, which keeps all segments.
    package var isEvent: Bool { window == nil }

    /// Returns the time shift buffer depth of a DASH manifest in seconds: the window, with segments counted as a Target
    /// Duration each, and at least the minimum of playlists. Nil if unlimited.
    func timeShift(targetDuration: UInt64) -> Double? {
        let target = Double(targetDuration)
        return switch window {
        case .segments(let count): Double(count) * target
        case .seconds(let seconds): max(seconds, 3 * target)
        case nil: nil
        }
    }
}
