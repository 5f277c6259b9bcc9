extension LintRule {
    /// Which devices may play a variant.
    static let allowedCPCRules: [LintRule] = [
        LintRule(
            "allowed-cpc-syntax",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "ALLOWED-CPC holds entries KEYFORMAT:label/label between commas",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allVariants {
                    guard let text = attributes.allowedCPCText, let problem = AllowedCPC.problem(in: text) else {
                        continue
                    }
                    findings.report(line, attribute: "ALLOWED-CPC", problem)
                }
            }
        ),
        entry(
            "allowed-cpc-identity",
            section: "4.4.6.2",
            "ALLOWED-CPC does not name the key format identity, which defines no labels"
        ) { entries in
            entries.contains { $0.keyFormat == .identity }
                ? "the key format identity defines no labels, so the entry restricts nothing: remove it" : nil
        },
        entry(
            "allowed-cpc-label-unknown",
            section: "FPS 9",
            "ALLOWED-CPC names labels for FairPlay that exist"
        ) { entries in
            let unknown = entries.lazy.filter { $0.keyFormat == .fairPlay }.flatMap(\.labels)
                .filter { !AllowedCPC.fairPlayLabels.contains($0) }
            guard !unknown.isEmpty else { return nil }
            return "FairPlay has no label \(Shown.list(unknown.map(ReadingContext.quoted))); it has "
                + AllowedCPC.fairPlayLabels.joined(separator: ", ")
        },
        LintRule(
            "allowed-cpc-unused-keyformat",
            .warning,
            .presentation,
            section: "4.4.6.2",
            "ALLOWED-CPC names key formats that the variant's Media Playlist has keys of",
            .presentation { subject, findings in
                let formats = Dictionary(
                    subject.mediaPlaylists.map { ($0.file.name, $0.keyFormats) },
                    uniquingKeysWith: { first, _ in first }
                )
                for reference in subject.references {
                    guard let attributes = reference.role.attributes, let entries = attributes.allowedCPC?.entries,
                        let media = reference.media, let used = formats[media.file.name]
                    else { continue }
                    let unused = entries.map(\.keyFormat).filter { !used.contains($0) }
                    guard !unused.isEmpty else { continue }
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        attribute: "ALLOWED-CPC",
                        "\(ReadingContext.quoted(media.file.name)) has no key of \(Shown.keyFormats(unused)), so the entry restricts "
                            + "nothing: add such keys, or remove it"
                    )
                }
            }
        ),
    ]

    /// A rule that looks at each well-formed ALLOWED-CPC; the closure says what is wrong.
    private static func entry(
        _ id: RuleID,
        section: String,
        _ summary: String,
        _ judge: @escaping @Sendable ([AllowedCPC.Entry]) -> String?
    ) -> LintRule {
        LintRule(
            id,
            .warning,
            .multivariant,
            section: section,
            summary,
            .multivariant { subject, findings in
                for (attributes, line) in subject.allVariants {
                    guard let entries = attributes.allowedCPC?.entries, let message = judge(entries) else { continue }
                    findings.report(line, attribute: "ALLOWED-CPC", message)
                }
            }
        )
    }
}

extension AllowedCPC {
    /// The labels of FairPlay: the levels of Apple's platforms, and those of other devices.
    fileprivate static let fairPlayLabels = ["AppleBaseline", "AppleMain", "Baseline", "Main"]

    /// What is wrong with the form of a value; nil when nothing is.
    fileprivate static func problem(in text: String) -> String? {
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let shown = ReadingContext.quoted(String(entry))
            guard let colon = entry.lastIndex(of: ":") else {
                return "the entry \(shown) has no label: write KEYFORMAT:label/label"
            }
            let format = entry[..<colon]
            guard let first = format.first, let last = format.last else {
                return "the entry \(shown) has no key format"
            }
            guard !first.isWhitespace, !last.isWhitespace else {
                return "a key format has no white space around it: \(shown)"
            }
            for label in entry[entry.index(after: colon)...].split(separator: "/", omittingEmptySubsequences: false) {
                guard !label.isEmpty else { return "the entry \(shown) has an empty label" }
                guard label.utf8.allSatisfy(isLabelByte) else {
                    return
                        "the label \(ReadingContext.quoted(String(label))) has other characters than letters, digits and hyphens"
                }
            }
        }
        return nil
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}
