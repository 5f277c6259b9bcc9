package import CommandSupport
package import TextCoding

extension Diagnosis {
    /// The version of the JSON document. A change that breaks readers increases it.
    private static let schemaVersion = 1
    /// The maximum number of problems of a step in the text; the JSON document contains all.
    private static let shownProblems = 5

    /// The diagnosis as JSON; see docs/doctor.md.
    package var json: JSONValue {
        .object([
            "schema": .integer(Self.schemaVersion),
            "command": .string(command),
            "result": .string(result.rawValue),
            "first": first.map { step, problem in Self.json(problem, step: step.id) },
            "steps": .array(
                steps.map { step in
                    .object([
                        "id": .string(step.id),
                        "mark": .string(step.mark.rawValue),
                        "summary": .string(step.summary),
                        "details": .array(step.details.map { .string($0) }),
                        "problems": .array(step.problems.map { Self.json($0) }),
                    ])
                }
            ),
        ])
    }

    private static func json(_ problem: Problem, step: String? = nil) -> JSONValue {
        .object([
            "step": .string(step), "mark": .string(problem.mark.rawValue), "code": .string(problem.code),
            "text": .string(problem.text), "remedy": .string(problem.remedy),
        ])
    }

    /// Returns the steps with their marks, each failed one with the remedy of its first failure, and then the first problem
    /// and its remedy, without a newline at the end.
    package func text(_ style: Style) -> String {
        let width = (steps.map(\.id.count).max() ?? 0) + 2
        let indent = String(repeating: " ", count: Self.markWidth + width)
        var lines: [String] = []
        for step in steps {
            let name = step.id + String(repeating: " ", count: width - step.id.count)
            let summary = step.summary.isEmpty ? step.problems.first?.text ?? "" : step.summary
            lines.append(Self.text(step.mark, style) + name + escaped(summary))
            lines += step.details.map { indent + escaped($0) }
            for problem in step.problems.prefix(Self.shownProblems) where problem.text != summary {
                lines.append(indent + "\(problem.mark == .failed ? "failed" : "warning"): " + escaped(problem.text))
            }
            let rest = step.problems.count - Self.shownProblems
            if rest > 0 { lines.append(indent + "and \(counted(rest, "further problem")); --json lists all") }
            // The remedy of the first failure of all is at the end.
            if step.id != first?.step.id, let failure = step.problems.first(where: { $0.mark == .failed }) {
                lines.append(indent + "what to do: " + escaped(failure.remedy))
            }
        }
        guard let (step, problem) = first else {
            let skipped = steps.count { $0.mark == .skipped }
            let rest = skipped == 0 ? "" : " \(counted(steps.count - skipped, "step")) checked, \(skipped) skipped."
            return (lines + ["", style.bold("Nothing is wrong.") + rest]).joined(separator: "\n")
        }
        let title =
            problem.mark == .failed
            ? "What is wrong first (\(step.id), \(problem.code)):"
            : "Nothing failed. The first warning (\(step.id), \(problem.code)):"
        lines += ["", style.bold(title), "  " + escaped(problem.text)]
        lines += [style.bold("What to do:"), "  " + escaped(problem.remedy)]
        return lines.joined(separator: "\n")
    }

    /// The width of the column of marks.
    private static let markWidth = 9

    private static func text(_ mark: Mark, _ style: Style) -> String {
        let text = mark == .failed ? "FAILED" : mark.rawValue
        let padding = String(repeating: " ", count: markWidth - text.count)
        return switch mark {
        case .ok: style.green(text) + padding
        case .warning: style.yellow(text) + padding
        case .failed: style.red(text) + padding
        case .skipped: style.dim(text) + padding
        }
    }
}
