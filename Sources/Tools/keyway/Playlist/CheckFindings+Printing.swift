import HLSPlaylist
import TextCoding
import ToolSupport

extension CheckFindings {
    /// Returns the findings as text, grouped by rule, with locations and excerpts, and the counts at the end.
    ///
    /// - Parameter places: The maximum number of locations to show for each rule; nil for all.
    func text(_ style: Style, places: Int?) -> String {
        var lines: [String] = []
        for (key, severity, findings) in byRule {
            let rule = CheckRule.of(key)
            let title = style.bold("\(key.id)") + (rule.map { "  \($0.section)" } ?? "")
            lines += [style.colored(severity.rawValue, severity) + "  " + title]
            if let summary = rule?.summary { lines.append("  \(summary)") }
            for finding in findings.prefix(places ?? .max) { lines += finding.lines(style) }
            let rest = findings.count - min(places ?? .max, findings.count)
            if rest > 0 { lines.append("  and \(rest) more; give --all to show them") }
            lines.append("")
        }
        lines += watched.map(\.text)
        return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n") + summary + "\n"
    }

    /// The counts of findings and files on one line.
    var summary: String {
        let checked = files.count { $0.kind != nil }
        let unread = files.count - checked
        let kinds = Set(files.compactMap(\.kind).map { $0 == ManifestChecker.kind })
        let noun = kinds == [true] ? "manifest" : kinds == [true, false] ? "file" : "playlist"
        let place = counted(checked, noun) + (unread > 0 ? ", \(unread) not read" : "")
        guard !findings.isEmpty else { return "no findings in \(place)" }
        return "\(countText(.error)), \(countText(.warning)), \(countText(.note)) in \(place)"
    }

    /// The findings as JSON.
    var json: JSONValue {
        .object([
            "files": .array(
                files.map { file in
                    .object([
                        "file": .string(file.name), "kind": .string(file.kind),
                        "problem": .string(file.problem),
                    ])
                }
            ),
            "findings": .array(byRule.flatMap(\.findings).map(\.json)),
            "watched": watched.isEmpty ? nil : .array(watched.map(\.json)),
            "counts": .object([
                "error": .integer(Int(count(.error))), "warning": .integer(Int(count(.warning))),
                "note": .integer(Int(count(.note))),
            ]),
        ])
    }

    private func countText(_ severity: Diagnostic.Severity) -> String {
        let number = count(severity)
        return counted(number, severity.rawValue)
    }
}

extension CheckFinding {
    /// Returns the location and message, and the line with a caret below the column.
    fileprivate func lines(_ style: Style) -> [String] {
        var place = PlaylistText.printable(file)
        if line > 0 { place += ":\(line)" }
        if line > 0, column > 0 { place += ":\(column)" }
        if let reload { place += " (reload \(reload))" }
        var lines = ["  \(place): \(PlaylistText.message(message))"]
        guard let text else { return lines }
        let excerpt = Excerpt(text.text, column: column)
        guard !excerpt.text.isEmpty else { return lines }
        lines.append("      " + style.dim(excerpt.text))
        if let caret = excerpt.caret { lines.append("      " + String(repeating: " ", count: caret) + "^") }
        return lines
    }

    fileprivate var json: JSONValue {
        let section = CheckRule.of(key)?.section ?? "-"
        let reload = reload.map { JSONValue.integer(Int($0)) }
        let other = other.map { place in
            JSONValue.object(["file": .string(place.file), "line": .integer(Int(place.line))])
        }
        return .object([
            "rule": .string(rule.rawValue), "severity": .string(severity.rawValue), "section": .string(section),
            "file": .string(file), "line": .integer(Int(line)), "column": .integer(Int(column)),
            "endColumn": .integer(endColumn), "message": .string(PlaylistText.message(message)), "fix": fix?.json,
            "other": other, "reload": reload,
        ])
    }
}

extension Style {
    /// Returns text in the color of a severity.
    func colored(_ text: String, _ severity: Diagnostic.Severity) -> String {
        switch severity {
        case .error: red(text)
        case .warning: yellow(text)
        case .note: dim(text)
        }
    }
}
