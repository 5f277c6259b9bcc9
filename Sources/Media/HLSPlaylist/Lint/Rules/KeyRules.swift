import TextCoding

extension LintRule {
    /// The rules for single keys.
    static let keyRules: [LintRule] = [
        LintRule(
            "key-none-with-attributes",
            .error,
            .media,
            section: "4.4.4.4",
            "a tag with METHOD=NONE must have no other attributes",
            .media { subject, findings in
                for (key, line) in subject.file.keys where !key.isKey {
                    let names = [
                        ("URI", key.uri != nil), ("IV", key.iv != nil), ("KEYFORMAT", key.keyFormatAttribute != nil),
                        ("KEYFORMATVERSIONS", key.keyFormatVersions != nil),
                    ].filter(\.1).map(\.0)
                    guard let first = names.first else { continue }
                    findings.report(
                        line,
                        attribute: first,
                        "a tag with METHOD=NONE must have no other attributes: remove \(names.joined(separator: ", "))"
                    )
                }
            }
        ),
        key("key-without-uri", .error, section: "4.4.4.4", "a key must have a URI") { key in
            key.uri == nil
                ? (nil, "the key with METHOD=\(key.method) has no URI: add the URI of the \(key.systemName) key") : nil
        },
        LintRule(
            "key-iv-length",
            .error,
            .any,
            section: "4.4.4.4",
            "an IV must have 32 hexadecimal digits",
            .playlist { findings in
                let variables = findings.file.playlist.variables
                for (key, line) in findings.file.keys where key.isKey && key.iv != nil {
                    guard let count = line.digitsOfIV(variables), count != 32 else { continue }
                    findings.report(
                        line,
                        attribute: "IV",
                        "IV has \(counted(count, "hexadecimal digit")) instead of 32 (128 bits): "
                            + "write all of them, including leading zeros"
                    )
                }
            }
        ),
        key(
            "key-iv-forbidden",
            .error,
            section: "4.4.4.4",
            "a key with METHOD=SAMPLE-AES-CTR or AES-256-GCM must not have an IV, because the segments contain it"
        ) { key in
            key.iv != nil && (key.method == .sampleAESCTR || key.method == .aes256GCM)
                ? (
                    "IV",
                    "a key with METHOD=\(key.method) must not have an IV, because the segments contain it: remove the "
                        + "attribute"
                ) : nil
        },
        LintRule(
            "key-identity-without-iv",
            .note,
            .media,
            section: "5.2",
            "an identity key should have an IV, because otherwise the Media Sequence Number is the IV, which is "
                + "predictable",
            .media { subject, findings in
                for (key, line) in subject.file.keys
                where key.isIdentity && key.iv == nil && (key.method == .aes128 || key.method == .sampleAES) {
                    findings.report(
                        line,
                        "the key with METHOD=\(key.method) has no IV, so the Media Sequence Number is the IV: a "
                            + "random IV is recommended"
                    )
                }
            }
        ),
        LintRule(
            "map-aes-128-without-iv",
            .error,
            .media,
            section: "4.4.4.5",
            "a key with METHOD=AES-128 that applies to an EXT-X-MAP must have an IV",
            .media { subject, findings in
                for (_, line, keys) in subject.maps {
                    guard let key = keys.first(where: { $0.tag.method == .aes128 && $0.tag.iv == nil }) else {
                        continue
                    }
                    findings.report(
                        line,
                        "the EXT-X-KEY on line \(key.line.number) has METHOD=AES-128 and no IV, but the Media "
                            + "Initialization Section "
                            + "has no Media Sequence Number to use as IV: add an IV, or move the EXT-X-KEY after the "
                            + "EXT-X-MAP"
                    )
                }
            }
        ),
        key(
            "keyformatversions-syntax",
            .error,
            section: "4.4.4.4",
            "KEYFORMATVERSIONS must be positive integers separated by slashes"
        ) { key in
            guard let versions = key.keyFormatVersions else { return nil }
            let parts = versions.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isWellFormed = parts.allSatisfy { part in
                part.allSatisfy { (0x30...0x39).contains($0) } && part.contains { $0 != 0x30 }
            }
            return isWellFormed
                ? nil
                : (
                    "KEYFORMATVERSIONS",
                    "\(ReadingContext.quoted(versions)) is not a list of versions: write one such as \"1\" or \"1/2/5\""
                )
        },
        key(
            "key-uri-not-secure",
            .warning,
            section: "12",
            "the URI of a key should not have the scheme http"
        ) { key in
            guard let uri = key.uri, URIReference.scheme(of: uri) == "http" else { return nil }
            return (
                "URI",
                "an eavesdropper can read a key that is loaded over http: use https instead of "
                    + "\(MessageFormat.uri(uri))"
            )
        },
    ]

    /// Returns a rule that checks each EXT-X-KEY and EXT-X-SESSION-KEY alone. The closure returns the attribute and the
    /// message of a violation, or nil.
    static func key(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        section: String,
        _ summary: String,
        _ check: @escaping @Sendable (KeyTag) -> (attribute: String?, message: String)?
    ) -> LintRule {
        LintRule(
            id,
            severity,
            .any,
            section: section,
            summary,
            .playlist { findings in
                for (key, line) in findings.file.keys where key.isKey {
                    if let (attribute, message) = check(key) { findings.report(line, attribute: attribute, message) }
                }
            }
        )
    }
}

extension Playlist {
    /// The values of the variables by name.
    var variables: [String: String] {
        switch self {
        case .media(let playlist): playlist.variables
        case .multivariant(let playlist): playlist.variables
        }
    }
}

extension PlaylistLine {
    /// Returns the number of hexadecimal digits of the IV after variable substitution; nil without an IV.
    fileprivate func digitsOfIV(_ variables: [String: String]) -> Int? {
        guard let raw = rawAttribute("IV") else { return nil }
        var count = 0
        var rest = raw[...]
        while let start = rest.firstRange(of: "{$"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            guard let value = variables[String(rest[start.upperBound..<end])] else { return nil }
            count += rest[..<start.lowerBound].utf8.count + value.utf8.count
            rest = rest[rest.index(after: end)...]
        }
        // The prefix `0x` does not count.
        return count + rest.utf8.count - 2
    }
}
