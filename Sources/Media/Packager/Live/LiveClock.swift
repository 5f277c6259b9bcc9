import Foundation
package import HLSPlaylist

/// What time it is for a live presentation: for EXT-X-PROGRAM-DATE-TIME, and for what is deleted.
package enum LiveClock: Sendable {
    /// What a function says.
    case reading(@Sendable () -> PlaylistDate)
    /// A date, from which time passes as the media's does: a recording keeps its dates, and an hour of it may pass in
    /// seconds.
    case media(PlaylistDate)

    /// The system's clock.
    package static let system = LiveClock.reading { PlaylistDate(Date()) }

    /// The time.
    ///
    /// - Parameter media: Where the media that was written ends; nil before there is any.
    func now(media: PlaylistDate?) -> PlaylistDate {
        switch self {
        case .reading(let read): read()
        case .media(let start): max(start, media ?? start)
        }
    }
}

extension PlaylistDate {
    /// A date to the millisecond, in UTC.
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
