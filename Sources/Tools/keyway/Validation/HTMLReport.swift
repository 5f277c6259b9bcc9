import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport
import XMLDocuments

/// A report of `keyway validate` as one HTML file without outside resources: a verdict for each target, the findings by rule,
/// tables of the playlists, the bit rate over time of each with its key periods, and what was not validated. It can be
/// read on a phone, in light and dark mode, and printed. The same input makes the same bytes.
struct HTMLReport {
    let report: ValidationReport
    let judgment: Judgment
    /// The URL or path that was validated.
    let title: String
    /// The version of Keyway.
    let version: String

    /// The HTML document.
    var text: String {
        let name = Self.escaped(PlaylistText.redacted(title))
        let text = ValidationText(report, judgment)
        let revision = judgment.settings.revision.rawValue
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(name): validation</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <header>
            <h1>\(name)</h1>
            <p class="verdict \(verdict.level)">\(verdict.text)</p>
            <p>\(Self.escaped(text.summary))</p>
            \(verdicts)
            </header>
            <main>
            \(findingsSection)
            \(HTMLPlaylistTables(report: report).html)
            <h2>Bit rates and keys</h2>
            <p class="note">The bars are the segments of the playlist alone; the declared rates of a variant include its audio.</p>
            \(report.presentation.renditions.compactMap { HTMLChart($0)?.html }.joined(separator: "\n"))
            \(skippedSection)
            </main>
            <footer>keyway validate \(Self.escaped(version)), Apple's authoring specification of \(revision), profile \
            \(judgment.settings.profile.rawValue)</footer>
            </body>
            </html>

            """
    }

    /// Returns text for HTML, without control characters and escapes of terminals.
    static func escaped(_ text: String) -> String { XMLText.escaped(PlaylistText.printable(text, limit: 4_000)) }

    // MARK: Verdict

    private var verdict: (level: String, text: String) {
        let prefix = judgment.isPartial ? "Not all segments were loaded. " : ""
        switch judgment.findings.filter(\.counts).map(\.level).max() {
        case .critical: return ("critical", prefix + "Parts of the presentation do not play.")
        case .must: return ("must", prefix + "Requirements are violated.")
        case .should: return ("should", prefix + "All requirements are met; recommendations are not.")
        case .advice, nil: return ("good", prefix + "No requirement or recommendation is violated.")
        }
    }

    private var verdicts: String {
        let items = judgment.verdicts.map { verdict in
            let parts = ValidationRule.Level.allCases.reversed().compactMap { level -> String? in
                verdict.counts[level].map { "<span class=\"\(level.rawValue)\">\($0) \(level.rawValue)</span>" }
            }
            let mark = verdict.passes ? "<b class=\"good\">passes</b>" : "<b class=\"must\">fails</b>"
            return
                "<li><h3>\(verdict.target.name)</h3>\(mark)<br>\(parts.isEmpty ? "no findings" : parts.joined(separator: ", "))"
                + "</li>"
        }
        return "<h2>Targets</h2>\n<ul class=\"targets\">\(items.joined(separator: "\n"))</ul>"
    }

    // MARK: Findings

    private var findingsSection: String {
        let groups = judgment.groups
        let open = groups.filter { $0.first?.exception == nil }.map(section)
        let known = groups.filter { $0.first?.exception != nil }.map(section)
        let unused = judgment.unusedExceptions.map { "<li>\(Self.escaped($0.text))</li>" }
        var html = open.isEmpty ? "" : "<h2>Findings</h2>\n" + open.joined(separator: "\n")
        if !known.isEmpty { html += "\n<h2>Known, not counted</h2>\n" + known.joined(separator: "\n") }
        if !unused.isEmpty {
            html += "\n<h2>Exceptions without effect</h2>\n<ul>\(unused.joined(separator: "\n"))</ul>"
        }
        return html
    }

    private func section(_ group: [JudgedFinding]) -> String {
        guard let first = group.first else { return "" }
        let places = group.map { finding in
            let more = finding.count > 1 ? " and \(counted(finding.count - 1, "further segment"))" : ""
            let estimate = finding.isEstimate ? " (An estimate: not all segments were loaded.)" : ""
            let reason = finding.exception.map { " <i>\(Self.escaped($0.text))</i>" } ?? ""
            return "<li><code>\(Self.escaped(finding.place.text))</code>\(more): "
                + "\(Self.escaped(finding.sentence + estimate))\(reason)</li>"
        }
        let note = first.targetNote.map { "<p class=\"note\">\(Self.escaped($0))</p>" } ?? ""
        let advice = first.advice.map { "<p class=\"action\"><b>What to do:</b> \(Self.escaped($0))</p>" } ?? ""
        let fault = first.rule.appleToolFault.map { "<p class=\"note\">\(Self.escaped($0))</p>" } ?? ""
        return """
            <details\(first.level >= .must && first.counts ? " open" : "")><summary><span class="level \(first.level.rawValue)">\
            \(first.level.rawValue)</span> <b>\(Self.escaped("\(first.rule.id)"))</b> \
            <span class="number">\(Self.escaped("\(first.rule.number)"))\(only(first))</span>
            <span class="requirement">\(Self.escaped(first.rule.requirement))</span></summary>
            \(note)
            <ul>\(places.joined(separator: "\n"))</ul>
            \(advice)
            \(fault)
            </details>
            """
    }

    /// Returns the name of the target to which a finding is limited; nothing for general ones.
    private func only(_ finding: JudgedFinding) -> String {
        guard let target = finding.rule.number.target, target != .general else { return "" }
        return ", only \(target.name)"
    }

    // MARK: Not validated

    private var skippedSection: String {
        guard !judgment.skipped.isEmpty else { return "" }
        let groups = judgment.skippedByReason.map { reason, checks in
            let items = checks.map { check in
                let name = check.rule.map { "<b>\(Self.escaped("\($0)"))</b> " } ?? ""
                let places = check.playlists.isEmpty ? "" : " (\(counted(check.playlists.count, "playlist")))"
                return "<li>\(name)<span class=\"number\">\(Self.escaped("\(check.number)"))</span> "
                    + "\(Self.escaped(check.summary))\(places)</li>"
            }
            return
                "<details><summary>\(Self.escaped(reason.rawValue)): \(counted(checks.count, "requirement"))</summary>"
                + "<ul>\(items.joined(separator: "\n"))</ul></details>"
        }
        return "<h2>Requirements with no validation performed</h2>\n" + groups.joined(separator: "\n")
    }
}
