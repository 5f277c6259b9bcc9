extension LintRule {
    /// The rules for EXT-X-SESSION-DATA.
    static let sessionDataRules: [LintRule] = [
        LintRule(
            "session-data-content",
            .error,
            .multivariant,
            section: "4.4.6.4",
            "session data must have either VALUE or URI",
            .multivariant { subject, findings in
                for (tag, line) in subject.sessionData where (tag.value == nil) == (tag.uri == nil) {
                    findings.report(
                        line,
                        attribute: tag.uri == nil ? nil : "URI",
                        "the session data \(ReadingContext.quoted(tag.dataID)) has "
                            + (tag.uri == nil ? "neither VALUE nor URI: add one" : "both VALUE and URI: remove one")
                    )
                }
            }
        ),
        LintRule(
            "duplicate-session-data",
            .error,
            .multivariant,
            section: "4.4.6.4",
            "the combination of DATA-ID and LANGUAGE must be unique",
            .multivariant { subject, findings in
                var seen: [DataKey: Int] = [:]
                for (tag, line) in subject.sessionData {
                    let key = DataKey(id: tag.dataID, language: tag.language?.lowercased())
                    if let first = seen[key] {
                        let language = tag.language.map { "LANGUAGE \(ReadingContext.quoted($0))" } ?? "no LANGUAGE"
                        findings.report(
                            line,
                            attribute: "DATA-ID",
                            "the DATA-ID \(ReadingContext.quoted(tag.dataID)) with \(language) is already on line "
                                + "\(first): remove one of the tags, or change its LANGUAGE"
                        )
                    } else {
                        seen[key] = line.number
                    }
                }
            }
        ),
        LintRule(
            "session-data-id",
            .warning,
            .multivariant,
            section: "4.4.6.4",
            "DATA-ID should be a name in reverse DNS notation",
            .multivariant { subject, findings in
                for (tag, line) in subject.sessionData where !tag.dataID.utf8.contains(UInt8(ascii: ".")) {
                    findings.report(
                        line,
                        attribute: "DATA-ID",
                        "DATA-ID \(ReadingContext.quoted(tag.dataID)) is not in reverse DNS notation and may not be "
                            + "unique: add your domain as a prefix, as in \"com.example.title\""
                    )
                }
            }
        ),
    ]
}

extension MultivariantSubject {
    /// The session data with their lines.
    fileprivate var sessionData: [(tag: SessionDataTag, line: PlaylistLine)] {
        lines.compactMap { line in
            if case .tag(.sessionData(let tag)) = line.content { (tag, line) } else { nil }
        }
    }
}

private struct DataKey: Hashable {
    let id: String
    let language: String?
}
