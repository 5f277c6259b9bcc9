extension LintRule {
    /// The rules for the syntax of values that clients can read despite the violation.
    static let valueSyntaxRules: [LintRule] = [
        LintRule(
            "uri-with-space",
            .error,
            .any,
            section: "4.1",
            "a URI must not contain a space",
            .playlist { findings in
                for line in findings.file.lines {
                    guard let (attribute, uri) = line.uri, uri.utf8.contains(0x20) else { continue }
                    findings.report(
                        line,
                        attribute: attribute,
                        "the URI \(ReadingContext.quoted(uri)) contains a space: write %20"
                    )
                }
            }
        ),
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
                        if let text = range[name] { lists.append((name, text.split(separator: ",").map(String.init))) }
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
    /// The URI of the line after variable substitution, and the name of its attribute, which is nil for a URI line.
    fileprivate var uri: (attribute: String?, uri: String)? {
        func attribute(_ uri: String?) -> (attribute: String?, uri: String)? { uri.map { ("URI", $0) } }
        return switch content {
        case .uri(let uri): (nil, uri)
        case .tag(.key(let tag)): attribute(tag.uri)
        case .tag(.sessionKey(let tag)): attribute(tag.key.uri)
        case .tag(.map(let tag)): attribute(tag.uri)
        case .tag(.part(let tag)): attribute(tag.uri)
        case .tag(.preloadHint(let tag)): attribute(tag.uri)
        case .tag(.renditionReport(let tag)): attribute(tag.uri)
        case .tag(.media(let tag)): attribute(tag.uri)
        case .tag(.iFrameStreamInf(let tag)): attribute(tag.uri)
        case .tag(.sessionData(let tag)): attribute(tag.uri)
        case .tag(.contentSteering(let tag)): ("SERVER-URI", tag.serverURI)
        default: nil
        }
    }

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
