extension VariantSelector {
    /// Selects the renditions to play with a variant, from its rendition groups, by ``preferences``.
    ///
    /// 1. Audio renditions with more channels than the player supports are rejected. Subtitles are rejected if CODECS
    /// has
    ///    text formats and the player supports none of them.
    /// 2. Without a choice of the user, only renditions with AUTOSELECT=YES or DEFAULT=YES are candidates. An audio or
    ///    video group without any such rendition is an exception.
    /// 3. Of several candidates, the best one by these criteria is selected, in this order: the preferred language (see
    ///    below); more preferred CHARACTERISTICS; recognized CHANNELS (section 6.3.1); DEFAULT=YES; fewer other
    ///    CHARACTERISTICS; more channels; the earlier position in the playlist.
    /// 4. Full subtitles are selected as ``RenditionPreferences/Subtitles`` specifies. Otherwise, forced subtitles are
    ///    selected: in the language of the audio, or in a preferred language, or without a language. Closed captions
    ///    replace full subtitles if subtitles are always shown and there are no full subtitles.
    ///
    /// Languages are matched by lookup (RFC 4647, section 3.4): for each preferred language, the tag itself is tried
    /// first, then the tag without its last subtags; LANGUAGE before ASSOC-LANGUAGE. Before the next preferred
    /// language, a more specific LANGUAGE is tried (`en` matches `en-GB`).
    public func renditions(
        for variant: Variant,
        in playlist: MultivariantPlaylist
    ) -> (chosen: [SelectedRendition], rejected: [RejectedRendition]) {
        var result = RenditionChoices(preferences: preferences)
        if let group = variant.video {
            result.choose(playlist.renditions(.video, in: group), languages: preferences.languages, mustPlay: true)
        }
        if let group = variant.audio {
            var playable: [MediaTag] = []
            for rendition in playlist.renditions(.audio, in: group) {
                if let maximum = abilities.maximumAudioChannels, let count = rendition.channelCount, count > maximum {
                    result.reject(rendition, .tooManyChannels(count, maximum: maximum))
                } else {
                    playable.append(rendition)
                }
            }
            result.choose(playable, languages: preferences.languages, mustPlay: true)
        }
        chooseText(variant, playlist, &result)
        return (result.chosen, result.rejected)
    }

    private func chooseText(
        _ variant: Variant,
        _ playlist: MultivariantPlaylist,
        _ result: inout RenditionChoices
    ) {
        let languages = preferences.subtitleLanguages ?? preferences.languages
        var hasFull = false
        if let group = variant.subtitles {
            let all = playlist.renditions(.subtitles, in: group)
            let formats = variant.codecs.map { Codec($0) }.filter { [.webVTT, .ttml, .tx3g].contains($0.family) }
            if !formats.isEmpty, !formats.contains(where: abilities.codecs.supports) {
                for rendition in all { result.reject(rendition, .formatsUnsupported(formats)) }
            } else {
                hasFull = result.chooseSubtitles(all, languages: languages)
            }
        }
        if case .group(let group)? = variant.closedCaptions {
            let captions = playlist.renditions(.closedCaptions, in: group)
            if preferences.subtitles == .on, !hasFull {
                result.choose(captions, languages: languages, mustPlay: true, isUserChoice: true)
            } else {
                for rendition in captions { result.reject(rendition, .notRequired) }
            }
        }
    }
}

/// The renditions that have been selected and rejected so far.
private struct RenditionChoices {
    let preferences: RenditionPreferences
    private(set) var chosen: [SelectedRendition] = []
    private(set) var rejected: [RejectedRendition] = []

    init(preferences: RenditionPreferences) { self.preferences = preferences }

    mutating func reject(_ rendition: MediaTag, _ reason: RejectedRendition.Reason) {
        rejected.append(RejectedRendition(rendition: rendition, reason: reason))
    }

    /// Selects one rendition of a group.
    ///
    /// - Parameter mustPlay: Whether a rendition must be selected even if none may be selected automatically.
    mutating func choose(
        _ group: [MediaTag],
        languages: [String],
        mustPlay: Bool,
        isUserChoice: Bool? = nil
    ) {
        var eligible = group
        if !(isUserChoice ?? preferences.isUserChoice) {
            eligible = group.filter { $0.autoselects == true || $0.isDefault == true }
            if eligible.isEmpty, mustPlay { eligible = group }
        }
        if eligible.count < group.count {
            for rendition in group where rendition.autoselects != true && rendition.isDefault != true {
                reject(rendition, .notAutoselected)
            }
        }
        let match = LanguageMatch(eligible, languages)
        let ranks = eligible.enumerated().map { index, rendition in
            RenditionRank(rendition, hasLanguage: match.matched.contains(index), wanted: preferences.characteristics)
        }
        // Of equal renditions, the first one is selected.
        guard var best = ranks.indices.first else { return }
        for index in ranks.indices where ranks[index].isBetter(than: ranks[best]) { best = index }
        for index in eligible.indices where index != best {
            reject(eligible[index], ranks[best].advantage(over: ranks[index]))
        }
        var reasons: [SelectedRendition.Reason] = []
        if match.matched.contains(best), let range = match.range { reasons.append(.language(range)) }
        let wanted = eligible[best].characteristics.filter(preferences.characteristics.contains)
        if !wanted.isEmpty { reasons.append(.characteristics(wanted)) }
        if eligible[best].isDefault == true { reasons.append(.isDefault) }
        chosen.append(SelectedRendition(rendition: eligible[best], reasons: reasons.isEmpty ? [.first] : reasons))
    }

