extension LintRule {
    /// Each key by itself.
    static let keyRules: [LintRule] = [
        LintRule(
            "key-none-with-attributes",
            .error,
            .media,
            section: "4.4.4.4",
            "METHOD=NONE stands alone: it ends encryption and has nothing else to say",
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
                        "METHOD=NONE must stand alone; remove \(names.joined(separator: ", "))"
                    )
                }
            }
        ),
        key("key-without-uri", .error, section: "4.4.4.4", "a key has a URI") { key in
            key.uri == nil
                ? (nil, "METHOD=\(key.method) without URI: say where the \(key.systemName) key is to be had") : nil
        },
        LintRule(
            "key-iv-length",
            .error,
            .any,
            section: "4.4.4.4",
            "an IV has 32 hexadecimal digits",
            .playlist { findings in
                let variables = findings.file.playlist.variables
                for (key, line) in findings.file.keys where key.isKey && key.iv != nil {
                    guard let count = line.digitsOfIV(variables), count != 32 else { continue }
                    findings.report(
                        line,
                        attribute: "IV",
                        "IV has \(count) hexadecimal digits instead of 32 (128 bits); write zeros in front if they are meant"
                    )
                }
            }
        ),
        key(
            "key-iv-forbidden",
            .error,
            section: "4.4.4.4",
            "a key for SAMPLE-AES-CTR or AES-256-GCM has no IV: the segments carry it"
        ) { key in
            key.iv != nil && (key.method == .sampleAESCTR || key.method == .aes256GCM)
                ? ("IV", "METHOD=\(key.method) must not have an IV; the segments carry their own: remove it") : nil
        },
        LintRule(
            "key-identity-without-iv",
            .note,
            .media,
            section: "5.2",
            "an identity key has an IV: without one the Media Sequence Number serves, which varies little",
            .media { subject, findings in
                for (key, line) in subject.file.keys
                where key.isIdentity && key.iv == nil && (key.method == .aes128 || key.method == .sampleAES) {
                    findings.report(
                        line,
                        "METHOD=\(key.method) without IV: the Media Sequence Number is the IV; a random IV is recommended"
                    )
                }
            }
        ),
        LintRule(
            "map-aes-128-without-iv",
            .error,
            .media,
            section: "4.4.4.5",
            "a key with METHOD=AES-128 that applies to an EXT-X-MAP has an IV",
            .media { subject, findings in
                for (_, line, keys) in subject.maps {
                    guard let key = keys.first(where: { $0.tag.method == .aes128 && $0.tag.iv == nil }) else {
                        continue
                    }
                    findings.report(
                        line,
                        "the EXT-X-KEY at line \(key.line.number) has METHOD=AES-128 and no IV, but the section has no "
                            + "Media Sequence Number to serve as one: add an IV, or put the EXT-X-KEY behind the EXT-X-MAP"
                    )
                }
            }
        ),
        key(
            "keyformatversions-syntax",
            .error,
            section: "4.4.4.4",
            "KEYFORMATVERSIONS holds positive integers between slashes"
        ) { key in
            guard let versions = key.keyFormatVersions else { return nil }
            let parts = versions.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isWellFormed = parts.allSatisfy { part in
                part.allSatisfy { (0x30...0x39).contains($0) } && part.contains { $0 != 0x30 }
            }
            return isWellFormed
                ? nil
                : ("KEYFORMATVERSIONS", "\(ReadingContext.quoted(versions)) is no list such as \"1\" or \"1/2/5\"")
        },
        key(
            "key-uri-not-secure",
            .warning,
            section: "12",
            "a key is not fetched by http"
        ) { key in
            guard let uri = key.uri, URIReference.scheme(of: uri) == "http" else { return nil }
            return ("URI", "whoever listens has the key: use https instead of \(Shown.uri(uri))")
        },
    ]

    /// A rule that looks at each EXT-X-KEY and EXT-X-SESSION-KEY by itself; the closure names an attribute and says
    /// what is wrong.
    static func key(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        section: String,
        _ summary: String,
        _ judge: @escaping @Sendable (KeyTag) -> (attribute: String?, message: String)?
    ) -> LintRule {
        LintRule(
            id,
            severity,
            .any,
            section: section,
            summary,
            .playlist { findings in
                for (key, line) in findings.file.keys where key.isKey {
                    if let (attribute, message) = judge(key) { findings.report(line, attribute: attribute, message) }
                }
            }
        )
    }
}

extension Playlist {
    /// The values of its variables.
    var variables: [String: String] {
        switch self {
        case .media(let playlist): playlist.variables
        case .multivariant(let playlist): playlist.variables
        }
    }
}

extension PlaylistLine {
    /// How many hexadecimal digits its IV has as written, its variables replaced; nil without an IV.
    fileprivate func digitsOfIV(_ variables: [String: String]) -> Int? {
        guard let raw = rawAttribute("IV") else { return nil }
        var count = 0
        var rest = raw[...]
        while let start = rest.firstRange(of: "{$"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            guard let value = variables[String(rest[start.upperBound..<end])] else { return nil }
            count += rest[..<start.lowerBound].utf8.count + value.utf8.count
            rest = rest[rest.index(after: end)...]
        }
        // Without the `0x`.
        return count + rest.utf8.count - 2
    }
}
