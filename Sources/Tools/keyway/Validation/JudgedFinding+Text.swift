import HLSPlaylist
import StreamValidation

/// A finding of a validation, about the text of a playlist or about what was measured, with the data to print it.
struct ReportedFinding: Sendable {
    let rule: RuleID
    let level: ValidationRule.Level
    /// The number of the rule in its specification.
    let number: String
    /// The requirement, on one line.
    let summary: String
    /// The correction, on one line; nil if the message contains it.
    let advice: String?
    let place: ValidationFinding.Place
    let last: ValidationFinding.Place?
    let count: Int
    let message: String
    let measured: String?
    let limit: String?
    let isEstimate: Bool

    private static let rules = Dictionary(
        ValidationRule.all.map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    init(_ finding: ValidationFinding) {
        let rule = Self.rules[finding.rule]
        self.rule = finding.rule
        level = finding.level
        number = rule?.number ?? "-"
        summary = rule?.summary ?? ""
        advice = rule?.advice
        (place, last, count) = (finding.place, finding.last, finding.count)
        (message, measured, limit) = (finding.message, finding.measured, finding.limit)
        isEstimate = finding.confidence == .estimate
    }

    init(_ finding: LintFinding) {
        let catalog = CheckRule.of(CheckRule.Key(id: finding.diagnostic.rule, isAboutManifests: false))
        rule = finding.diagnostic.rule
        level =
            switch finding.diagnostic.severity {
            case .error: .must
            case .warning: .should
            case .note: .advice
            }
        let section = catalog?.section ?? "-"
        let isApple = section.hasPrefix("Apple ")
        number = isApple ? "general:\(section.dropFirst(6))@2025-06-26" : section == "-" ? "-" : "8216bis:\(section)"
        summary = catalog?.summary ?? ""
        advice = nil
        place = ValidationFinding.Place(finding.file, line: finding.diagnostic.line)
        (last, count) = (nil, 1)
        message = finding.diagnostic.message
        (measured, limit, isEstimate) = (nil, nil, false)
    }

    /// All findings of a report, the most serious first, and those of one rule together.
    static func all(of report: ValidationReport) -> [ReportedFinding] {
        let all = report.findings.map(Self.init) + report.playlistFindings.map(Self.init)
        var positions: [RuleID: Int] = [:]
        for finding in all where positions[finding.rule] == nil { positions[finding.rule] = positions.count }
        return all.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            if first.level != second.level { return first.level > second.level }
            if first.rule != second.rule { return (positions[first.rule] ?? 0) < (positions[second.rule] ?? 0) }
            return left.offset < right.offset
        }.map(\.element)
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
