extension LintRule {
    /// The rules for the syntax of values that clients can read despite the violation.
    static let valueSyntaxRules: [LintRule] =
        uriRules + [
            LintRule(
                "hexadecimal-lowercase",
                .warning,
                .any,
                section: "4.2",
                "hexadecimal digits should be uppercase",
                .playlist { findings in
                    let file = findings.file
                    for line in file.lines {
                        let attribute = line.hexadecimalAttributes.first { name in
                            let digits = file.value(ofAttribute: name, line)?.utf8.dropFirst(2)
                            return digits?.contains { (0x61...0x66).contains($0) } ?? false
                        }
                        guard let attribute else { continue }
                        findings.report(
                            line,
                            attribute: attribute,
                            "\(attribute) has lowercase hexadecimal digits, but the grammar only allows A to F: write "
                                + "uppercase digits"
                        )
                    }
                }
            ),
            LintRule(
                "repeated-list-value",
                .warning,
                .any,
                section: "4.2",
                "a list should not contain a value more than once",
                .playlist { findings in
                    for line in findings.file.lines {
                        guard case .tag(.dateRange(let range)) = line.content else { continue }
                        var lists = [("CUE", range.cue.map(\.rawValue))]
                        for name in ["X-SNAP", "X-RESTRICT"] {
                            if let text = range[name] {
                                lists.append((name, text.split(separator: ",").map(String.init)))
                            }
                        }
                        for (name, values) in lists {
                            var seen: Set<String> = []
                            guard let repeated = values.first(where: { !seen.insert($0).inserted }) else { continue }
                            findings.report(
                                line,
                                attribute: name,
                                "\(name) contains \(ReadingContext.quoted(repeated)) more than once: remove the duplicate"
                            )
                            break
                        }
                    }
                }
            ),
        ]
}

extension PlaylistLine {
    /// The names of the attributes that are hexadecimal sequences.
    fileprivate var hexadecimalAttributes: [String] {
        switch content {
        case .tag(.key(let key)): key.iv == nil ? [] : ["IV"]
        case .tag(.sessionKey(let session)): session.key.iv == nil ? [] : ["IV"]
        case .tag(.dateRange): ["SCTE35-CMD", "SCTE35-OUT", "SCTE35-IN"]
        default: []
        }
    }
}
