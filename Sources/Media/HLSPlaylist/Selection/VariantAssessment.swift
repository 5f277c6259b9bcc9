/// The assessment of all variants of a playlist: the reasons why a variant is unplayable, and its rank.
struct VariantAssessment {
    let selector: VariantSelector
    let variants: [Variant]
    /// The reasons why each variant is unplayable; empty for a playable variant.
    private var obstacles: [[VariantRejection]] = []
    private var ranks: [VariantRank] = []
    private var abilities: PlayerCapabilities { selector.abilities }

    struct Choice {
        let index: Int
        let fit: Selection.Fit
    }

    init(_ selector: VariantSelector, _ playlist: MultivariantPlaylist) {
        self.selector = selector
        variants = playlist.variants
        let checks = PlayabilityChecks(selector, playlist)
        obstacles = variants.map { checks.obstacles($0) }
        let usesScore = variants.indices.allSatisfy { index in
            variants[index].score != nil
                || obstacles[index].contains { if case .videoLayoutUnknown = $0 { true } else { false } }
        }
        ranks = variants.enumerated().map { index, variant in
            VariantRank(
                variant,
                index,
                score: usesScore ? variant.score ?? 0 : 0,
                supplementalCodecs: variant.supplementalCodecs.isEmpty
                    ? 0 : selector.usableSupplementalCodecs(variant).count
            )
        }
    }

    func isPlayable(_ index: Int) -> Bool { obstacles[index].isEmpty }

    func isBetter(_ index: Int, than other: Int) -> Bool { ranks[index].isBetter(than: ranks[other]) }

    /// Returns the limits that a variant exceeds.
    func limits(_ index: Int, throughput: UInt64?) -> [VariantRejection] {
        let variant = variants[index]
        var result: [VariantRejection] = []
        if let available = abilities.available(throughput: throughput), Double(variant.bandwidth) > available {
            let whole = UInt64(exactly: available.rounded(.down)) ?? .max
            result.append(.bandwidthAboveThroughput(variant.bandwidth, available: whole))
        }
        if let cap = abilities.bandwidthCap, variant.bandwidth > cap {
            result.append(.bandwidthAboveCap(variant.bandwidth, cap: cap))
        }
        if let display = abilities.displaySize, let resolution = variant.resolution,
            max(resolution.width, resolution.height) > max(display.width, display.height)
                || min(resolution.width, resolution.height) > min(display.width, display.height)
        {
            result.append(.largerThanDisplay(resolution, display: display))
        }
        return result
    }

    /// Performs the steps 2 to 4 of ``VariantSelector``.
    func choose(throughput: UInt64?) -> Choice? {
        var best: Int?
        var smallest: Int?
        var lowest: Int?
        for index in variants.indices where isPlayable(index) {
            let limits = limits(index, throughput: throughput)
            let isLarge = limits.contains { if case .largerThanDisplay = $0 { true } else { false } }
            if limits.isEmpty { best = better(index, best) { _ in 0 } }
            if limits.count == (isLarge ? 1 : 0) { smallest = better(index, smallest) { -ranks[$0].pixels } }
            lowest = better(index, lowest) { -Double(variants[$0].bandwidth) }
        }
        if let best { return Choice(index: best, fit: .good) }
        if let smallest { return Choice(index: smallest, fit: .largerThanDisplay) }
        return lowest.map { Choice(index: $0, fit: .aboveBandwidth) }
    }

    /// Returns the variant with the higher value; if the values are equal, the variant with the higher rank.
    private func better(_ index: Int, _ other: Int?, by value: (Int) -> Double) -> Int {
        guard let other else { return index }
        let (own, others) = (value(index), value(other))
        if own != others { return own > others ? index : other }
        return isBetter(index, than: other) ? index : other
    }

    /// Returns the other variants with the reasons why they were not selected.
    func rejections(_ choice: Choice?, throughput: UInt64?) -> [Selection.RejectedVariant] {
        variants.indices.compactMap { index in
            guard index != choice?.index else { return nil }
            var reasons = obstacles[index] + limits(index, throughput: throughput)
            if reasons.isEmpty, let choice { reasons = [ranks[choice.index].advantage(over: ranks[index])] }
            return Selection.RejectedVariant(variant: variants[index], index: index, reasons: reasons)
        }
    }
}

/// The values of a variant for the selection criteria; higher values are better.
struct VariantRank {
    let score: Double
    let pixels: Double
    private let values: [Double]

    init(_ variant: Variant, _ index: Int, score: Double, supplementalCodecs: Int) {
        self.score = score
        pixels = variant.resolution.map { Double($0.width) * Double($0.height) } ?? 0
        let isHDR = variant.videoRange != nil && variant.videoRange != .sdr
        // The values are in the order of VariantCriterion.
        values = [
            pixels, isHDR ? 1 : 0, Double(variant.codecs.map { Self.generation(Codec($0)) }.max() ?? 0),
            variant.frameRate ?? 0, Double(supplementalCodecs), Double(variant.bandwidth),
            Double(variant.averageBandwidth ?? 0), -Double(index),
        ]
    }

    private static func generation(_ codec: Codec) -> Int {
        switch codec.family {
        case .hevc, .dolbyVision, .av1, .vp9: 2
        case .h264: 1
        default: 0
        }
    }

    func isBetter(than other: VariantRank) -> Bool {
        if score != other.score { return score > other.score }
        guard let difference = difference(from: other) else { return false }
        return values[difference] > other.values[difference]
    }

    /// Returns the reason why this variant is better than another.
    func advantage(over other: VariantRank) -> VariantRejection {
        if score != other.score { return .lowerScore(other.score, chosen: score) }
        return .lessThanChosen(difference(from: other).map { VariantCriterion.allCases[$0] } ?? .order)
    }

    private func difference(from other: VariantRank) -> Int? {
        values.indices.first { values[$0] != other.values[$0] }
    }
}
