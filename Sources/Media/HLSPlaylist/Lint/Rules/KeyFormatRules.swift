extension LintRule {
    /// The rules for Widevine and PlayReady keys, SAMPLE-AES-CTR, and the Media Initialization Section.
    static let keyFormatRules: [LintRule] = [
        key(
            "drm-keyformat-case",
            .warning,
            section: "4.2",
            "KEYFORMAT of a Widevine or PlayReady key should be in lowercase"
        ) { key in
            let lower = KeyFormat(rawValue: key.keyFormat.rawValue.lowercased())
            guard lower != key.keyFormat, lower == .widevine || lower == .playReady else { return nil }
            return (
                "KEYFORMAT", "clients compare key formats byte by byte, and ignore the key: write \"\(lower)\""
            )
        },
        key(
            "drm-uri-not-data",
            .warning,
            section: "-",
            "the URI of a Widevine or PlayReady key should be a data URI with the pssh box or the PlayReady object"
        ) { key in
            guard key.keyFormat == .widevine || key.keyFormat == .playReady, let uri = key.uri,
                URIReference.scheme(of: uri) != "data"
            else { return nil }
            let content = key.keyFormat == .widevine ? "pssh box" : "PlayReady object"
            return (
                "URI",
                "\(MessageFormat.uri(uri)) is not a data URI: \(key.systemName) players read the \(content) from a "
                    + "data URI"
            )
        },
        key(
            "sample-aes-ctr",
            .warning,
            section: "Apple 13.11",
            "a key should not have METHOD=SAMPLE-AES-CTR, because Apple's players do not support it"
        ) { key in
            key.method == .sampleAESCTR && !key.isFairPlay
                ? (
                    "METHOD",
                    "Apple's players do not support SAMPLE-AES-CTR (cenc), and for other clients it is optional: use "
                        + "SAMPLE-AES (cbcs)"
                )
                : nil
        },
        LintRule(
            "ctr-without-map",
            .error,
            .media,
            section: "4.4.4.4",
            "a segment with METHOD=SAMPLE-AES-CTR must have an EXT-X-MAP, because the method requires fragmented MP4",
            .media { subject, findings in
                // In a delta update, the tag may be among the lines that were left out.
                guard subject.isFull, !subject.file.isRefused(.map) else { return }
                let change = subject.encryptionChanges.first { change in
                    change.isSegment && change.map == nil && change.keys.contains { $0.tag.method == .sampleAESCTR }
                }
                guard let change, let key = change.keys.first(where: { $0.tag.method == .sampleAESCTR }) else { return }
                findings.report(
                    change.line,
                    "the EXT-X-KEY on line \(key.line.number) has METHOD=SAMPLE-AES-CTR, which is defined only for "
                        + "fragmented MP4, but no EXT-X-MAP applies to the segment: add one"
                )
            }
        ),
        LintRule(
            "map-before-key",
            .warning,
            .media,
            section: "4.4.4.4",
            "the EXT-X-MAP of encrypted segments should follow their EXT-X-KEY, so that the key applies to it",
            .media { subject, findings in
                // In a delta update, keys among the lines that were left out may apply.
                guard subject.isFull else { return }
                for change in subject.encryptionChanges where change.isMapNew && !change.keys.isEmpty {
                    // With AES-128, an initialization section to which the key applies must be encrypted as a whole,
                    // so both orders of the tags are legitimate.
                    guard let map = change.map, map.keys.isEmpty, let key = change.keys.first,
                        key.tag.method != .aes128
                    else { continue }
                    findings.report(
                        map.line,
                        "the EXT-X-KEY on line \(key.line.number) does not apply to this EXT-X-MAP, so some players "
                            + "expect clear media: move the EXT-X-KEY before the EXT-X-MAP"
                    )
                }
            }
        ),
    ]
}
