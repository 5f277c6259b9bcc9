extension LintRule {
    /// The keys that apply to one segment, and to the next.
    static let keySetRules: [LintRule] = [
        LintRule(
            "key-methods-differ",
            .error,
            .media,
            section: "6.2.3",
            "the keys that apply to one segment have one METHOD: it is encrypted in one way",
            .media { subject, findings in
                subject.reportDisagreements(&findings, "METHOD") { key in
                    key.method
                } message: { key, other, line in
                    "\(key.systemName) has METHOD=\(key.method) and \(other.systemName), at line \(line), "
                        + "METHOD=\(other.method), but a segment is encrypted in one way: encrypt once, with one METHOD for all"
                }
            }
        ),
        LintRule(
            "key-ivs-differ",
            .error,
            .media,
            section: "6.2.3",
            "the keys that apply to one segment have one IV",
            .media { subject, findings in
                subject.reportDisagreements(&findings, "IV") { key in
                    key.iv
                } message: { key, other, line in
                    "\(key.systemName) has IV=\(key.iv?.text ?? "") and \(other.systemName), at line \(line), "
                        + "IV=\(other.iv?.text ?? ""), but a segment is encrypted with one: write the one that was used"
                }
            }
        ),
        LintRule(
            "keyformat-set-changes",
            .error,
            .media,
            section: "Apple 13",
            "every encrypted segment has the KEYFORMATs of the encrypted segment before it",
            .media { subject, findings in
                var before: Set<KeyFormat>?
                for change in subject.encryptionChanges where change.isSegment && !change.keys.isEmpty {
                    let formats = Set(change.keys.map(\.tag.keyFormat))
                    if let before, before != formats {
                        var parts: [String] = []
                        let gone = before.subtracting(formats)
                        let new = formats.subtracting(before)
                        if !gone.isEmpty { parts.append("lacks \(Shown.keyFormats(gone))") }
                        if !new.isEmpty { parts.append("adds \(Shown.keyFormats(new))") }
                        findings.report(
                            change.line,
                            "the segment \(parts.joined(separator: " and ")), against the encrypted segment before it: give every "
                                + "encrypted segment an EXT-X-KEY for each key format"
                        )
                    }
                    before = formats
                }
            }
        ),
        LintRule(
            "identity-beside-drm",
            .error,
            .media,
            section: "Apple 13",
            "no segment has an identity key and a DRM key: the key in the clear makes the DRM useless",
            .media { subject, findings in
                var reported = 0
                for change in subject.encryptionChanges {
                    guard let identity = change.keys.first(where: { $0.tag.isIdentity }),
                        identity.line.number > reported,
                        let other = change.keys.first(where: { $0.tag.isDRM })
                    else { continue }
                    reported = identity.line.number
                    findings.report(
                        identity.line,
                        "an identity key applies beside the \(other.tag.systemName) key at line \(other.line.number), so anyone who "
                            + "fetches its URI can decrypt: remove it, or end it with METHOD=NONE before the protected segments"
                    )
                }
            }
        ),
    ]
}

extension MediaSubject {
    /// Reports every key that has another value than a key before it, once a segment or partial segment follows to
    /// which both apply. A key without a value disagrees with none.
    fileprivate func reportDisagreements<Value: Equatable>(
        _ findings: inout PlaylistFindings,
        _ attribute: String,
        value: (KeyTag) -> Value?,
        message: (KeyTag, KeyTag, Int) -> String
    ) {
        for change in encryptionChanges where change.keys.count > 1 {
            for index in change.oldKeys..<change.keys.count {
                let (key, line) = change.keys[index]
                guard let own = value(key) else { continue }
                let other = change.keys[..<index].first { earlier in
                    value(earlier.tag).map { $0 != own } ?? false
                }
                if let other {
                    findings.report(line, attribute: attribute, message(key, other.tag, other.line.number))
                }
            }
        }
    }
}
