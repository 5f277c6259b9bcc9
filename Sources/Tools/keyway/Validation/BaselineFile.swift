import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// A baseline: the known findings of an earlier run, of which only the rule, the place and the number count. The JSON
/// report has these members too, so it can be a baseline. In a written baseline, the reason and a last day can be edited.
enum BaselineFile {
    /// The maximum size of a baseline in bytes.
    static let maximumSize = 64 << 20
    /// The version of the form.
    static let schemaVersion = 1

    /// Reads a baseline or a JSON report.
    static func read(_ path: String) throws(CommandFailure) -> [FindingException] {
        try parse(InputFile.read(path, maximum: maximumSize), name: path)
    }

    /// Parses the bytes of a baseline or a JSON report.
    ///
    /// - Parameter name: The name of the file in errors.
    static func parse(_ bytes: [UInt8], name: String) throws(CommandFailure) -> [FindingException] {
        let advice = "write one with --write-baseline, or use a report of --json"
        let document: JSONValue
        do {
            document = try JSONValue(parsing: bytes, maximumDepth: 16, maximumSize: maximumSize)
        } catch {
            throw .input("\(name) is not JSON: \(error)", next: advice)
        }
        guard document["schema"]?.wholeNumber == schemaVersion, let findings = document["findings"]?.items else {
            throw .input("\(name) is not a baseline of this version", next: advice)
        }
        var counts: [String: Int] = [:]
        var order: [(name: String, exception: FindingException)] = []
        for (index, finding) in findings.enumerated() {
            // What was suppressed then has its own entry in the configuration.
            if finding["suppression"]?["kind"]?.text == FindingException.Kind.suppression.rawValue { continue }
            guard let rule = finding["rule"]?.text, let place = finding["placeKey"]?.text,
                let count = finding["count"]?.wholeNumber, count > 0
            else {
                throw .input("\(name): finding \(index + 1) has no rule, placeKey, or count", next: advice)
            }
            let expires = finding["expires"]?.text
            if let expires, !SuppressionFile.isDate(expires) {
                throw .input(
                    "\(name): finding \(index + 1): expires: expected a date, such as 2027-06-30",
                    next: advice
                )
            }
            // A report can have several findings of one place.
            let key = "\(rule)\n\(place)"
            if counts[key] == nil {
                let exception = FindingException(
                    .baseline,
                    rule: RuleID(rawValue: rule),
                    place: PlacePattern(literal: place),
                    reason: finding["reason"]?.text ?? "in the baseline",
                    expires: expires
                )
                order.append((key, exception))
            }
            let sum = counts[key, default: 0].addingReportingOverflow(count)
            counts[key] = sum.overflow ? .max : sum.partialValue
        }
        return order.map { key, exception in
            var exception = exception
            exception.maximumCount = counts[key]
            return exception
        }
    }

    /// Returns a baseline as JSON.
    static func json(_ exceptions: [FindingException]) -> JSONValue {
        .object([
            "schema": .integer(schemaVersion),
            "findings": .array(
                exceptions.map { exception in
                    .object([
                        "rule": .string(exception.rule.rawValue), "placeKey": .string(exception.place?.text),
                        "count": .integer(exception.maximumCount ?? 1), "reason": .string(exception.reason),
                        "expires": .string(exception.expires),
                    ])
                }
            ),
        ])
    }
}
