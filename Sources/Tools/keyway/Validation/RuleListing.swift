import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// The catalog of rules as text, as JSON, and as tables of docs/validate-rules.md.
struct RuleListing {
    let rules: [CatalogRule]

    /// Creates the list of the rules of a profile.
    init(_ profile: ValidationProfile) { rules = RuleCatalog.rules(of: profile) }

    /// Returns the rules as text, in columns.
    ///
    /// - Parameter isComplete: True for what to do, the changes for targets, and the faults of Apple's tools below each.
    func text(isComplete: Bool) -> String {
        let rows = rules.map { rule in
            [rule.id.rawValue, rule.level.rawValue, "\(rule.number)", rule.need.rawValue, rule.requirement]
        }
        let lines = Grid.lines(rows)
        guard isComplete else { return lines.joined(separator: "\n") }
        return zip(lines, rules).flatMap { line, rule in [line] + Self.notes(of: rule).map { "    \($0)" } }
            .joined(separator: "\n")
    }

    /// The correction, the changes for targets, and the fault of Apple's tools.
    private static func notes(of rule: CatalogRule) -> [String] {
        let amendments = rule.amendments.map { "\($0.target.name): \($0.change.text)." }
        return ([rule.advice] + amendments + [rule.appleToolFault]).compactMap { $0 }
    }

    /// The rules as JSON.
    var json: JSONValue { .object(["rules": .array(rules.map(Self.json))]) }

    private static func json(_ rule: CatalogRule) -> JSONValue {
        let amendments = rule.amendments.map { amendment in
            JSONValue.object([
                "target": .string(amendment.target.rawValue), "change": .string(amendment.change.text),
                "summary": .string(amendment.summary),
            ])
        }
        return .object([
            "rule": .string(rule.id.rawValue), "number": .string("\(rule.number)"),
            "level": .string(rule.level.rawValue), "need": .string(rule.need.rawValue),
            "requirement": .string(rule.requirement), "advice": .string(rule.advice),
            "amendments": amendments.isEmpty ? nil : .array(amendments),
            "appleTools": .string(rule.appleToolFault),
        ])
    }

    /// The rows of the table of rules in docs/validate-rules.md.
    static var ruleRows: [String] {
        RuleCatalog.all.map { rule in
            let notes = notes(of: rule)
            return
                "| `\(rule.id)` | `\(rule.number)` | \(rule.level.rawValue) | \(rule.need.rawValue) | \(cell(rule.requirement)) "
                + "| \(notes.isEmpty ? "-" : cell(notes.joined(separator: " "))) |"
        }
    }

    /// The rows of the table of amendments.
    static var amendmentRows: [String] {
        RuleAmendment.all.map { amendment in
            let rules = amendment.rules.sorted().map { "`\($0)`" }.joined(separator: ", ")
            return "| \(amendment.target.name) | \(amendment.section) | \(rules.isEmpty ? "all of the number" : rules) "
                + "| \(amendment.change.text) | \(cell(amendment.summary)) |"
        }
    }

    /// The rows of the table of requirements without a rule.
    static var uncheckedRows: [String] {
        RuleCatalog.unchecked.map { requirement in
            let reason =
                switch requirement.effort {
                case .measuring: "no rule in this version"
                case .person: "needs a person"
                }
            return
                "| \(requirement.number) | \(requirement.level.rawValue) | \(cell(requirement.summary)) | \(reason) |"
        }
    }

    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

extension CatalogRule {
    /// The requirement as a sentence: those of the linter have no capital letter and no full stop.
    var requirement: String {
        guard let first = summary.first else { return "-" }
        let sentence = first.uppercased() + summary.dropFirst()
        return sentence.hasSuffix(".") ? sentence : sentence + "."
    }
}

extension RuleAmendment.Change {
    /// The change as text.
    var text: String {
        switch self {
        case .level(let level): level.rawValue
        case .dropped: "does not apply"
        }
    }
}
