import Foundation
package import HLSPlaylist

/// The current time of a live presentation, for EXT-X-PROGRAM-DATE-TIME and for the expiration of segments.
package enum LiveClock: Sendable {
    /// The time returned by a function.
    case reading(@Sendable () -> PlaylistDate)
    /// A start date, from which time advances with the media: a recording keeps its dates, and an hour of it may be
    /// packaged in seconds.
    case media(PlaylistDate)

    /// The system's time of day now, from which time advances steadily.
    package static var system: LiveClock {
        let start = ContinuousClock.now
        return steady(from: { PlaylistDate(Date()) }, elapsed: { ContinuousClock.now - start })
    }

    /// Returns a clock that reads the time of day once. If the time of day was read each time, and it was set while a
    /// presentation runs, files would be deleted too early or not at all, and keys would be requested too late.
    ///
    /// - Parameters:
    ///   - timeOfDay: Returns the time of day.
    ///   - elapsed: Returns the time since now, by a clock that is not set.
    static func steady(
        from timeOfDay: () -> PlaylistDate,
        elapsed: @escaping @Sendable () -> Duration
    ) -> LiveClock {
        let start = timeOfDay()
        return .reading {
            let (seconds, attoseconds) = elapsed().components
            return start.advanced(by: Double(seconds) + Double(attoseconds) / 1e18).inMilliseconds
        }
    }

    /// Returns the current time.
    ///
    /// - Parameter media: The end of the media written so far, if any.
    func now(media: PlaylistDate?) -> PlaylistDate {
        switch self {
        case .reading(let read): read()
        case .media(let start): max(start, media ?? start)
        }
    }
}

extension PlaylistDate {
    /// Creates a date in UTC, rounded to the millisecond.
    fileprivate init(_ date: Date) {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        self.init(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000)
    }

    /// The date rounded to the millisecond.
    var inMilliseconds: PlaylistDate {
        let start = PlaylistDate(seconds: seconds, nanoseconds: 0, utcOffset: utcOffset)
        return start.advanced(by: (Double(nanoseconds) / 1e6).rounded() / 1000)
    }
}
