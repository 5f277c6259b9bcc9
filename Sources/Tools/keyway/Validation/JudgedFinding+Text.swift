import ContentKeySession
import HLSPlaylist
import StreamValidation
import VirtualDevice

extension JudgedFinding {
    /// The advice: that of the rule, except for a CKC that the device rejects as invalid; nil for rules about the text of
    /// playlists, whose messages contain it.
    var advice: String? {
        let isInvalidCKC = rule.id.rawValue == "key-get" && message.contains(FPSError.invalidCKC.description)
        return isInvalidCKC ? KeyFailure.invalidCKCAdvice : rule.advice
    }

    /// The message with the measured and the expected value, without the place.
    var sentence: String {
        var text = PlaylistText.message(message)
        if let measured {
            text += " Measured: \(PlaylistText.printable(measured))"
            if let limit { text += "; expected: \(PlaylistText.printable(limit))" }
            text += "."
        }
        return text
    }

    /// The targets for which the level is another one than ``level``, and those for which the finding exists if it is not
    /// one of the general requirements, such as `tvOS: must`; nil if nothing is different.
    var targetNote: String? {
        let different = levels.filter { $0.value != level || levels[.general] == nil }
        let notes = different.sorted { $0.key < $1.key }.map { "\($0.key.name): \($0.value.rawValue)" }
        let missing = levels[.general] == nil ? [] : ValidationTarget.allCases.filter { levels[$0] == nil }
        // A target that was not selected has no level.
        guard levels.count > 1 || levels[.general] == nil else { return nil }
        let exempt =
            missing.isEmpty || levels.count < 3 ? [] : ["not for \(missing.map(\.name).joined(separator: ", "))"]
        let all = notes + exempt
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    /// True if not all segments were loaded that the finding is about.
    var isEstimate: Bool { confidence == .estimate }
}

extension FindingException {
    /// The exception as text, such as `suppressed until 2027-01-31: reason`.
    var text: String {
        let kind = kind == .baseline ? "in the baseline" : "suppressed"
        let end = expires.map { " until \($0)" } ?? ""
        return "\(kind)\(end): \(PlaylistText.printable(reason))"
    }
}

extension UnusedException {
    /// The exception and why it did not apply, as text.
    var text: String {
        let place = exception.place.map { " at \(PlaylistText.printable($0.text))" } ?? ""
        let why =
            switch cause {
            case .unmatched: "matches nothing any longer; delete it"
            case .expired: "expired on \(exception.expires ?? "-"); its violations count"
            case .exceeded: "allows \(exception.maximumCount ?? 0) violations, and there are more; all count"
            }
        let kind = exception.kind == .baseline ? "baseline" : "suppression"
        return "\(kind) of \(PlaylistText.printable(exception.rule.rawValue))\(place): \(why)"
    }
}

extension TargetVerdict {
    /// The counts as text, such as `iOS: 2 must, 3 should`.
    var text: String {
        let parts = ValidationRule.Level.allCases.reversed().compactMap { level -> String? in
            counts[level].map { "\($0) \(level.rawValue)" }
        }
        return "\(target.name): \(parts.isEmpty ? "no findings" : parts.joined(separator: ", "))"
    }
}

extension Judgment {
    /// The requirements that were not validated, grouped by reason, in the order of the reasons.
    var skippedByReason: [(reason: SkippedCheck.Reason, checks: [SkippedCheck])] {
        let groups = Dictionary(grouping: skipped, by: \.reason)
        return SkippedCheck.Reason.allCases.compactMap { reason in groups[reason].map { (reason, $0) } }
    }

    /// The findings in groups of one rule, level and exception.
    var groups: [[JudgedFinding]] {
        var groups: [[JudgedFinding]] = []
        for finding in findings {
            if let first = groups.last?.first, first.rule.id == finding.rule.id, first.level == finding.level,
                (first.exception == nil) == (finding.exception == nil), first.counts == finding.counts
            {
                groups[groups.count - 1].append(finding)
            } else {
                groups.append([finding])
            }
        }
        return groups
    }
}

extension ValidationFinding.Place {
    /// The place as text: the playlist, the line, the segment and its time.
    var text: String {
        var text = PlaylistText.redacted(playlist)
        if line > 0 { text += ":\(line)" }
        if let sequence { text += ", segment \(sequence)" }
        if let time { text += " at \(Self.time(time))" }
        return PlaylistText.printable(text)
    }

    private static func time(_ seconds: Double) -> String {
        let tenths = Int(rounding: seconds * 10)
        let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60)
        let rest = tenths % 600
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(hours):\(two(minutes)):\(two(rest / 10)).\(rest % 10)"
    }
}
