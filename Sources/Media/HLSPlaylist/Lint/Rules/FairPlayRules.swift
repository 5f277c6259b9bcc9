extension LintRule {
    /// Keys of FairPlay Streaming, and keys that were meant to be.
    static let fairPlayRules: [LintRule] = [
        key(
            "fairplay-keyformat",
            .error,
            section: "Apple 13.3",
            "KEYFORMAT of FairPlay is exactly com.apple.streamingkeydelivery"
        ) { key in
            let format = key.keyFormat.rawValue
            guard key.keyFormat != .fairPlay, KeyFormat.looksLikeFairPlay(format) else { return nil }
            return (
                "KEYFORMAT",
                "\(ReadingContext.quoted(format)) is no key format, and clients ignore the key: write "
                    + "\"\(KeyFormat.fairPlay)\""
            )
        },
        key("fairplay-method", .error, section: "Apple 13.2", "a FairPlay key has METHOD=SAMPLE-AES") { key in
            key.isFairPlay && key.method != .sampleAES
                ? ("METHOD", "a FairPlay key has METHOD=SAMPLE-AES, and segments encrypted that way, not \(key.method)")
                : nil
        },
        key(
            "fairplay-iv",
            .error,
            section: "Apple 13.4",
            "a FairPlay key has no IV: it comes with the key, in the CKC"
        ) { key in
            key.isFairPlay && key.iv != nil
                ? ("IV", "a FairPlay key must not have an IV; it comes with the key, in the CKC: remove it") : nil
        },
        key(
            "fairplay-without-versions",
            .warning,
            section: "4.4.4.4",
            "a FairPlay key has KEYFORMATVERSIONS, since some clients look for it"
        ) { key in
            key.isFairPlay && key.keyFormatVersions == nil
                ? (nil, "a FairPlay key without KEYFORMATVERSIONS: write KEYFORMATVERSIONS=\"1\"") : nil
        },
        key(
            "fairplay-uri-scheme",
            .warning,
            section: "FPS 9",
            "the URI of a FairPlay key has the scheme skd"
        ) { key in
            guard key.isFairPlay, let uri = key.uri, let scheme = URIReference.scheme(of: uri), scheme != "skd" else {
                return nil
            }
            return (
                "URI",
                "the scheme is \(ReadingContext.quoted(scheme)); apps that look for skd never ask for the key: write skd://…"
            )
        },
        key(
            "fairplay-uri-relative",
            .warning,
            section: "FPS 9",
            "the URI of a FairPlay key is not relative"
        ) { key in
            guard key.isFairPlay, let uri = key.uri, URIReference.isRelative(uri) else { return nil }
            return (
                "URI",
                "\(Shown.uri(uri)) is relative, and resolved against the playlist it hides the asset ID: write skd://…"
            )
        },
        key(
            "fairplay-uri-empty",
            .warning,
            section: "FPS 9",
            "the URI of a FairPlay key names a key"
        ) { key in
            guard key.isFairPlay, let uri = key.uri, ["skd:", "skd://"].contains(uri.lowercased()) else { return nil }
            return ("URI", "\(Shown.uri(uri)) names no key: put what the key server knows it by behind it")
        },
        key(
            "skd-with-identity",
            .warning,
            section: "FPS 9",
            "a key with an skd URI has FairPlay's KEYFORMAT"
        ) { key in
            guard key.isIdentity, key.method == .sampleAES, let uri = key.uri, URIReference.scheme(of: uri) == "skd"
            else { return nil }
            return (
                "URI",
                "an skd URI without FairPlay's key format, so clients try to load it: write "
                    + "KEYFORMAT=\"\(KeyFormat.fairPlay)\""
            )
        },
    ]
}

extension KeyFormat {
    /// Whether somebody meant FairPlay: its name in another form, or the system ID of its `pssh` box.
    fileprivate static func looksLikeFairPlay(_ text: String) -> Bool {
        let lower = text.lowercased()
        return ["streamingkeydelivery", "com.apple.fps", "94ce86fb-07ff-4f43-adb8-93d2fa968ca2"]
            .contains { lower.contains($0) }
    }
}
