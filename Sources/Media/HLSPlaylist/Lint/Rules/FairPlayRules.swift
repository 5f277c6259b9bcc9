extension LintRule {
    /// The rules for FairPlay Streaming keys, and for keys that seem to be intended as FairPlay keys.
    static let fairPlayRules: [LintRule] = [
        key(
            "fairplay-keyformat",
            .error,
            section: "Apple 13.3",
            "KEYFORMAT of a FairPlay key must be exactly com.apple.streamingkeydelivery"
        ) { key in
            let format = key.keyFormat.rawValue
            guard key.keyFormat != .fairPlay, KeyFormat.looksLikeFairPlay(format) else { return nil }
            return (
                "KEYFORMAT",
                "\(ReadingContext.quoted(format)) is not a known key format, and clients ignore the key: write "
                    + "\"\(KeyFormat.fairPlay)\""
            )
        },
        key("fairplay-method", .error, section: "Apple 13.2", "a FairPlay key must have METHOD=SAMPLE-AES") { key in
            key.isFairPlay && key.method != .sampleAES
                ? (
                    "METHOD",
                    "a FairPlay key has METHOD=\(key.method): encrypt the segments with SAMPLE-AES and write "
                        + "METHOD=SAMPLE-AES"
                )
                : nil
        },
        key(
            "fairplay-iv",
            .error,
            section: "Apple 13.4",
            "a FairPlay key must not have an IV, because the CKC contains the IV and the key"
        ) { key in
            key.isFairPlay && key.iv != nil
                ? ("IV", "a FairPlay key must not have an IV, because the CKC contains the IV: remove the attribute")
                : nil
        },
        key(
            "fairplay-without-versions",
            .warning,
            section: "4.4.4.4",
            "a FairPlay key should have KEYFORMATVERSIONS, because some clients require it"
        ) { key in
            key.isFairPlay && key.keyFormatVersions == nil
                ? (nil, "the FairPlay key has no KEYFORMATVERSIONS: write KEYFORMATVERSIONS=\"1\"") : nil
        },
        key(
            "fairplay-versions-unknown",
            .error,
            section: "FPS 9",
            "KEYFORMATVERSIONS of a FairPlay key must contain 1, and only versions that FairPlay has"
        ) { key in
            guard key.isFairPlay, let versions = key.keyFormatVersions else { return nil }
            let numbers = versions.split(separator: "/").map { UInt64($0) }
            // Malformed lists are violations of `keyformatversions-syntax`.
            guard !numbers.isEmpty, !numbers.contains(nil), !numbers.contains(0) else { return nil }
            let advice = "write KEYFORMATVERSIONS=\"1\", or \"1/2\" if the key server supports both versions"
            let unknown = numbers.compactMap { $0 }.first { !fairPlayVersions.contains($0) }
            if let unknown {
                return (
                    "KEYFORMATVERSIONS", "FairPlay has no version \(unknown), so no client requests the key: \(advice)"
                )
            }
            return numbers.contains(1)
                ? nil
                : (
                    "KEYFORMATVERSIONS",
                    "KEYFORMATVERSIONS is \(ReadingContext.quoted(versions)), without version 1, which all clients "
                        + "support: \(advice)"
                )
        },
        key(
            "fairplay-uri-scheme",
            .warning,
            section: "FPS 9",
            "the URI of a FairPlay key should have the scheme skd"
        ) { key in
            guard key.isFairPlay, let uri = key.uri, let scheme = URIReference.scheme(of: uri), scheme != "skd" else {
                return nil
            }
            return (
                "URI",
                "the URI scheme is \(ReadingContext.quoted(scheme)), and apps that expect skd do not request the key: "
                    + "write skd://…"
            )
        },
        key(
            "fairplay-uri-relative",
            .warning,
            section: "FPS 9",
            "the URI of a FairPlay key should not be relative"
        ) { key in
            guard key.isFairPlay, let uri = key.uri, URIReference.isRelative(uri) else { return nil }
            return (
                "URI",
                "\(MessageFormat.uri(uri)) is relative, and resolving it against the playlist's URL changes the asset "
                    + "ID: write skd://…"
            )
        },
        key(
            "fairplay-uri-empty",
            .warning,
            section: "FPS 9",
            "the URI of a FairPlay key should identify the key"
        ) { key in
            guard key.isFairPlay, let uri = key.uri, ["skd:", "skd://"].contains(uri.lowercased()) else { return nil }
            return (
                "URI",
                "\(MessageFormat.uri(uri)) does not identify a key: append the asset ID that the key server uses"
            )
        },
        key(
            "skd-with-identity",
            .warning,
            section: "FPS 9",
            "a key with an skd URI should have the KEYFORMAT of FairPlay"
        ) { key in
            guard key.isIdentity, key.method == .sampleAES, let uri = key.uri, URIReference.scheme(of: uri) == "skd"
            else { return nil }
            return (
                "URI",
                "the key has an skd URI but not the KEYFORMAT of FairPlay, so clients try to load the URI: write "
                    + "KEYFORMAT=\"\(KeyFormat.fairPlay)\""
            )
        },
    ]
}

/// The protocol versions of FairPlay Streaming.
private let fairPlayVersions: ClosedRange<UInt64> = 1...3

extension KeyFormat {
    /// Whether a key format seems to be intended as FairPlay: a variation of its name, or the system ID of its `pssh`
    /// box.
    fileprivate static func looksLikeFairPlay(_ text: String) -> Bool {
        let lower = text.lowercased()
        return ["streamingkeydelivery", "com.apple.fps", "94ce86fb-07ff-4f43-adb8-93d2fa968ca2"]
            .contains { lower.contains($0) }
    }
}
