import HLSPlaylist
import StreamValidation
import XMLDocuments

/// A report of `keyway validate` in the format of JUnit, which CI systems show: a suite for each playlist, with a case for
/// each rule that is violated in it, or one passed case.
struct JUnitReport {
    let report: ValidationReport
    let findings: [ReportedFinding]
    /// The lowest level of a failure; nil if no finding is one.
    let least: ValidationRule.Level?

    /// The XML document.
    var bytes: [UInt8] {
        let suites = names.map { name in (name, cases(of: name)) }
        var writer = XMLWriter()
        let attributes = counts(suites.flatMap(\.1))
        writer.element("testsuites", [("name", "keyway validate")] + attributes) { writer in
            for (name, cases) in suites {
                let title = PlaylistText.printable(PlaylistText.redacted(name))
                writer.element("testsuite", [("name", title)] + counts(cases)) { writer in
                    for element in cases { write(element, to: &writer) }
                }
            }
        }
        return writer.bytes
    }

    /// The names of the playlists, the Multivariant Playlist first.
    private var names: [String] {
        var names: [String] = report.presentation.multivariant.map { [$0.name] } ?? []
        for rendition in report.presentation.renditions where !names.contains(rendition.name) {
            names.append(rendition.name)
        }
        return names
    }

    /// A rule that is violated in a playlist; without places, the passed case of a playlist in which none is.
    private struct Case {
        let rule: String
        let number: String
        let places: [ReportedFinding]
        let isFailure: Bool
    }

    private func cases(of name: String) -> [Case] {
        var order: [RuleID] = []
        let own = findings.filter { $0.place.playlist == name }
        for finding in own where !order.contains(finding.rule) { order.append(finding.rule) }
        guard !order.isEmpty else { return [Case(rule: "all rules", number: "keyway", places: [], isFailure: false)] }
        return order.map { rule in
            let places = own.filter { $0.rule == rule }
            let isFailure = places.contains { finding in least.map { finding.level >= $0 } ?? false }
            return Case(rule: rule.rawValue, number: places[0].number, places: places, isFailure: isFailure)
        }
    }

    private func counts(_ cases: [Case]) -> [(String, String?)] {
        [("tests", "\(cases.count)"), ("failures", "\(cases.count(where: \.isFailure))")]
    }

    private func write(_ element: Case, to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [("name", element.rule), ("classname", element.number)]
        guard let first = element.places.first else { return writer.element("testcase", attributes) }
        let text = element.places.map { "\($0.level.rawValue): \($0.place.text): \($0.sentence)" }.joined(
            separator: "\n"
        )
        writer.element("testcase", attributes) { writer in
            if element.isFailure {
                writer.element("failure", [("message", first.sentence)], text: text)
            } else {
                writer.element("system-out", text: text)
            }
        }
    }
}
