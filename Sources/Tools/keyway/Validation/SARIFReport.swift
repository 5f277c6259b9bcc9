import HLSPlaylist
import StreamValidation
import TextCoding

/// A report of `keyway validate` in SARIF 2.1.0 (OASIS), which code hosts and editors show at the lines of files.
struct SARIFReport {
    let judgment: Judgment
    /// The version of Keyway.
    let version: String

    private static let documentation = "https://developer.apple.com/documentation/http-live-streaming"
    private static let draft = "https://datatracker.ietf.org/doc/html/draft-pantos-hls-rfc8216bis"

    /// The document.
    var json: JSONValue {
        let rules = rules
        let positions = Dictionary(rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        return .object([
            "$schema": .string(
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
            ),
            "version": .string("2.1.0"),
            "runs": .array([
                .object([
                    "tool": .object([
                        "driver": .object([
                            "name": .string("keyway validate"), "version": .string(version),
                            "rules": .array(rules.map(Self.descriptor)),
                        ])
                    ]),
                    "columnKind": .string("utf16CodeUnits"),
                    "invocations": .array([invocation]),
                    "results": .array(judgment.findings.map { Self.result($0, positions[$0.rule.id]) }),
                ])
            ]),
        ])
    }

    /// The rules with findings, each once.
    private var rules: [CatalogRule] {
        var known: Set<RuleID> = []
        return judgment.findings.map(\.rule).filter { known.insert($0.id).inserted }
    }

    /// The requirements that were not validated, as notifications of the run (3.20.21).
    private var invocation: JSONValue {
        let notifications = judgment.skipped.map { check in
            JSONValue.object([
                "level": .string("none"),
                "message": .object([
                    "text": .string("Not validated (\(check.reason.rawValue)): \(check.number): \(check.summary)")
                ]),
                "associatedRule": check.rule.map { .object(["id": .string($0.rawValue)]) },
            ])
        }
        return .object([
            "executionSuccessful": .bool(true),
            "toolExecutionNotifications": notifications.isEmpty ? nil : .array(notifications),
        ])
    }

    private static func descriptor(_ rule: CatalogRule) -> JSONValue {
        .object([
            "id": .string(rule.id.rawValue),
            "shortDescription": .object(["text": .string(rule.requirement)]),
            "helpUri": .string(rule.number.source == "8216bis" ? draft : documentation),
            "help": rule.advice.map { .object(["text": .string($0)]) },
            "defaultConfiguration": .object(["level": .string(level(rule.level))]),
            "properties": .object([
                "number": .string("\(rule.number)"), "level": .string(rule.level.rawValue),
            ]),
        ])
    }

    private static func result(_ finding: JudgedFinding, _ index: Int?) -> JSONValue {
        let region = finding.place.line > 0 ? JSONValue.object(["startLine": .integer(finding.place.line)]) : nil
        return .object([
            "ruleId": .string(finding.rule.id.rawValue),
            "ruleIndex": index.map { .integer($0) },
            "level": .string(level(finding.level)),
            "message": .object(["text": .string(finding.sentence)]),
            "locations": .array([
                .object([
                    "physicalLocation": .object([
                        "artifactLocation": .object(["uri": .string(uri(finding.place.playlist))]),
                        "region": region,
                    ])
                ])
            ]),
            // The same violation after an edit elsewhere in the playlist, on another host, or with another token.
            "partialFingerprints": .object([
                "keyway/v1": .string(
                    "\(finding.rule.id)|\(PlaylistText.printable(finding.placeKey, limit: 4_000))"
                )
            ]),
            "occurrenceCount": .integer(finding.count),
            "suppressions": finding.exception.map { exception in
                .array([
                    .object([
                        "kind": .string("external"), "status": .string("accepted"),
                        "justification": .string(PlaylistText.printable(exception.reason)),
                    ])
                ])
            },
            "properties": .object([
                "targets": .array(finding.levels.keys.sorted().map { .string($0.rawValue) })
            ]),
        ])
    }

    /// Returns a URI without credentials. SARIF requires a valid URI reference (3.4.3), so other characters are escaped.
    private static func uri(_ name: String) -> String {
        let allowed = Set("-._~:/?#[]@!$&'()*+,;=%".utf8)
        return PlaylistText.redacted(name).replacing("…", with: "").utf8.reduce(into: "") { text, byte in
            let isPlain =
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: allowed.contains(byte)
                }
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
    }

    private static func level(_ level: ValidationRule.Level) -> String {
        switch level {
        case .critical, .must: "error"
        case .should: "warning"
        case .advice: "note"
        }
    }
}
