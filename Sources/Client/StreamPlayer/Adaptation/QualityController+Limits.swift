import HLSPlaylist

extension QualityController {
    /// Whether a variant's peak is above what the throughput leaves.
    func exceeds(_ variant: Variant, _ throughput: UInt64) -> Bool {
        let factor = selector.abilities.safetyFactor
        return Double(variant.bandwidth) > Double(throughput) * (factor > 0 ? min(factor, 1) : 0)
    }

    /// What stands against a variant apart from the throughput and from better ones; empty for one that fits as well as
    /// any.
    func misfits(_ variant: Variant) -> [VariantRejection] {
        var selector = selector
        selector.abilities.throughput = nil
        let selection = selector.select(from: candidates)
        guard selection.variant != variant,
            let rejected = selection.rejected.first(where: { $0.variant == variant })
        else { return [] }
        let misfits = rejected.reasons.filter { reason in
            switch reason {
            case .lowerScore, .lessThanChosen, .bandwidthAboveThroughput: false
            default: true
            }
        }
        // Where none is within the limits, passing them is no reason to leave.
        guard selection.fit == .good || misfits.contains(where: { !$0.isPlayable }) else { return [] }
        return misfits
    }

    /// The variant to go down to because the buffer is low; nil when it is not, or when there is no lesser one.
    func lowerTarget(_ current: Variant, _ buffer: Double, _ throughput: UInt64) -> Variant? {
        guard wasFilled, buffer < settings.lowBuffer else { return nil }
        let share = settings.lowBufferShare > 0 ? min(settings.lowBufferShare, 1) : 0
        // A part of 64 bits: it fits.
        let part = UInt64(exactly: (Double(throughput) * share).rounded(.down)) ?? throughput
        guard exceeds(current, part),
            let target = selector.switchTarget(throughput: part, current: current, in: candidates),
            target.bandwidth < current.bandwidth
        else { return nil }
        return target
    }

    /// Judges a download that is under way: whether it goes on, or is abandoned because the buffer would run dry before
    /// it ends at the rate that it has.
    ///
    /// It is abandoned only for a lesser variant whose segment would be there sooner than the rest of this one.
    ///
    /// - Parameters:
    ///   - download: The download of a segment of ``current``.
    ///   - buffer: Seconds of media that are loaded and not played, without this segment.
    ///   - now: The moment, by the clock of ``next(buffer:throughput:now:)``.
    public mutating func judge(_ download: DownloadProgress, buffer: Double, now: Duration) -> DownloadVerdict {
        guard let current, wasFilled, download.elapsed >= settings.abandonAfter else { return .proceed }
        let buffer = MediaTime.sane(buffer)
        let elapsed = MediaTime.seconds(download.elapsed)
        guard elapsed > 0 else { return .proceed }
        let received = Double(download.received)
        let bytes = { (variant: Variant) in
            Double(variant.bandwidth) / 8 * MediaTime.sane(download.segmentDuration)
        }
        let rest = (download.expected.map { Double($0) } ?? bytes(current)) - received
        guard rest > 0 else { return .proceed }
        // Before the first byte there is no rate yet. It is waited for as long as half of the buffer lasts.
        if received == 0, elapsed < buffer / 2 { return .proceed }
        let rate = received / elapsed
        let needed = rate > 0 ? MediaTime.sane(rest / rate) : MediaTime.longest
        guard needed > buffer else { return .proceed }
        let bits = UInt64(exactly: min(rate * 8, 1e15).rounded(.down)) ?? 0
        guard let target = selector.switchTarget(throughput: bits, current: current, in: candidates),
            target.bandwidth < current.bandwidth, bytes(target) < rest
        else { return .proceed }
        counts.abandoned += 1
        return .abandon(change(to: target, .runningDry(needed: needed, buffer: buffer), .down, now))
    }
}
