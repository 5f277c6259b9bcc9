extension LintRule {
    /// The rules that compare EXT-X-VERSION with the version that the playlist requires (section 8).
    static let versionRules: [LintRule] = [
        LintRule(
            "version-too-low",
            .error,
            .any,
            section: "8",
            "EXT-X-VERSION must be high enough for every tag and attribute of the playlist",
            .playlist { findings in
                let file = findings.file
                let required = RequiredVersion(file)
                // A client that cannot read EXT-X-VERSION may still know the version.
                guard file.version > 0, file.version < required.version, !file.isRefused(.version) else { return }
                let line = file.line(of: .version)
                let stated =
                    line == nil
                    ? "the playlist has no EXT-X-VERSION, which means 1" : "EXT-X-VERSION is \(file.version)"
                findings.report(
                    line,
                    "\(stated), but \(required.reason) on line \(required.line) requires version \(required.version) "
                        + "or higher"
                )
            }
        ),
        LintRule(
            "version-higher-than-needed",
            .note,
            .any,
            section: "6.2.1",
            "a version above 7 should not be higher than the playlists require",
            .several([
                .media { subject, findings in
                    guard let (line, message) = excess(subject.file, []) else { return }
                    findings.report(line, message)
                },
                // What the Media Playlists require is known only when all of them are available.
                .presentation { subject, findings in
                    let media = subject.mediaPlaylists.map(\.file)
                    guard subject.references.allSatisfy({ $0.media != nil }),
                        let (line, message) = excess(subject.multivariant.file, media)
                    else { return }
                    findings.report(subject.multivariant.file, line, message)
                },
            ])
        ),
        LintRule(
            "version-unsupported",
            .error,
            .any,
            section: "6.3.1",
            "EXT-X-VERSION must be a version that the draft defines, 1 to 13",
            .playlist { findings in
                let file = findings.file
                guard let line = file.line(of: .version), !(1...13).contains(file.version) else { return }
                findings.report(
                    line,
                    "EXT-X-VERSION is \(file.version), but only versions 1 to 13 exist: clients must not play the "
                        + "playlist"
                )
            }
        ),
    ]

    /// The highest version that every client in use supports, for ten years. Packagers write a version up to this one
    /// whatever the playlist contains, which excludes no client.
    private static let commonVersion: UInt64 = 7

    /// Returns the line of EXT-X-VERSION and a message if the version is higher than a playlist and its Media Playlists
    /// require.
    private static func excess(_ file: LintFile, _ media: [LintFile]) -> (line: PlaylistLine, message: String)? {
        guard file.version > commonVersion, file.version <= 13, let line = file.line(of: .version),
            !media.contains(where: { $0.version >= file.version })
        else { return nil }
        var highest = RequiredVersion(file)
        for other in media {
            let required = RequiredVersion(other)
            guard file.version > max(required.version, required.tolerated) else { return nil }
            if required.version > highest.version { highest = required }
        }
        guard file.version > max(highest.version, highest.tolerated) else { return nil }
        let reason =
            highest.version <= commonVersion
            ? "version \(commonVersion) is enough" : "\(highest.reason) requires only version \(highest.version)"
        return (
            line,
            "EXT-X-VERSION is \(file.version), but \(reason): write the lower version, so that older clients can play "
                + "it"
        )
    }
}

/// The protocol version that a playlist requires, and the tag or attribute that requires it.
struct RequiredVersion {
    private(set) var version: UInt64 = 1
    private(set) var reason = ""
    private(set) var line = 0
    /// The version that the playlist may declare although nothing in it requires the version: delta updates will
    /// require it, the keys of the Media Playlists whose session keys the Multivariant Playlist lists, or the durations of
    /// an I-frame playlist that exceed the Target Duration by less than half a second.
    private(set) var tolerated: UInt64 = 1
    private var isIFramesOnly = false

