import Foundation
package import HLSPlaylist

/// The current time of a live presentation, for EXT-X-PROGRAM-DATE-TIME and for the expiration of segments.
package enum LiveClock: Sendable {
    /// The time returned by a function.
    case reading(@Sendable () -> PlaylistDate)
    /// A start date, from which time advances with the media: a recording keeps its dates, and an hour of it may be
    /// packaged in seconds.
    case media(PlaylistDate)

    /// The system clock.
    package static let system = LiveClock.reading { PlaylistDate(Date()) }

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
