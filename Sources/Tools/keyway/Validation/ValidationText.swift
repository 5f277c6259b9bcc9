import HLSPlaylist
import MediaFormats
import StreamValidation
import TextCoding
import ToolSupport

/// A report of `keyway validate` as text. ``json`` is in a file of its own.
struct ValidationText {
    let report: ValidationReport
    let judgment: Judgment

    init(_ report: ValidationReport, _ judgment: Judgment) { (self.report, self.judgment) = (report, judgment) }

    /// Returns the table of playlists, the findings grouped by rule, what was not validated, the verdict for each target,
    /// and the counts, without a newline at the end.
    ///
    /// - Parameter places: The maximum number of places of each rule, and requirements of each reason; nil for all.
    func text(_ style: Style, places: Int?) -> String {
        var lines = Grid.lines([Self.columns] + rows) + [""]
        let keys = KeySummary.all(report.presentation)
        if !keys.isEmpty {
            lines += Grid.lines([KeySummary.columns.map { $0.lowercased() }] + keys.map(\.cells)) + [""]
        }
        let loudness = LoudnessSummary.all(report.presentation)
        if !loudness.isEmpty {
            lines += Grid.lines([LoudnessSummary.columns.map { $0.lowercased() }] + loudness.map(\.cells)) + [""]
        }
        for group in judgment.groups {
            guard let first = group.first, first.exception == nil else { continue }
            let note = first.targetNote.map { " (\($0))" } ?? ""
            lines.append(
                style.colored(first.level.rawValue, first.level)
                    + "  \(style.bold("\(first.rule.id)"))  \(first.rule.number)\(note)"
            )
            if !first.rule.summary.isEmpty { lines.append("  \(first.rule.summary)") }
            for finding in group.prefix(places ?? .max) { lines += Self.lines(finding) }
            let rest = group.count - min(places ?? .max, group.count)
            if rest > 0 { lines.append("  and \(rest) more; give --all to show them") }
            if let advice = first.advice { lines.append("  What to do: \(advice)") }
            lines.append("")
        }
        lines += exceptionLines + skippedLines(isComplete: places == nil)
        lines.append("verdict: " + judgment.verdicts.map(\.text).joined(separator: "; "))
        return (lines + [summary]).joined(separator: "\n")
    }

    /// The findings with an exception, by count, and the exceptions without a finding.
    private var exceptionLines: [String] {
        let known = judgment.findings.compactMap(\.exception)
        var lines = judgment.unusedExceptions.map { "note: \($0.text)" }
        if !known.isEmpty {
            let baseline = known.count { $0.kind == .baseline }
            lines.append(
                "known and not counted: \(counted(known.count, "finding")), \(baseline) of the baseline, "
                    + "\(known.count - baseline) suppressed"
            )
        }
        return lines
    }

    /// The requirements that were not validated: their number by reason, or each of them.
    private func skippedLines(isComplete: Bool) -> [String] {
        guard !judgment.skipped.isEmpty else { return [] }
        guard isComplete else {
            let parts = judgment.skippedByReason.map { "\($0.checks.count) \($0.reason.rawValue)" }
            return ["not validated: \(parts.joined(separator: ", ")); give --all to list them"]
        }
        return ["not validated:"]
            + judgment.skippedByReason.flatMap { reason, checks in
                ["  \(reason.rawValue):"]
                    + checks.map { check in
                        let name = check.rule.map { "\($0)  " } ?? ""
                        let places = check.playlists.isEmpty ? "" : " (\(counted(check.playlists.count, "playlist")))"
                        return "    \(name)\(check.number)  \(check.summary)\(places)"
                    }
            }
    }

    private static func lines(_ finding: JudgedFinding) -> [String] {
        var text = "  \(finding.place.text): \(finding.sentence)"
        if finding.isEstimate { text += " (An estimate: not all segments were loaded.)" }
        guard finding.count > 1, let last = finding.last?.sequence else { return [text] }
        return [text, "    and \(counted(finding.count - 1, "further segment")), the last one \(last)"]
    }

    static let columns = ["playlist", "kind", "segments", "codecs", "size", "encryption", "average", "peak"]

    /// The rows of the table of playlists, in the order of ``columns``.
    var rows: [[String]] {
        report.presentation.renditions.map { rendition in
            let formats = rendition.formats
            let rate = MeasuredBitRate(rendition)
            let done = rendition.segments.count { $0.byteCount != nil }
            let total = rendition.segments.count { !$0.isGap }
            let unique = { (values: [String]) -> String in
                var known: Set<String> = []
                let list = values.filter { known.insert($0).inserted }
                return list.isEmpty ? "-" : list.joined(separator: ",")
            }
            let kind = (rendition.kind?.rawValue ?? "-") + (rendition.isIFrames ? ", I-frames" : "")
            return [
                PlaylistText.printable(PlaylistText.redacted(rendition.name)), kind, "\(done)/\(total)",
                unique(formats.map(\.codecs)), unique(formats.compactMap(\.size).map { "\($0.width)x\($0.height)" }),
                Self.encryption(rendition), rate.map { ValidationRule.rateText($0.average) } ?? "-",
                rate.map { ValidationRule.rateText($0.peak) } ?? "-",
            ]
        }
    }

    static func encryption(_ rendition: MeasuredRendition) -> String {
        if rendition.segments.contains(where: { if case .sealed = $0.outcome { true } else { false } }) {
            return "AES-128"
        }
        let schemes = Set(rendition.formats.compactMap { $0.protection?.scheme }).sorted()
        return schemes.isEmpty ? "clear" : schemes.joined(separator: ",")
    }

    /// The counts of findings, playlists and segments on one line.
    var summary: String {
        let segments = report.presentation.renditions.flatMap(\.segments)
        let loaded = segments.count { $0.byteCount != nil }
        let total = segments.count { !$0.isGap }
        let place =
            "\(counted(report.presentation.renditions.count, "playlist")), \(loaded) of \(counted(total, "segment"))"
        let counts = ValidationRule.Level.allCases.reversed().compactMap { level -> String? in
            let count = count(level)
            return count > 0 ? "\(count) \(level.rawValue)" : nil
        }
        guard !counts.isEmpty else { return "no findings in \(place)" }
        return "\(counts.joined(separator: ", ")) in \(place)"
    }

    /// The number of findings of a level that count.
    func count(_ level: ValidationRule.Level) -> Int { judgment.findings.count { $0.counts && $0.level == level } }
}

extension Style {
    /// Returns text in the color of a level.
    func colored(_ text: String, _ level: ValidationRule.Level) -> String {
        switch level {
        case .critical, .must: red(text)
        case .should: yellow(text)
        case .advice: dim(text)
        }
    }
}
