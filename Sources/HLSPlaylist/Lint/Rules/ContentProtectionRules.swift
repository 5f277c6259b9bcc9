extension LintRule {
    /// Keys, and what may be played with them.
    static let contentProtectionRules: [LintRule] = [
        LintRule(
            "fairplay-iv",
            .error,
            .any,
            section: "Apple 13.4",
            "a FairPlay key has no IV: it comes with the key",
            .playlist { findings in
                for (key, line) in findings.file.keys where key.keyFormat == .fairPlay && key.iv != nil {
                    findings.report(
                        line,
                        attribute: "IV",
                        "a FairPlay key must not have an IV; it comes with the key, in the CKC"
                    )
                }
            }
        )
    ]
}

extension LintFile {
    /// The EXT-X-KEY and EXT-X-SESSION-KEY tags with their lines.
    var keys: [(tag: KeyTag, line: PlaylistLine)] {
        lines.compactMap { line in
            switch line.content {
            case .tag(.key(let key)): (key, line)
            case .tag(.sessionKey(let session)): (session.key, line)
            default: nil
            }
        }
    }
}