    init(_ file: LintFile) {
        if case .media(let playlist) = file.playlist { isIFramesOnly = playlist.isIFramesOnly }
        let requirements = Set(file.diagnostics.lazy.filter { $0.rule == .unsupportedRequirement }.map(\.line))
        for line in file.lines {
            switch line.content {
            case .tag(let tag): inspect(tag, line)
            case .uri: if line.refersToVariable { require(8, line, "a variable reference") }
            case .refused:
                // A client that does not support the requirement must still support attributes with REQ-.
                if requirements.contains(line.number) { require(12, line, "an attribute that begins with REQ-") }
            case .blank, .comment, .unknownTag: break
            }
        }
    }

    private mutating func require(_ version: UInt64, _ line: PlaylistLine, _ reason: @autoclosure () -> String) {
        guard version > self.version else { return }
        self.version = version
        self.line = line.number
        self.reason = reason()
    }

    private mutating func inspect(_ tag: PlaylistTag, _ line: PlaylistLine) {
        switch tag {
        case .inf: if version < 3, line.hasDecimalPoint { require(3, line, "an EXTINF with a decimal point") }
        case .byteRange, .iFramesOnly: require(4, line, tag.name.rawValue)
        case .key(let key): inspect(key, line)
        case .sessionKey(let session):
            if session.key.iv != nil { tolerated = max(tolerated, 2) }
            let names = session.key.keyFormatAttribute != nil || session.key.keyFormatVersions != nil
            if names || session.key.method == .sampleAES { tolerated = max(tolerated, 5) }
        case .map:
            require(isIFramesOnly ? 5 : 6, line, "EXT-X-MAP")
            tolerated = max(tolerated, 6)
        case .media(let tag): inspect(tag, line)
        case .define(let define):
            require(8, line, "EXT-X-DEFINE")
            if case .queryParameter = define.definition { require(11, line, "QUERYPARAM of EXT-X-DEFINE") }
        case .skip(let skip):
            require(9, line, "EXT-X-SKIP")
            if skip.recentlyRemovedDateRanges != nil { require(10, line, "RECENTLY-REMOVED-DATERANGES of EXT-X-SKIP") }
        case .streamInf(let tag): inspect(tag.attributes, line)
        case .iFrameStreamInf(let tag): inspect(tag.attributes, line)
        // Earlier versions of the draft required version 8 for gaps, and servers with low latency may send delta updates.
        case .gap: tolerated = max(tolerated, 8)
        case .partInf: tolerated = max(tolerated, 10)
        case .serverControl(let control):
            if control.canSkipUntil != nil { tolerated = max(tolerated, 9) }
            if control.canSkipDateRanges { tolerated = max(tolerated, 10) }
        default: break
        }
        if version < 8, tag.name.hasAttributes, line.refersToVariable { require(8, line, "a variable reference") }
    }

    private mutating func inspect(_ key: KeyTag, _ line: PlaylistLine) {
        if key.iv != nil { require(2, line, "IV of EXT-X-KEY") }
        if key.method == .sampleAES { require(5, line, "METHOD=SAMPLE-AES of EXT-X-KEY") }
        if key.keyFormatAttribute != nil { require(5, line, "KEYFORMAT of EXT-X-KEY") }
        if key.keyFormatVersions != nil { require(5, line, "KEYFORMATVERSIONS of EXT-X-KEY") }
    }

    private mutating func inspect(_ tag: MediaTag, _ line: PlaylistLine) {
        guard let id = tag.instreamID else { return }
        if id.hasPrefix("SERVICE") { require(7, line, "a SERVICE value of INSTREAM-ID") }
        if tag.type != .closedCaptions {
            require(13, line, "INSTREAM-ID on an EXT-X-MEDIA that is not CLOSED-CAPTIONS")
        }
    }

    private mutating func inspect(_ attributes: VariantAttributes, _ line: PlaylistLine) {
        if !attributes.requiredVideoLayout.isEmpty { require(12, line, "REQ-VIDEO-LAYOUT") }
    }
}
