public import HLSPlaylist

/// Chooses the variant for each segment by throughput and buffer (adaptive bitrate). It has no I/O and no clock.
///
///     var controller = QualityController(playlist, selector: VariantSelector(abilities))
///     let decision = controller.next(buffer: buffer.ahead, throughput: estimate.bitsPerSecond, now: clock.now)
///
/// The first row that applies decides; `VariantSelector` determines which variants fit the throughput:
///
/// | Condition | Decision | Reason |
/// |---|---|---|
/// | there is no variant to choose from | none | `nothingPlayable`, `allExcluded` |
/// | no variant was chosen before | the best that fits | `start` |
/// | the current variant failed and is excluded | the best that fits | `failed` |
/// | the current variant is the only one | no switch | `onlyOne` |
/// | the current variant no longer fits the player | the best that fits | `noLongerFits` |
/// | its BANDWIDTH exceeds the throughput's share, and the buffer is rich | no switch | `bufferHigh` |
/// | its BANDWIDTH exceeds the throughput's share | switch down | `throughput` |
/// | the buffer fell below `lowBuffer`, and BANDWIDTH exceeds a part of that share | switch down | `bufferLow` |
/// | a better variant fits with the margin, and the buffer is below `upSwitchBuffer` | no switch | `bufferLow` |
/// | a better variant fits with the margin, and the last switch was recent | no switch | `tooSoon` |
/// | a better variant fits with the margin | switch up | `throughput` |
/// | none of these | no switch | `steady` |
public struct QualityController: Sendable {
    /// The weights of the buffer. Can be changed at any time.
    public var settings: QualitySettings
    /// The selector that determines which variants fit. Its abilities can be changed at any time, for example when a
    /// display is disconnected; the next decision uses them.
    public var selector: VariantSelector { didSet { updateCandidates() } }
    /// The number of switches.
    public internal(set) var counts = SwitchCounts()
    /// The variant of the last decision; nil before the first.
    public internal(set) var current: Variant?
    /// The variants that are excluded, by URI.
    var failures: [String: ExcludedVariant] = [:]

    /// All variants, with the measured bit rates of those without BANDWIDTH.
    var playlist: MultivariantPlaylist
    /// The URIs of the variants without BANDWIDTH whose bit rate was measured.
    var measuredVariants: Set<String> = []
    /// The variants that are not excluded.
    var candidates: MultivariantPlaylist
    private var playableCandidates = 0
    var lastSwitch: Duration?
    /// True if the buffer has been filled since the start or the last seek; before that, a low buffer is not a reason
    /// to switch.
    var wasFilled = false

    /// Creates a controller for the variants of a playlist.
    public init(
        _ playlist: MultivariantPlaylist,
        selector: VariantSelector,
        settings: QualitySettings = QualitySettings()
    ) {
        self.playlist = playlist
        self.selector = selector
        self.settings = settings
        candidates = playlist
        updateCandidates()
    }

    /// Returns the variants that are excluded at a time, in the order of the playlist.
    public func excludedVariants(now: Duration) -> [ExcludedVariant] {
        var seen: Set<String> = []
        return playlist.variants.compactMap { variant in
            guard let entry = failures[variant.uri], entry.isExcluded(now), seen.insert(variant.uri).inserted else {
                return nil
            }
            return entry
        }
    }

