public import HLSPlaylist

/// A requirement that was not validated, or not everywhere.
public struct SkippedCheck: Hashable, Sendable {
    /// The reason.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The content is encrypted, and there is no key.
        case needsKey = "needs the key"
        /// The sound or the picture would have to be decoded.
        case needsDecoding = "needs decoding"
        /// Not all segments were loaded.
        case notSampled = "not sampled"
        /// The presentation was read from files.
        case notHTTP = "not HTTP"
        /// A live stream would have to be watched.
        case liveOnly = "live only"
        /// Only a person can judge it.
        case needsPerson = "needs a person"
        /// This version has no rule for it.
        case noRule = "no rule in this version"
    }

    /// The rule; nil for a requirement that no rule checks.
    public let rule: RuleID?
    /// The number of the requirement.
    public let number: RuleNumber
    /// The requirement, on one line.
    public let summary: String
    /// The reason.
    public let reason: Reason
    /// The names of the playlists in which the rule was not checked; empty for all.
    public let playlists: [String]
}

extension SkippedCheck {
    /// Returns what was not validated: rules for which data are missing, and requirements without a rule.
    static func all(
        _ presentation: MeasuredPresentation,
        rules: [CatalogRule],
        settings: JudgmentSettings
    ) -> [SkippedCheck] {
        let coverage = Coverage(presentation)
        var skipped: [SkippedCheck] = []
        for rule in rules {
            for (reason, playlists) in coverage.missing(for: rule.need, settings) {
                skipped.append(
                    .init(
                        rule: rule.id,
                        number: rule.number,
                        summary: rule.summary,
                        reason: reason,
                        playlists: playlists
                    )
                )
            }
        }
        guard settings.profile != .cmaf else { return skipped }
        return skipped
            + RuleCatalog.unchecked.map { requirement in
                let reason: Reason =
                    switch requirement.effort {
                    case .measuring: .noRule
                    case .person: .needsPerson
                    }
                return .init(
                    rule: nil,
                    number: RuleNumber("general:\(requirement.number)@\(settings.revision.rawValue)"),
                    summary: requirement.summary,
                    reason: reason,
                    playlists: []
                )
            }
    }
}

/// The loaded parts of a presentation.
private struct Coverage {
    private let isOverHTTP: Bool
    private let count: Int
    /// The names of playlists of which segments were not loaded.
    private var notSampled: [String] = []
    /// The names of playlists of which no segment was loaded, so that formats are unknown too.
    private var unknownFormat: [String] = []
    /// The names of playlists whose segments are encrypted as a whole.
    private var sealed: [String] = []
    /// The names of playlists with encrypted samples.
    private var encrypted: [String] = []
    private var sound = SoundCoverage()

    init(_ presentation: MeasuredPresentation) {
        let observed = [presentation.http] + presentation.renditions.map(\.http)
        isOverHTTP = observed.contains { $0 != nil }
        count = presentation.renditions.count
        for rendition in presentation.renditions {
            var (isSkipped, isSealed) = (false, false)
            for segment in rendition.segments where !segment.isGap {
                switch segment.outcome {
                case .skipped: isSkipped = true
                case .sealed: isSealed = true
                case .measured, .missing, .unreadable, .undecryptable: break
                }
            }
            if isSkipped { notSampled.append(rendition.name) }
            if isSkipped, rendition.measured.isEmpty, !isSealed { unknownFormat.append(rendition.name) }
            if isSealed { sealed.append(rendition.name) }
            sound.add(rendition, isSealed: isSealed)
            let hasEncryptedTracks = rendition.formats.contains { $0.protection != nil }
            if isSealed || hasEncryptedTracks || rendition.segments.contains(where: { $0.keys.isEncrypted }) {
                encrypted.append(rendition.name)
            }
        }
    }

    /// Returns the reasons why data are missing, with the names of the playlists, which are empty for all.
    func missing(
        for need: ValidationRule.Need,
        _ settings: JudgmentSettings
    ) -> [(reason: SkippedCheck.Reason, playlists: [String])] {
        var missing: [(SkippedCheck.Reason, [String])] = []
        func add(_ reason: SkippedCheck.Reason, _ names: [String]) {
            guard !names.isEmpty else { return }
            missing.append((reason, names.count == count ? [] : names))
        }
        switch need {
        case .playlist: break
        case .reloads: if !settings.isWatched { missing.append((.liveOnly, [])) }
        case .http: if !isOverHTTP { missing.append((.notHTTP, [])) }
        case .initialization:
            add(.needsKey, sealed)
            add(.notSampled, unknownFormat)
        case .media:
            add(.needsKey, sealed)
            add(.notSampled, notSampled)
        case .decryptedMedia:
            if !settings.hasKeys { add(.needsKey, encrypted) }
            add(.notSampled, notSampled)
        case .decodedMedia:
            add(.needsDecoding, sound.notDecoded)
            add(.needsKey, sound.withoutKey)
            add(.notSampled, sound.partlyDecoded + unknownFormat)
        }
        return missing
    }
}

/// The names of playlists by what is missing to compare their loudness.
private struct SoundCoverage {
    /// Those whose audio was not decoded.
    private(set) var notDecoded: [String] = []
    /// Those whose audio no key opens.
    private(set) var withoutKey: [String] = []
    /// Those of which not all segments were decoded, or which are live.
    private(set) var partlyDecoded: [String] = []

    mutating func add(_ rendition: MeasuredRendition, isSealed: Bool) {
        guard !rendition.isIFrames else { return }
        guard let loudness = rendition.loudness else {
            if rendition.declaredLoudness != nil {
                notDecoded.append(rendition.name)
            } else if isSealed {
                withoutKey.append(rendition.name)
            }
            return
        }
        switch loudness.outcome {
        case .measured: if !loudness.isWhole { partlyDecoded.append(rendition.name) }
        case .needsKey: withoutKey.append(rendition.name)
        case .notDecoded: notDecoded.append(rendition.name)
        }
    }
}
