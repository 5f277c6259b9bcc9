extension LintRule {
    /// The rules for ALLOWED-CPC, which restricts the devices that may play a variant.
    static let allowedCPCRules: [LintRule] = [
        LintRule(
            "allowed-cpc-syntax",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "ALLOWED-CPC must be a comma-separated list of entries of the form KEYFORMAT:label/label",
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
            "ALLOWED-CPC should not list the key format identity, because identity defines no labels"
        ) { entries in
            entries.contains { $0.keyFormat == .identity }
                ? "the key format identity defines no labels, so the entry has no effect: remove the entry" : nil
        },
        entry(
            "allowed-cpc-label-unknown",
            section: "FPS 9",
            "FairPlay labels in ALLOWED-CPC should be labels that FairPlay defines"
        ) { entries in
            let unknown = entries.lazy.filter { $0.keyFormat == .fairPlay }.flatMap(\.labels)
                .filter { !AllowedCPC.fairPlayLabels.contains($0) }
            guard !unknown.isEmpty else { return nil }
            return "FairPlay does not define the label \(MessageFormat.list(unknown.map(ReadingContext.quoted))); "
                + "write one of "
                + AllowedCPC.fairPlayLabels.joined(separator: ", ")
        },
        LintRule(
            "allowed-cpc-unused-keyformat",
            .warning,
            .presentation,
            section: "4.4.6.2",
            "ALLOWED-CPC should only list key formats for which the variant's Media Playlist has keys",
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
                        "\(MessageFormat.file(media.file.name)) has no key with the KEYFORMAT "
                            + "\(MessageFormat.keyFormats(unused)), so the "
                            + "entry has no effect: add an EXT-X-KEY with this KEYFORMAT, or remove the entry"
                    )
                }
            }
        ),
    ]

    /// Returns a rule that checks each well-formed ALLOWED-CPC. The closure returns the message of a violation, or nil.
    private static func entry(
        _ id: RuleID,
        section: String,
        _ summary: String,
        _ check: @escaping @Sendable ([AllowedCPC.Entry]) -> String?
    ) -> LintRule {
        LintRule(
            id,
            .warning,
            .multivariant,
            section: section,
            summary,
            .multivariant { subject, findings in
                for (attributes, line) in subject.allVariants {
                    guard let entries = attributes.allowedCPC?.entries, let message = check(entries) else { continue }
                    findings.report(line, attribute: "ALLOWED-CPC", message)
                }
            }
        )
    }
}

extension AllowedCPC {
    /// The labels that FairPlay defines, for Apple's platforms and for other devices.
    fileprivate static let fairPlayLabels = ["AppleBaseline", "AppleMain", "Baseline", "Main"]

    /// Returns a description of the syntax error in a value; nil when the value is well formed.
    fileprivate static func problem(in text: String) -> String? {
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let shown = ReadingContext.quoted(String(entry))
            guard let colon = entry.lastIndex(of: ":") else {
                return "the entry \(shown) has no label: write KEYFORMAT:label/label"
            }
            let format = entry[..<colon]
            guard let first = format.first, let last = format.last else {
                return "the entry \(shown) has no key format: write KEYFORMAT:label/label"
            }
            guard !first.isWhitespace, !last.isWhitespace else {
                return "the key format in the entry \(shown) has white space around it: remove the white space"
            }
            for label in entry[entry.index(after: colon)...].split(separator: "/", omittingEmptySubsequences: false) {
                guard !label.isEmpty else {
                    return "the entry \(shown) has an empty label: remove the needless slash, or add the label"
                }
                guard label.utf8.allSatisfy(isLabelByte) else {
                    return
                        "the label \(ReadingContext.quoted(String(label))) contains characters other than letters, "
                        + "digits and hyphens"
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
