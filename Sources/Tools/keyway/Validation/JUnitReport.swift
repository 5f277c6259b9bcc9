import HLSPlaylist
import StreamValidation
import XMLDocuments

/// A report of `keyway validate` in the format of JUnit, which CI systems show: a suite for each playlist with a case for each
/// rule. A rule that was not checked in it is a skipped case with the reason.
struct JUnitReport {
    let report: ValidationReport
    let judgment: Judgment
    /// The lowest level of a failure; nil if no finding is one.
    let least: ValidationRule.Level?

    /// The XML document.
    var bytes: [UInt8] {
        let suites = names.map { name in (name, cases(of: name)) } + [("requirements without a rule", unchecked)]
        var writer = XMLWriter()
        // The schemas of JUnit require `errors` of suites, and allow `skipped` only there.
        let attributes = counts(suites.flatMap(\.1)).filter { $0.0 != "skipped" }
        writer.element("testsuites", [("name", "keyway validate")] + attributes) { writer in
            for (name, cases) in suites where !cases.isEmpty {
                let title = PlaylistText.printable(PlaylistText.redacted(name))
                writer.element("testsuite", [("name", title)] + counts(cases)) { writer in
                    for element in cases { write(element, to: &writer) }
                }
            }
        }
        return writer.bytes
    }

    /// The names of the playlists, the Multivariant Playlist first, and of other resources with findings last.
    private var names: [String] {
        var names: [String] = report.presentation.multivariant.map { [$0.name] } ?? []
        var known = Set(names)
        for rendition in report.presentation.renditions where known.insert(rendition.name).inserted {
            names.append(rendition.name)
        }
        for finding in judgment.findings where known.insert(finding.place.playlist).inserted {
            names.append(finding.place.playlist)
        }
        return names
    }

    /// A rule in a playlist.
    private struct Case {
        let rule: String
        let number: String
        var places: [JudgedFinding] = []
        var isFailure = false
        /// The reason why the rule was not checked.
        var reason: String?
    }

    private func cases(of name: String) -> [Case] {
        let own = Dictionary(grouping: judgment.findings.filter { $0.place.playlist == name }, by: \.rule.id)
        var reasons: [RuleID: String] = [:]
        for check in judgment.skipped where check.playlists.isEmpty || check.playlists.contains(name) {
            if let rule = check.rule, reasons[rule] == nil { reasons[rule] = check.reason.rawValue }
        }
        let isMultivariant = report.presentation.multivariant?.name == name
        var rules = RuleCatalog.rules(of: judgment.settings.profile).filter { rule in
            judgment.settings.severities[rule.id] != .off
                && (own[rule.id] != nil || !isMultivariant || rule.need == .playlist)
        }
        // Findings of the reader that no rule of the catalog describes.
        let known = Set(rules.map(\.id))
        rules += own.filter { !known.contains($0.key) }.compactMap(\.value.first?.rule).sorted { $0.id < $1.id }
        return rules.map { rule in
            var element = Case(rule: rule.id.rawValue, number: "\(rule.number)")
            element.places = own[rule.id] ?? []
            element.isFailure = element.places.contains { finding in
                least.map { finding.counts && finding.level >= $0 } ?? false
            }
            if element.places.isEmpty { element.reason = reasons[rule.id] }
            return element
        }
    }

    private var unchecked: [Case] {
        judgment.skipped.filter { $0.rule == nil }.map { check in
            Case(rule: check.summary, number: "\(check.number)", reason: check.reason.rawValue)
        }
    }

    private func counts(_ cases: [Case]) -> [(String, String?)] {
        [
            ("tests", "\(cases.count)"), ("failures", "\(cases.count(where: \.isFailure))"),
            ("errors", "0"), ("skipped", "\(cases.count { $0.reason != nil })"),
        ]
    }

    private func write(_ element: Case, to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [("name", element.rule), ("classname", element.number)]
        if let reason = element.reason {
            return writer.element("testcase", attributes) { $0.element("skipped", [("message", reason)]) }
        }
        guard let first = element.places.first else { return writer.element("testcase", attributes) }
        let lines = element.places.map { finding in
            let exception = finding.exception.map { " (\($0.text))" } ?? ""
            return "\(finding.level.rawValue): \(finding.place.text): \(finding.sentence)\(exception)"
        }
        let text = lines.joined(separator: "\n")
        writer.element("testcase", attributes) { writer in
            if element.isFailure {
                writer.element("failure", [("message", first.sentence)], text: text)
            } else {
                writer.element("system-out", text: text)
            }
        }
    }
}
