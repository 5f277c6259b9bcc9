public import HLSPlaylist

/// Chooses the variant of each next segment, by throughput and by buffer. It does no I/O and has no clock.
///
///     var controller = QualityController(playlist, selector: VariantSelector(abilities))
///     let decision = controller.next(buffer: buffer.ahead, throughput: estimate.bitsPerSecond, now: clock.now)
///
/// The first row that fits decides; what fits the throughput says `VariantSelector`:
///
/// | What is so | Decision | Reason |
/// |---|---|---|
/// | there is no variant to choose from | none | `nothingPlayable`, `allSetAside` |
/// | nothing was chosen yet | the best that fits | `start` |
/// | the current one was set aside | the best that fits | `failed` |
/// | the current one is the only one | stays | `onlyOne` |
/// | it does not fit the player any more | the best that fits | `noLongerFits` |
/// | its peak is above the throughput's share, and the buffer is rich | stays | `bufferRich` |
/// | its peak is above the throughput's share | goes down | `throughput` |
/// | the buffer was above `lowBuffer` and is below now, and its peak is above a part of that share | goes down | `bufferLow` |
/// | a better one fits with the margin, and the buffer is below `upSwitchBuffer` | stays | `bufferLow` |
/// | a better one fits with the margin, and the last switch is not long ago | stays | `tooSoon` |
/// | a better one fits with the margin | goes up | `throughput` |
/// | none of these | stays | `steady` |
public struct QualityController: Sendable {
    /// Weighs the buffer. May change at any time.
    public var settings: QualitySettings
    /// Says what fits. Its abilities may change at any time, as when a cable is pulled; the next decision sees it.
    public var selector: VariantSelector { didSet { lookAgain() } }
    /// How often the variant was changed.
    public internal(set) var counts = SwitchCounts()
    /// The variant of the last decision; nil before the first.
    public internal(set) var current: Variant?
    /// The variants that are not chosen for now, by their URIs.
    var failures: [String: VariantSetAside] = [:]

    /// All variants.
    private let playlist: MultivariantPlaylist
    /// Those that are not set aside.
    var candidates: MultivariantPlaylist
    private var playableCandidates = 0
    var lastSwitch: Duration?
    /// Whether the buffer has been filled since the start or the last seek; before that, a low one means nothing.
    var wasFilled = false

    /// Makes a controller for the variants of a playlist.
    public init(
        _ playlist: MultivariantPlaylist,
        selector: VariantSelector,
        settings: QualitySettings = QualitySettings()
    ) {
        self.playlist = playlist
        self.selector = selector
        self.settings = settings
        candidates = playlist
        lookAgain()
    }

    /// The variants that are set aside at a moment, in the order of the playlist.
    public func setAside(now: Duration) -> [VariantSetAside] {
        var seen: Set<String> = []
        return playlist.variants.compactMap { variant in
            guard let entry = failures[variant.uri], entry.isSetAside(now), seen.insert(variant.uri).inserted else {
                return nil
            }
            return entry
        }
    }

    /// Chooses the variant for the next segment.
    ///
    /// - Parameters:
    ///   - buffer: Seconds of media that are loaded and not played.
    ///   - throughput: Bits per second: ``ThroughputEstimate/bitsPerSecond``.
    ///   - now: The moment, by any clock that goes on: how long since one fixed moment.
    public mutating func next(buffer: Double, throughput: UInt64, now: Duration) -> QualityDecision {
        let buffer = MediaTime.sane(buffer)
        if buffer >= settings.lowBuffer { wasFilled = true }
        lookAgain(now: now)
        guard let current else { return begin(throughput, reason: nil, now) }
        guard candidates.variants.contains(where: { $0.uri == current.uri }) else {
            return begin(throughput, reason: failures[current.uri].map { .failed($0.failure) }, now)
        }
        let misfits = misfits(current)
        guard misfits.isEmpty else { return begin(throughput, reason: .noLongerFits(misfits), now) }
        guard playableCandidates > 1 else { return stay(.onlyOne) }
        if let target = selector.switchTarget(throughput: throughput, current: current, in: candidates) {
            if exceeds(current, throughput) {
                guard buffer < settings.richBuffer else { return stay(.bufferRich(buffer)) }
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

    /// Tells that the buffer was emptied on purpose, by a seek: while it is filled again, a low one means nothing.
    public mutating func bufferWasEmptied() { wasFilled = false }

    func isKnown(_ variant: Variant) -> Bool { playlist.variants.contains { $0.uri == variant.uri } }

    // MARK: Steps

    enum Direction { case up, down, byBandwidth }

    /// Sees which variants may be chosen now.
    mutating func lookAgain(now: Duration? = nil) {
        let before = candidates.variants.count
        if failures.isEmpty {
            guard now == nil || before != playlist.variants.count else { return }
            candidates = playlist
        } else {
            candidates = playlist
            candidates.variants.removeAll { variant in
                guard let entry = failures[variant.uri] else { return false }
                return now.map { entry.isSetAside($0) } ?? true
            }
        }
        let selection = selector.select(from: candidates)
        playableCandidates = (selection.variant == nil ? 0 : 1) + selection.rejected.count { $0.isPlayable }
    }

    /// The best that fits, at the start or instead of one that cannot stay.
    private mutating func begin(
        _ throughput: UInt64,
        reason: QualityDecision.Reason?,
        _ now: Duration
    ) -> QualityDecision {
        var selector = selector
        selector.abilities.throughput = throughput
        let selection = selector.select(from: candidates)
        guard let target = selection.variant else {
            let isAnySetAside = candidates.variants.count < playlist.variants.count
            let until = failures.values.filter { $0.isSetAside(now) }.compactMap(\.until).min()
            return QualityDecision(
                variant: nil,
                previous: current,
                reason: isAnySetAside ? .allSetAside(until: until) : .nothingPlayable
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
