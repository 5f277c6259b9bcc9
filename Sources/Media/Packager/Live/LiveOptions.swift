package import HLSPlaylist

/// How a presentation without an end is kept.
package struct LiveOptions: Hashable, Sendable {
    /// How much of a live presentation playlists name.
    package enum Window: Hashable, Sendable {
        /// So many segments.
        case segments(Int)
        /// Segments that last at least so many seconds together.
        case seconds(Double)
    }

    /// How much of it playlists name; nil: all, as an event has it.
    package var window: Window?
    /// The Target Duration in seconds; nil: what the first segment shows. It never changes.
    package var targetDuration: UInt64?
    /// The date of the first frame; time then passes as the media's does. Nil: the system's clock.
    package var startDate: PlaylistDate?

    /// A window's greatest number of segments.
    package static let mostSegments = 100_000
    /// A window's greatest length, in seconds: a week.
    package static let greatestWindow = 604_800.0

    /// Options of a live presentation: five segments, as long as players need to begin and to stay in the middle.
    package static let live = LiveOptions(window: .segments(5))
    /// Options of an event, which only grows.
    package static let event = LiveOptions(window: nil)

    /// Describes options.
    package init(window: Window?) { self.window = window }

    /// Whether nothing is ever removed.
    package var isEvent: Bool { window == nil }

    /// How long a DASH manifest promises segments once they have been presented, in seconds: the window, as if segments
    /// lasted a Target Duration each, and as much as playlists have at least. Nil: for ever.
    func timeShift(targetDuration: UInt64) -> Double? {
        let target = Double(targetDuration)
        return switch window {
        case .segments(let count): Double(count) * target
        case .seconds(let seconds): max(seconds, 3 * target)
        case nil: nil
        }
    }
}

extension LiveOptions.Window {
    /// Reads a window as it is written on a command line: `10` segments, `60s` seconds.
    ///
    /// - Throws: ``JobFailure``.
    package init(parsing text: String) throws(JobFailure) {
        if text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds.isFinite {
            self = .seconds(seconds)
        } else if let count = Int(text) {
            self = .segments(count)
        } else {
            throw JobFailure(
                "window",
                "“\(text)” is none: write a number of segments, such as 10, or of seconds, such as 60s"
            )
        }
    }
}
