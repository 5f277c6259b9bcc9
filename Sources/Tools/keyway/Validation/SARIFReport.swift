import HLSPlaylist
import StreamValidation
import TextCoding

/// A report of `keyway validate` in SARIF 2.1.0 (OASIS), which code hosts and editors show at the lines of files.
struct SARIFReport {
    let findings: [ReportedFinding]
    /// The version of Keyway.
    let version: String

    /// The document.
    var json: JSONValue {
        .object([
            "$schema": .string(
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
            ),
            "version": .string("2.1.0"),
            "runs": .array([
                .object([
                    "tool": .object([
                        "driver": .object([
                            "name": .string("keyway validate"), "version": .string(version),
                            "rules": .array(rules),
                        ])
                    ]),
                    "columnKind": .string("utf16CodeUnits"),
                    "results": .array(findings.map(result)),
                ])
            ]),
        ])
    }

    /// The rules that were violated, each once.
    private var rules: [JSONValue] {
        var known: Set<String> = []
        return findings.filter { known.insert($0.rule.rawValue).inserted }.map { finding in
            .object([
                "id": .string(finding.rule.rawValue),
                "shortDescription": .object([
                    "text": .string(finding.summary.isEmpty ? finding.rule.rawValue : finding.summary)
                ]),
                "help": finding.advice.map { .object(["text": .string($0)]) },
                "properties": .object(["number": .string(finding.number), "level": .string(finding.level.rawValue)]),
            ])
        }
    }

    private func result(_ finding: ReportedFinding) -> JSONValue {
        let region = finding.place.line > 0 ? JSONValue.object(["startLine": .integer(finding.place.line)]) : nil
        let uri = PlaylistText.redacted(finding.place.playlist)
        return .object([
            "ruleId": .string(finding.rule.rawValue),
            "level": .string(Self.level(finding.level)),
            "message": .object(["text": .string(finding.sentence)]),
            "locations": .array([
                .object([
                    "physicalLocation": .object([
                        "artifactLocation": .object(["uri": .string(uri)]), "region": region,
                    ])
                ])
            ]),
            // The same violation after an edit elsewhere in the playlist: without the line.
            "partialFingerprints": .object([
                "keyway/v1": .string(
                    "\(finding.rule.rawValue)|\(uri)|\(finding.place.segment.map(PlaylistText.redacted) ?? "")"
                )
            ]),
            "occurrenceCount": .integer(finding.count),
        ])
    }

    private static func level(_ level: ValidationRule.Level) -> String {
        switch level {
        case .critical, .must: "error"
        case .should: "warning"
        case .advice: "note"
        }
    }
}

extension ReportedFinding {
    /// The message with the measured and the expected value, without the place.
    var sentence: String {
        var text = PlaylistText.message(message)
        if let measured {
            text += " Measured: \(PlaylistText.printable(measured))"
            if let limit { text += "; expected: \(PlaylistText.printable(limit))" }
            text += "."
        }
        return text
    }
}
