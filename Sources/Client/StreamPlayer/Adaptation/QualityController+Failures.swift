public import HLSPlaylist

extension ExcludedVariant {
    func isExcluded(_ now: Duration) -> Bool { until.map { now < $0 } ?? true }
}

extension QualityController {
    /// Excludes a variant, and every other variant with the same Media Playlist, from the next decisions.
    ///
    /// A temporary failure excludes the variant for `exclusionDuration`, and each further failure doubles that time;
    /// ``succeeded(_:)`` resets it.
    ///
    /// - Parameters:
    ///   - variant: The variant that failed. A variant of another playlist has no effect.
    ///   - failure: The failure.
    ///   - permanently: Whether the exclusion is permanent; nil uses the default for the failure.
    ///   - now: The current time, by the clock of ``next(buffer:throughput:now:)``.
    /// - Returns: The exclusion; nil if the variant does not belong to this playlist.
    @discardableResult
    public mutating func failed(
        _ variant: Variant,
        _ failure: VariantFailure,
        permanently: Bool? = nil,
        now: Duration
    ) -> ExcludedVariant? {
        guard isKnown(variant) else { return nil }
        let before = failures[variant.uri]
        // A permanent exclusion remains, regardless of later failures.
        if let before, before.until == nil { return before }
        let times = min((before?.failures ?? 0) + 1, 1000)
        let pause = min(settings.exclusionDuration * (1 << min(times - 1, 10)), settings.maximumExclusionDuration)
        let entry = ExcludedVariant(
            uri: variant.uri,
            failure: failure,
            until: permanently ?? failure.isPermanent ? nil : now + pause,
            failures: times
        )
        failures[variant.uri] = entry
        updateCandidates(now: now)
        return entry
    }

    /// Reports that a segment of a variant was loaded and decrypted: its temporary exclusion is removed.
    public mutating func succeeded(_ variant: Variant) {
        guard let entry = failures[variant.uri], entry.until != nil else { return }
        failures[variant.uri] = nil
    }
}
