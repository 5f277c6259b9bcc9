import ByteCoding
import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport
import Yams

/// The configuration file of `keyway validate`, in YAML or JSON:
///
///     severity:
///       not-secure: advice
///       apple-ladder: "off"
///     suppress:
///       - rule: boundaries-differ
///         place: "video-*/media.m3u8"
///         reason: The encoder of the archive cannot be changed.
///         expires: 2027-06-30
///
/// Unknown fields and rules are errors, because a misspelled entry would otherwise do nothing. A place is optional, and is
/// compared with the `placeKey` of findings.
struct SuppressionFile {
    /// The levels of rules.
    private(set) var severities: [RuleID: JudgmentSettings.Severity] = [:]
    /// The suppressions.
    private(set) var exceptions: [FindingException] = []
    /// The maximum number of suppressions.
    static let maximumCount = 10_000
    private let name: String

    /// Reads a file.
    static func read(_ path: String) throws(CommandFailure) -> SuppressionFile {
        let bytes = try InputFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("\(path) is not a configuration file", next: "save it as UTF-8 text")
        }
        return try SuppressionFile(parsing: text, name: path)
    }

    /// Parses the text of a file.
    ///
    /// - Parameter name: The name of the file in errors.
    init(parsing text: String, name: String) throws(CommandFailure) {
        self.name = name
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch {
            throw .input("\(name) is not valid YAML or JSON", next: "see docs/validate.md for an example")
        }
        guard let node else { return }
        for (key, value) in try fields(node, "the file", ["severity", "suppress"]) {
            if key == "severity" { try readSeverities(value) } else { try readSuppressions(value) }
        }
    }

    private mutating func readSeverities(_ node: Node) throws(CommandFailure) {
        guard let mapping = node.mapping else { throw error(node, "severity: expected a mapping of RULE: LEVEL") }
        for (key, value) in mapping {
            let rule = try rule(key)
            guard let text = value.scalar?.string, let severity = SeverityArgument.severity(text) else {
                throw error(value, "severity: expected critical, must, should, advice, or off")
            }
            severities[rule] = severity
        }
    }

    private mutating func readSuppressions(_ node: Node) throws(CommandFailure) {
        guard let sequence = node.sequence else { throw error(node, "suppress: expected a list") }
        guard sequence.count <= Self.maximumCount else {
            throw error(node, "suppress: expected at most \(Self.maximumCount) entries")
        }
        for item in sequence { exceptions.append(try suppression(item)) }
    }

    private func suppression(_ node: Node) throws(CommandFailure) -> FindingException {
        var values: [String: Node] = [:]
        for (key, value) in try fields(node, "a suppression", ["rule", "place", "reason", "expires"]) {
            values[key] = value
        }
        guard let ruleNode = values["rule"] else { throw error(node, "the suppression has no rule: add rule") }
        guard let reason = values["reason"]?.scalar?.string, !reason.isEmpty else {
            throw error(node, "the suppression has no reason: add reason")
        }
        var exception = FindingException(.suppression, rule: try rule(ruleNode), place: nil, reason: reason)
        if let place = values["place"] {
            guard let pattern = PlacePattern(place.scalar?.string ?? "") else {
                throw error(place, "place: expected a pattern of 1 to \(PlacePattern.maximumSize) bytes")
            }
            exception.place = pattern
        }
        if let expires = values["expires"] {
            guard let date = expires.scalar?.string, SuppressionFile.isDate(date) else {
                throw error(expires, "expires: expected a date, such as 2027-06-30")
            }
            exception.expires = date
        }
        return exception
    }

    /// Returns whether a text is a date as YYYY-MM-DD.
    static func isDate(_ text: String) -> Bool { text.utf8.count == 10 && Timestamp("\(text)T00:00:00Z") != nil }

    // MARK: Nodes

    private func fields(
        _ node: Node,
        _ what: String,
        _ known: [String]
    ) throws(CommandFailure) -> [(key: String, node: Node)] {
        guard let mapping = node.mapping else { throw error(node, "\(what): expected a mapping (NAME: VALUE)") }
        var fields: [(key: String, node: Node)] = []
        for (key, value) in mapping {
            guard let name = key.scalar?.string, known.contains(name) else {
                let found = PlaylistText.printable(key.scalar?.string ?? "", limit: 80)
                throw error(key, "\(what) has no field “\(found)”; the fields are \(known.joined(separator: ", "))")
            }
            fields.append((name, value))
        }
        return fields
    }

    private func rule(_ node: Node) throws(CommandFailure) -> RuleID {
        let text = node.scalar?.string ?? ""
        guard RuleCatalog.rule(RuleID(rawValue: text)) != nil else {
            let known = RuleCatalog.all.map(\.id.rawValue).sorted()
            let advice = Spelling.advice(text, among: known).map { "; \($0)" } ?? ""
            throw error(node, "the rule \(PlaylistText.printable(text, limit: 80)) does not exist\(advice)")
        }
        return RuleID(rawValue: text)
    }

    private func error(_ node: Node, _ reason: String) -> CommandFailure {
        .input("\(name):\(node.mark?.line ?? 0): \(reason)", next: "see docs/validate.md for an example")
    }
}
