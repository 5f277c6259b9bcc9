import ContentKeySession
import Foundation

extension KeyLedgerEntry {
    /// How long it may still be watched, for the viewer.
    ///
    /// | State | Words |
    /// |---|---|
    /// | stored, two expiry periods | `29 days 3 hours to start, then 2 days to finish` |
    /// | stored, one | `for 23 hours`, or `for ever` |
    /// | playing | `for 1 day 4 hours` |
    /// | storage-expired | `no more: it was not started in time` |
    /// | playback-expired | `no more: the time since it was started is over` |
    /// | refused | `not now: the device does not take the key` |
    /// | revoked | `no more: it was given back` |
    ///
    /// Where the clock was set back, that is said too.
    public func howLong(at now: Int64) -> String {
        let words =
            switch state(at: now) {
            case .stored: storedWords(at: now)
            case .playing: remaining(at: now).map { "for \(Self.words($0))" } ?? "for ever"
            case .storageExpired: "no more: it was not started in time"
            case .playbackExpired: "no more: the time since it was started is over"
            case .refused: "not now: the device does not take the key"
            case .revoked: "no more: it was given back"
            }
        guard let behind = clockIsBehind(at: now) else { return words }
        return words + "; the clock was set back by \(Self.words(behind)), which gains nothing"
    }

    private func storedWords(at now: Int64) -> String {
        let remaining = remaining(at: now).map { Self.words($0) }
        switch terms {
        case .unknown: return "for as long as the device takes it"
        case .limited: return remaining.map { "for \($0)" } ?? "for ever"
        case .dual(_, let playback):
            let start = remaining.map { "\($0) to start" } ?? "any time to start"
            return "\(start), then \(playback.map { "\(Self.words($0)) to finish" } ?? "for ever")"
        }
    }

    /// What is to be done about it, for the viewer.
    ///
    /// | Remedy | Words |
    /// |---|---|
    /// | watch, with an end | `watch before 2026-12-01 20:15 UTC`, or `start before …` |
    /// | watch, without | `watch` |
    /// | renew-online | `renew online: keyway offline renew` |
    /// | buy-again | `rent it again, then renew online (the server said: renewal-after-expiry)` |
    /// | download-again | `gone: download again` |
    public func advice(at now: Int64) -> String {
        switch remedy(at: now) {
        case .watch:
            guard let end else { return "watch" }
            return "\(firstPlayed == nil ? "start" : "watch") before \(Self.date(end))"
        case .renewOnline: return "renew online: keyway offline renew"
        case .buyAgain:
            return "rent it again, then renew online (the server said: \(renewalRefusal?.description ?? "no"))"
        case .downloadAgain: return "gone: download again"
        }
    }

    /// A duration in its two largest units: `29 days 3 hours`, `1 minute`, `12 seconds`. What is left over is not shown.
    static func words(_ seconds: Int64) -> String {
        let seconds = max(seconds, 0)
        let parts: [(Int64, String)] = [
            (seconds / 86_400, "day"), (seconds / 3_600 % 24, "hour"), (seconds / 60 % 60, "minute"),
            (seconds % 60, "second"),
        ]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 seconds" }
        return parts[first...].prefix(2).filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " ")
    }

    /// A moment, to the minute, in UTC; what lies beyond the year 9999 is `the end of time`.
    static func date(_ moment: Int64) -> String {
        guard (0..<253_402_300_800).contains(moment) else { return moment < 0 ? "1970" : "the end of time" }
        var (seconds, parts) = (time_t(moment), tm())
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }
}