    /// Selects full or forced subtitles.
    ///
    /// - Returns: Whether full subtitles are shown.
    mutating func chooseSubtitles(_ group: [MediaTag], languages: [String]) -> Bool {
        let full = group.filter { $0.isForced != true }
        let forced = group.filter { $0.isForced == true }
        let count = chosen.count
        switch preferences.subtitles {
        case .on: choose(full, languages: languages, mustPlay: true, isUserChoice: true)
        case .automatic where full.contains { $0.isDefault == true }:
            choose(full, languages: languages, mustPlay: false)
        case .automatic where isAudioForeign && !LanguageMatch(full.filter(isAutoselected), languages).matched.isEmpty:
            choose(full, languages: languages, mustPlay: false)
        default: for rendition in full { reject(rendition, .notRequired) }
        }
        if chosen.count > count {
            for rendition in forced { reject(rendition, .forced) }
            return true
        }
        chooseForced(forced, languages: languages)
        return false
    }

    private func isAutoselected(_ rendition: MediaTag) -> Bool {
        preferences.isUserChoice || rendition.autoselects == true || rendition.isDefault == true
    }

    private var audioLanguage: String? { chosen.first { $0.rendition.type == .audio }?.rendition.knownLanguage }

    private var isAudioForeign: Bool {
        guard let audio = chosen.first(where: { $0.rendition.type == .audio })?.rendition, audio.knownLanguage != nil
        else {
            return false
        }
        return !preferences.languages.isEmpty && LanguageMatch([audio], preferences.languages).matched.isEmpty
    }

    private mutating func chooseForced(_ forced: [MediaTag], languages: [String]) {
        let match = LanguageMatch(forced, (audioLanguage.map { [$0] } ?? []) + languages)
        let best = match.matched.min() ?? forced.firstIndex { $0.knownLanguage == nil }
        for (index, rendition) in forced.enumerated() {
            if index != best {
                let isEqual = match.matched.contains(index)
                reject(rendition, isEqual ? .order : .otherLanguage(rendition.knownLanguage))
            } else {
                var reasons: [SelectedRendition.Reason] = [.forced]
                if match.matched.contains(index), let range = match.range { reasons.append(.language(range)) }
                chosen.append(SelectedRendition(rendition: rendition, reasons: reasons))
            }
        }
    }
}

/// The renditions that match a preferred language.
private struct LanguageMatch {
    /// The preferred language that matched, as in the preferences.
    private(set) var range: String?
    /// The indices of the renditions that match.
    private(set) var matched: Set<Int> = []

    init(_ renditions: [MediaTag], _ ranges: [String]) {
        guard !ranges.isEmpty else { return }
        var byLanguage: [String: [Int]] = [:]
        var byAssociated: [String: [Int]] = [:]
        for (index, rendition) in renditions.enumerated() {
            if let language = rendition.knownLanguage { byLanguage[language.lowercased(), default: []].append(index) }
            if let language = rendition.associatedLanguage {
                byAssociated[language.lowercased(), default: []].append(index)
            }
        }
        for range in ranges where range != "*" {
            for tag in LanguageTag.truncations(of: range) {
                guard let found = byLanguage[tag] ?? byAssociated[tag] else { continue }
                setMatch(range, found)
                return
            }
            let exact = byLanguage.filter { LanguageTag.matches(range, $0.key) }.flatMap(\.value)
            if !exact.isEmpty {
                setMatch(range, exact)
                return
            }
        }
    }

    private mutating func setMatch(_ range: String, _ indices: [Int]) {
        self.range = range
        matched = Set(indices)
    }
}

/// The values of a rendition for the selection criteria; higher values are better.
private struct RenditionRank {
    private let rendition: MediaTag
    private let unwanted: [String]
    /// The values for language, preferred characteristics, recognized channels, default, other characteristics
    /// (negative) and channels.
    private let values: [Double]

    init(_ rendition: MediaTag, hasLanguage: Bool, wanted: Set<String>) {
        self.rendition = rendition
        unwanted = rendition.characteristics.filter { !wanted.contains($0) }
        values = [
            hasLanguage ? 1 : 0, Double(rendition.characteristics.count - unwanted.count),
            rendition.channels.map(ChannelParameters.isRecognized) ?? true ? 1 : 0, rendition.isDefault == true ? 1 : 0,
            -Double(unwanted.count), Double(rendition.channelCount ?? 0),
        ]
    }

    func isBetter(than other: RenditionRank) -> Bool {
        guard let index = difference(from: other) else { return false }
        return values[index] > other.values[index]
    }

    /// Returns the reason why the other rendition was not selected.
    func advantage(over other: RenditionRank) -> RejectedRendition.Reason {
        switch difference(from: other) {
        case 0: .otherLanguage(other.rendition.knownLanguage)
        case 1: .fewerCharacteristics
        case 2: .unrecognizedChannels(other.rendition.channels ?? "")
        case 3: .notDefault
        case 4: .otherCharacteristics(other.unwanted)
        case 5: .fewerChannels
        default: .order
        }
    }

    private func difference(from other: RenditionRank) -> Int? {
        values.indices.first { values[$0] != other.values[$0] }
    }
}

extension MediaTag {
    /// The language; nil without LANGUAGE, and for `und`, the tag of an undetermined language (RFC 5646, 4.1).
    fileprivate var knownLanguage: String? { language?.lowercased() == "und" ? nil : language }
}
