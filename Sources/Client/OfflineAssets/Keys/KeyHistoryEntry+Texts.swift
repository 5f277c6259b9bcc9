package import ContentKeySession
import Foundation
import TextCoding

extension KeyHistoryEntry {
    /// Returns a text for the viewer about the remaining time of the key.
    ///
    /// | State | Text |
    /// |---|---|
    /// | stored, two expiry periods | `29 days 3 hours to start, then 2 days to finish` |
    /// | stored, one expiry period | `for 23 hours`, or `without limit` |
    /// | playing | `for 1 day 4 hours` |
    /// | storage-expired | `expired on 2026-12-01 20:15 UTC: playback was not started in time` |
    /// | playback-expired | `expired on 2026-12-01 20:15 UTC: the playback period is over` |
    /// | refused | `not playable: the device rejects the key` |
    /// | revoked | `not playable: the key was invalidated` |
    ///
    /// The text also mentions a clock that was set back.
    package func remainingTimeText(at now: Int64) -> String {
        let words =
            switch state(at: now) {
            case .stored: storedWords(at: now)
            case .playing: remaining(at: now).map { "for \(Self.words($0))" } ?? "without limit"
            case .storageExpired: "expired\(expiry(at: now)): playback was not started in time"
            case .playbackExpired: "expired\(expiry(at: now)): the playback period is over"
            case .refused: "not playable: the device rejects the key"
            case .revoked: "not playable: the key was invalidated"
            }
        guard let behind = clockIsBehind(at: now) else { return words }
        return words + "; the clock was set back by \(Self.words(behind)), which does not extend the time"
    }

    /// Returns the time of expiry; empty if only the device knows it.
    private func expiry(at now: Int64) -> String {
        guard let end, end <= max(now, latest) else { return "" }
        return " on \(Self.date(end))"
    }

    private func storedWords(at now: Int64) -> String {
        let remaining = remaining(at: now).map { Self.words($0) }
        switch terms {
        case .unknown: return "for as long as the device accepts the key"
        case .limited: return remaining.map { "for \($0)" } ?? "without limit"
        case .dual(_, let playback):
            let start = remaining.map { "\($0) to start" } ?? "any time to start"
            return "\(start), then \(playback.map { "\(Self.words($0)) to finish" } ?? "without limit")"
        }
    }

    /// Returns a text for the viewer about the action to take.
    ///
    /// | Action | Text |
    /// |---|---|
    /// | watch, with an end | `watch before 2026-12-01 20:15 UTC`, or `start before …` |
    /// | watch, without an end | `watch` |
    /// | renew-online | `renew online: keyway offline renew`; after the clock was set back, `keyway offline clock` too |
    /// | buy-again | `rent or buy it again, then renew online (renewal refused: renewal-after-expiry)` |
    /// | download-again | `download it again` |
    package func advice(at now: Int64) -> String {
        switch remedy(at: now) {
        case .watch:
            guard let end else { return "watch" }
            return "\(firstPlayed == nil ? "start" : "watch") before \(Self.date(end))"
        case .renewOnline:
            let isExpired = state(at: now) != .refused
            // The key may have expired only because the device has seen a wrong time.
            guard isExpired, clockIsBehind(at: now) != nil else { return "renew online: keyway offline renew" }
            return "renew online: keyway offline renew; if the clock was far ahead by mistake: keyway offline clock"
        case .buyAgain:
            return
                "rent or buy it again, then renew online (renewal refused: \(renewalRefusal?.description ?? "unknown"))"
        case .downloadAgain: return "download it again"
        }
    }

    /// Returns a duration in its two largest units, rounded down: `29 days 3 hours`, `1 minute`, `12 seconds`.
    static func words(_ seconds: Int64) -> String {
        let seconds = max(seconds, 0)
        let parts: [(Int64, String)] = [
            (seconds / 86_400, "day"), (seconds / 3_600 % 24, "hour"), (seconds / 60 % 60, "minute"),
            (seconds % 60, "second"),
        ]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 seconds" }
        return parts[first...].prefix(2).filter { $0.0 > 0 }
            .map { counted($0.0, $0.1) }.joined(separator: " ")
    }

    /// Returns a time to the minute, in UTC; `after the year 9999` for later times.
    static func date(_ moment: Int64) -> String {
        guard (0..<253_402_300_800).contains(moment) else { return moment < 0 ? "1970" : "after the year 9999" }
        var (seconds, parts) = (time_t(moment), tm())
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }
}
