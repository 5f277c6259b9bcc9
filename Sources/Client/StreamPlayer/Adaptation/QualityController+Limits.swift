import HLSPlaylist

extension QualityController {
    /// Returns whether a variant's BANDWIDTH exceeds the usable share of the throughput.
    func exceeds(_ variant: Variant, _ throughput: UInt64) -> Bool {
        let factor = selector.abilities.safetyFactor
        return Double(variant.bandwidth) > Double(throughput) * (factor > 0 ? min(factor, 1) : 0)
    }

    /// Returns the reasons to reject a variant other than the throughput and better variants; empty if it fits.
    func rejectionReasons(_ variant: Variant) -> [VariantRejection] {
        var selector = selector
        selector.abilities.throughput = nil
        let selection = selector.select(from: candidates)
        guard selection.variant != variant,
            let rejected = selection.rejected.first(where: { $0.variant == variant })
        else { return [] }
        let rejectionReasons = rejected.reasons.filter { reason in
            switch reason {
            case .lowerScore, .lessThanChosen, .bandwidthAboveThroughput: false
            default: true
            }
        }
        // If no variant is within the limits, exceeding them is not a reason to switch.
        guard selection.fit == .good || rejectionReasons.contains(where: { !$0.isPlayable }) else { return [] }
        return rejectionReasons
    }

    /// Returns the variant to switch down to because the buffer is low; nil if the buffer is not low or there is no
    /// lower variant.
    func lowerTarget(_ current: Variant, _ buffer: Double, _ throughput: UInt64) -> Variant? {
        guard wasFilled, buffer < settings.lowBuffer else { return nil }
        let share = settings.lowBufferShare > 0 ? min(settings.lowBufferShare, 1) : 0
        // A fraction of a 64-bit value, so it fits.
        let part = UInt64(exactly: (Double(throughput) * share).rounded(.down)) ?? throughput
        guard exceeds(current, part),
            let target = selector.switchTarget(throughput: part, current: current, in: candidates),
            target.bandwidth < current.bandwidth
        else { return nil }
        return target
    }

    /// Decides whether a download continues, or is abandoned because the buffer would run empty before it finishes at
    /// its current rate.
    ///
    /// A download is abandoned only for a lower variant whose segment would load sooner than the rest of this one. The
    /// size of a segment is not known without BANDWIDTH.
    ///
    /// - Parameters:
    ///   - download: The progress of a segment of ``current``.
    ///   - buffer: The media that is loaded and not played, in seconds, without this segment.
    ///   - now: The current time, by the clock of ``next(buffer:throughput:now:)``.
    public mutating func judge(_ download: DownloadProgress, buffer: Double, now: Duration) -> DownloadDecision {
        guard let current, wasFilled, download.elapsed >= settings.abandonAfter else { return .proceed }
        let buffer = PlaybackTime.clamped(buffer)
        let elapsed = PlaybackTime.seconds(download.elapsed)
        guard elapsed > 0 else { return .proceed }
        let received = Double(download.received)
        let bytes = { (variant: Variant) in
            Double(variant.bandwidth) / 8 * PlaybackTime.clamped(download.segmentDuration)
        }
        let rest = (download.expected.map { Double($0) } ?? bytes(current)) - received
        guard rest > 0 else { return .proceed }
        // There is no rate before the first byte; wait for it for at most half of the buffer.
        if received == 0, elapsed < buffer / 2 { return .proceed }
        let rate = received / elapsed
        let needed = rate > 0 ? PlaybackTime.clamped(rest / rate) : PlaybackTime.maximum
        guard needed > buffer else { return .proceed }
        let bits = UInt64(exactly: min(rate * 8, 1e15).rounded(.down)) ?? 0
        guard let target = selector.switchTarget(throughput: bits, current: current, in: candidates),
            target.bandwidth < current.bandwidth, target.bandwidth > 0, bytes(target) < rest
        else { return .proceed }
        counts.abandoned += 1
        return .abandon(change(to: target, .bufferDraining(needed: needed, buffer: buffer), .down, now))
    }
}
