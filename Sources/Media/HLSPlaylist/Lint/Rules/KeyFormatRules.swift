extension LintRule {
    /// Widevine and PlayReady, counter mode, and the Media Initialization Section.
    static let keyFormatRules: [LintRule] = [
        key(
            "drm-keyformat-case",
            .warning,
            section: "4.2",
            "KEYFORMAT of Widevine and PlayReady is written in lower case"
        ) { key in
            let lower = KeyFormat(rawValue: key.keyFormat.rawValue.lowercased())
            guard lower != key.keyFormat, lower == .widevine || lower == .playReady else { return nil }
            return (
                "KEYFORMAT", "key formats are compared byte for byte, so clients ignore the key: write \"\(lower)\""
            )
        },
        key(
            "drm-uri-not-data",
            .warning,
            section: "-",
            "the URI of a Widevine or PlayReady key is a data URI, from which players take the pssh box or PlayReady object"
        ) { key in
            guard key.keyFormat == .widevine || key.keyFormat == .playReady, let uri = key.uri,
                URIReference.scheme(of: uri) != "data"
            else { return nil }
            let content = key.keyFormat == .widevine ? "pssh box" : "PlayReady object"
            return ("URI", "\(Shown.uri(uri)): \(key.systemName) players take the \(content) from a data URI")
        },
        key(
            "sample-aes-ctr",
            .warning,
            section: "Apple 13.11",
            "no key has METHOD=SAMPLE-AES-CTR, which Apple's players do not play"
        ) { key in
            key.method == .sampleAESCTR && !key.isFairPlay
                ? (
                    "METHOD",
                    "Apple's players do not play SAMPLE-AES-CTR (cenc), and other clients need not: use SAMPLE-AES (cbcs)"
                )
                : nil
        },
        LintRule(
            "ctr-without-map",
            .error,
            .media,
            section: "4.4.4.4",
            "a segment with METHOD=SAMPLE-AES-CTR has an EXT-X-MAP: the method is defined for fragmented MP4 alone",
            .media { subject, findings in
                // In a delta update the tag may stand in the part that was left out.
                guard subject.isFull else { return }
                let place = subject.encryptionChanges.first { change in
                    change.isSegment && change.map == nil && change.keys.contains { $0.tag.method == .sampleAESCTR }
                }
                guard let place, let key = place.keys.first(where: { $0.tag.method == .sampleAESCTR }) else { return }
                findings.report(
                    place.line,
                    "the EXT-X-KEY at line \(key.line.number) has METHOD=SAMPLE-AES-CTR, which is defined for fragmented MP4 alone, "
                        + "but no EXT-X-MAP applies to the segment"
                )
            }
        ),
        LintRule(
            "map-before-key",
            .warning,
            .media,
            section: "4.4.4.4",
            "an EXT-X-MAP of encrypted segments stands behind their EXT-X-KEY, so that it is covered by it",
            .media { subject, findings in
                // In a delta update the keys of the part that was left out may apply.
                guard subject.isFull else { return }
                for change in subject.encryptionChanges where change.isMapNew && !change.keys.isEmpty {
                    // With AES-128 a covered one would be encrypted as a whole: where the tag stands is a choice.
                    guard let map = change.map, map.keys.isEmpty, let key = change.keys.first,
                        key.tag.method != .aes128
                    else { continue }
                    findings.report(
                        map.line,
                        "the EXT-X-KEY at line \(key.line.number) does not cover this EXT-X-MAP, and some players prepare for clear "
                            + "media: put the EXT-X-KEY before it"
                    )
                }
            }
        ),
    ]
}
