import HLSPlaylist

/// Compares the media that a live playlist publishes with the time that passes, and its dates with the clock.
///
/// An update may come 0.5 to 1.5 target durations after the one before (RFC 8216bis, 6.2.1), so only a difference that
/// jitter cannot explain counts. A standstill is a finding of its own, and the comparison begins again after it.
struct LiveTimeline {
    /// The name of the playlist.
    let name: String
    private var origin: (time: Duration, media: Double)?
    private var last: Duration?
    /// The media that was published since the start of the watch, in seconds.
    private var media = 0.0
    private var end: UInt64?

    /// The minimum duration of a comparison, and the maximum difference, in target durations.
    private static let (minimumDuration, maximumDifference) = (10.0, 3.0)

    init(name: String) { self.name = name }

    /// Begins again after failed loads.
    mutating func interrupt() { origin = nil }

    /// Takes a snapshot with new segments.
    ///
    /// - Parameter date: The current date.
    mutating func take(_ playlist: MediaPlaylist, now: Duration, date: PlaylistDate) -> [ValidationFinding] {
        guard let newEnd = playlist.endSequenceNumber, !playlist.isEnded else { return [] }
        let target = Double(min(max(playlist.targetDuration, 1), 3600))
        var findings = date.lead(of: playlist, above: target).map { [Self.future($0, target, name)] } ?? []
        defer { (end, last) = (newEnd, now) }
        guard let end, newEnd > end else {
            origin = nil
            return findings
        }
        media += playlist.segments.suffix(Int(clamping: newEnd - end)).reduce(0) {
            $0 + PlaybackTime.clamped($1.duration)
        }
        // New segments are seen up to half a target duration after they appeared.
        if let last, PlaybackTime.seconds(now - last) > target * 2 { origin = nil }
        guard let origin else {
            origin = (now, media)
            return findings
        }
        let elapsed = PlaybackTime.seconds(now - origin.time)
        let difference = media - origin.media - elapsed
        guard elapsed >= target * Self.minimumDuration, abs(difference) > target * Self.maximumDifference else {
            return findings
        }
        findings.append(
            ValidationFinding(
                observed: "live-drift",
                .init(name),
                "Media is published \(difference < 0 ? "more slowly" : "faster") than time passes.",
                measured: "\(ValidationRule.secondsText(difference)) in \(ValidationRule.secondsText(elapsed))",
                limit: "± \(ValidationRule.secondsText(target * Self.maximumDifference)) (three Target Durations)"
            )
        )
        self.origin = nil
        return findings
    }

    private static func future(_ seconds: Double, _ target: Double, _ name: String) -> ValidationFinding {
        ValidationFinding(
            observed: "live-date-future",
            .init(name),
            "By EXT-X-PROGRAM-DATE-TIME the last segment ends in the future.",
            measured: ValidationRule.secondsText(seconds),
            limit: "\(ValidationRule.secondsText(target)) (a Target Duration)"
        )
    }
}

extension PlaylistDate {
    /// Returns how long after this date a playlist ends, in seconds; nil if that is at most a limit, or unknown.
    fileprivate func lead(of playlist: MediaPlaylist, above limit: Double) -> Double? {
        guard let segments = try? playlist.resolvedSegments(), let last = segments.last,
            let start = last.programDateTime
        else { return nil }
        let seconds = start.timeInterval(since: self) + PlaybackTime.clamped(last.segment.duration)
        return seconds > limit ? seconds : nil
    }
}