    /// Chooses the variant for the next segment.
    ///
    /// - Parameters:
    ///   - buffer: The media that is loaded and not played, in seconds.
    ///   - throughput: The throughput in bits per second: ``ThroughputEstimate/bitsPerSecond``.
    ///   - now: The current time by any monotonic clock, as a duration since a fixed start.
    public mutating func next(buffer: Double, throughput: UInt64, now: Duration) -> QualityDecision {
        let buffer = PlaybackTime.clamped(buffer)
        if buffer >= settings.lowBuffer { wasFilled = true }
        updateCandidates(now: now)
        guard let current else { return chooseBest(throughput, reason: nil, now) }
        guard candidates.variants.contains(where: { $0.uri == current.uri }) else {
            return chooseBest(throughput, reason: failures[current.uri].map { .failed($0.failure) }, now)
        }
        let rejectionReasons = rejectionReasons(current)
        guard rejectionReasons.isEmpty else {
            return chooseBest(throughput, reason: .noLongerFits(rejectionReasons), now)
        }
        guard playableCandidates > 1 else { return stay(.onlyOne) }
        if let target = selector.switchTarget(throughput: throughput, current: current, in: candidates) {
            if exceeds(current, throughput) {
                guard buffer < settings.highBuffer else { return stay(.bufferHigh(buffer)) }
                return change(to: target, .throughput(throughput), .down, now)
            }
            if let lower = lowerTarget(current, buffer, throughput) {
                return change(to: lower, .bufferLow(buffer), .down, now)
            }
            guard buffer >= settings.upSwitchBuffer else { return stay(.bufferLow(buffer)) }
            if let lastSwitch, now < lastSwitch + settings.upSwitchInterval {
                return stay(.tooSoon(until: lastSwitch + settings.upSwitchInterval))
            }
            return change(to: target, .throughput(throughput), .up, now)
        }
        if let lower = lowerTarget(current, buffer, throughput) {
            return change(to: lower, .bufferLow(buffer), .down, now)
        }
        return stay(.steady)
    }

    /// Reports that a seek emptied the buffer: while it is refilled, a low buffer is not a reason to switch.
    public mutating func bufferWasEmptied() { wasFilled = false }

    func isKnown(_ variant: Variant) -> Bool { playlist.variants.contains { $0.uri == variant.uri } }

    // MARK: Steps

    enum Direction { case up, down, byBandwidth }

    /// Updates the variants that can be chosen now.
    mutating func updateCandidates(now: Duration? = nil) {
        let before = candidates.variants.count
        if failures.isEmpty {
            guard now == nil || before != playlist.variants.count else { return }
            candidates = playlist
        } else {
            candidates = playlist
            candidates.variants.removeAll { variant in
                guard let entry = failures[variant.uri] else { return false }
                return now.map { entry.isExcluded($0) } ?? true
            }
        }
        let selection = selector.select(from: candidates)
        playableCandidates = (selection.variant == nil ? 0 : 1) + selection.rejected.count { $0.isPlayable }
    }

    /// Chooses the best variant that fits, at the start or as a replacement.
    private mutating func chooseBest(
        _ throughput: UInt64,
        reason: QualityDecision.Reason?,
        _ now: Duration
    ) -> QualityDecision {
        var selector = selector
        selector.abilities.throughput = throughput
        let selection = selector.select(from: candidates)
        guard let target = selection.variant else {
            let isAnyExcluded = candidates.variants.count < playlist.variants.count
            let until = failures.values.filter { $0.isExcluded(now) }.compactMap(\.until).min()
            return QualityDecision(
                variant: nil,
                previous: current,
                reason: isAnyExcluded ? .allExcluded(until: until) : .nothingPlayable
            )
        }
        guard current != nil else {
            current = target
            return QualityDecision(variant: target, previous: nil, reason: .start(selection.fit))
        }
        guard target != current else { return stay(playableCandidates > 1 ? .steady : .onlyOne) }
        return change(to: target, reason ?? .throughput(throughput), .byBandwidth, now)
    }

    private func stay(_ reason: QualityDecision.Reason) -> QualityDecision {
        QualityDecision(variant: current, previous: current, reason: reason)
    }

    mutating func change(
        to target: Variant,
        _ reason: QualityDecision.Reason,
        _ direction: Direction,
        _ now: Duration
    ) -> QualityDecision {
        let previous = current
        let before = previous?.bandwidth ?? 0
        switch direction {
        case .up: counts.up += 1
        case .down: counts.down += 1
        case .byBandwidth where target.bandwidth > before: counts.up += 1
        case .byBandwidth where target.bandwidth < before: counts.down += 1
        case .byBandwidth: counts.sideways += 1
        }
        current = target
        lastSwitch = now
        return QualityDecision(variant: target, previous: previous, reason: reason)
    }
}
