public import HLSPlaylist

extension VariantSetAside {
    func isSetAside(_ now: Duration) -> Bool { until.map { now < $0 } ?? true }
}

extension QualityController {
    /// Sets a variant aside, and every other one with the same Media Playlist. The next decision leaves it.
    ///
    /// A failure that passes sets it aside for `failurePause`, and for twice as long each time that it fails again;
    /// ``succeeded(_:)`` forgets that.
    ///
    /// - Parameters:
    ///   - variant: The variant that failed. One of another playlist changes nothing.
    ///   - failure: What happened.
    ///   - forGood: Whether it never comes back; as the failure says unless given.
    ///   - now: The moment, by the clock of ``next(buffer:throughput:now:)``.
    /// - Returns: What was noted of it; nil when it is none of this playlist's.
    @discardableResult
    public mutating func failed(
        _ variant: Variant,
        _ failure: VariantFailure,
        forGood: Bool? = nil,
        now: Duration
    ) -> VariantSetAside? {
        guard isKnown(variant) else { return nil }
        let before = failures[variant.uri]
        // A refusal stays one, whatever fails afterwards.
        if let before, before.until == nil { return before }
        let times = min((before?.failures ?? 0) + 1, 1000)
        let pause = min(settings.failurePause * (1 << min(times - 1, 10)), settings.longestFailurePause)
        let entry = VariantSetAside(
            uri: variant.uri,
            failure: failure,
            until: forGood ?? failure.isForGood ? nil : now + pause,
            failures: times
        )
        failures[variant.uri] = entry
        lookAgain(now: now)
        return entry
    }

    /// Tells that a segment of a variant was loaded and could be used: earlier failures that pass are forgotten.
    public mutating func succeeded(_ variant: Variant) {
        guard let entry = failures[variant.uri], entry.until != nil else { return }
        failures[variant.uri] = nil
    }
}
