extension LintRule {
    /// The rules for the set of keys that apply to one segment, and for changes of the set.
    static let keySetRules: [LintRule] = [
        LintRule(
            "key-methods-differ",
            .error,
            .media,
            section: "6.2.3",
            "all keys that apply to a segment must have the same METHOD",
            .media { subject, findings in
                subject.reportDisagreements(&findings, "METHOD") { key in
                    key.method
                } message: { key, other, line in
                    "the \(key.systemName) key has METHOD=\(key.method), but the \(other.systemName) key on line "
                        + "\(line) has "
                        + "METHOD=\(other.method): encrypt the segment once, and write the same METHOD for all keys"
                }
            }
        ),
        LintRule(
            "key-ivs-differ",
            .error,
            .media,
            section: "6.2.3",
            "all keys that apply to a segment must have the same IV",
            .media { subject, findings in
                subject.reportDisagreements(&findings, "IV") { key in
                    key.iv
                } message: { key, other, line in
                    "the \(key.systemName) key has IV=\(key.iv?.text ?? ""), but the \(other.systemName) key on line "
                        + "\(line) has "
                        + "IV=\(other.iv?.text ?? ""): write the IV that was used to encrypt the segment for all keys"
                }
            }
        ),
        LintRule(
            "keyformat-set-changes",
            .error,
            .media,
            section: "Apple 13",
            "all encrypted segments must have keys of the same KEYFORMATs",
            .media { subject, findings in
                var before: Set<KeyFormat>?
                for change in subject.encryptionChanges where change.isSegment && !change.keys.isEmpty {
                    let formats = Set(change.keys.map(\.tag.keyFormat))
                    if let before, before != formats {
                        var parts: [String] = []
                        let removed = before.subtracting(formats)
                        let added = formats.subtracting(before)
                        if !removed.isEmpty { parts.append("lacks a key of \(MessageFormat.keyFormats(removed))") }
                        if !added.isEmpty { parts.append("adds a key of \(MessageFormat.keyFormats(added))") }
                        findings.report(
                            change.line,
                            "compared with the preceding encrypted segment, the segment "
                                + "\(parts.joined(separator: " and ")): write an "
                                + "EXT-X-KEY for each key format for every encrypted segment"
                        )
                    }
                    before = formats
                }
            }
        ),
        LintRule(
            "identity-with-drm",
            .error,
            .media,
            section: "Apple 13",
            "a segment must not have both an identity key and a DRM key, because the identity key defeats the DRM",
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
                        "an identity key applies in addition to the \(other.tag.systemName) key on line "
                            + "\(other.line.number), so any "
                            + "client that loads its URI can decrypt: remove it, or add METHOD=NONE before the "
                            + "protected segments"
                    )
                }
            }
        ),
    ]
}

extension MediaSubject {
    /// Reports every key whose value differs from that of an earlier key, if both apply to a segment or Partial
    /// Segment. A key without a value does not differ from any key.
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
