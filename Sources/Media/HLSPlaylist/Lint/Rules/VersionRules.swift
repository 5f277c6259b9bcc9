extension LintRule {
    /// EXT-X-VERSION against what the playlist holds (section 8).
    static let versionRules: [LintRule] = [
        LintRule(
            "version-too-low",
            .error,
            .any,
            section: "8",
            "EXT-X-VERSION is high enough for every tag and attribute of the playlist",
            .playlist { findings in
                let file = findings.file
                let need = VersionNeed(file)
                guard file.version > 0, file.version < need.version else { return }
                let line = file.line(of: .version)
                let stated =
                    line == nil ? "there is no EXT-X-VERSION, which means 1" : "EXT-X-VERSION is \(file.version)"
                findings.report(
                    line,
                    "\(stated), but \(need.reason) in line \(need.line) needs version \(need.version) or higher"
                )
            }
        ),
        LintRule(
            "version-higher-than-needed",
            .note,
            .any,
            section: "6.2.1",
            "EXT-X-VERSION is no higher than the playlist's tags and attributes ask",
            .playlist { findings in
                let file = findings.file
                guard let line = file.line(of: .version), (2...13).contains(file.version) else { return }
                let need = VersionNeed(file)
                guard file.version > max(need.version, need.granted) else { return }
                let reason =
                    need.version == 1 ? "nothing here needs more than 1" : "\(need.reason) needs \(need.version)"
                findings.report(
                    line,
                    "EXT-X-VERSION is \(file.version), but \(reason): older clients could play this, and are shut out"
                )
            }
        ),
        LintRule(
            "version-unsupported",
            .error,
            .any,
            section: "6.3.1",
            "EXT-X-VERSION is one that the draft defines, 1 to 13",
            .playlist { findings in
                let file = findings.file
                guard let line = file.line(of: .version), !(1...13).contains(file.version) else { return }
                findings.report(
                    line,
                    "EXT-X-VERSION is \(file.version), and versions go from 1 to 13: clients must not play the playlist"
                )
            }
        ),
    ]
}

/// The protocol version that a playlist needs, and what needs it.
private struct VersionNeed {
    private(set) var version: UInt64 = 1
    private(set) var reason = ""
    private(set) var line = 0
    /// The version that may be given though nothing demands it: delta updates will need it, and so would keys that the
    /// Multivariant Playlist announces.
    private(set) var granted: UInt64 = 1
    private var isIFramesOnly = false

    init(_ file: LintFile) {
        if case .media(let playlist) = file.playlist { isIFramesOnly = playlist.isIFramesOnly }
        let requirements = Set(file.diagnostics.lazy.filter { $0.rule == .unsupportedRequirement }.map(\.line))
        for line in file.lines {
            switch line.content {
            case .tag(let tag): take(tag, line)
            case .uri: if line.refersToVariable { need(8, line, "a variable reference") }
            case .refused:
                // Whoever does not know the requirement must still know that there can be one.
                if requirements.contains(line.number) { need(12, line, "an attribute that begins with REQ-") }
            case .blank, .comment, .unknownTag: break
            }
        }
    }

    private mutating func need(_ version: UInt64, _ line: PlaylistLine, _ reason: @autoclosure () -> String) {
        guard version > self.version else { return }
        self.version = version
        self.line = line.number
        self.reason = reason()
    }

    private mutating func take(_ tag: PlaylistTag, _ line: PlaylistLine) {
        switch tag {
        case .inf: if version < 3, line.hasDecimalPoint { need(3, line, "an EXTINF with a decimal point") }
        case .byteRange, .iFramesOnly: need(4, line, tag.name.rawValue)
        case .key(let key): take(key, line)
        case .sessionKey(let session):
            if session.key.iv != nil { granted = max(granted, 2) }
            let names = session.key.keyFormatAttribute != nil || session.key.keyFormatVersions != nil
            if names || session.key.method == .sampleAES { granted = max(granted, 5) }
        case .map: need(isIFramesOnly ? 5 : 6, line, "EXT-X-MAP")
        case .media(let tag): take(tag, line)
        case .define(let define):
            need(8, line, "EXT-X-DEFINE")
            if case .queryParameter = define.definition { need(11, line, "QUERYPARAM of EXT-X-DEFINE") }
        case .skip(let skip):
            need(9, line, "EXT-X-SKIP")
            if skip.recentlyRemovedDateRanges != nil { need(10, line, "RECENTLY-REMOVED-DATERANGES of EXT-X-SKIP") }
        case .streamInf(let tag): take(tag.attributes, line)
        case .iFrameStreamInf(let tag): take(tag.attributes, line)
        case .serverControl(let control):
            if control.canSkipUntil != nil { granted = max(granted, 9) }
            if control.canSkipDateRanges { granted = max(granted, 10) }
        default: break
        }
        if version < 8, tag.name.hasAttributes, line.refersToVariable { need(8, line, "a variable reference") }
    }

    private mutating func take(_ key: KeyTag, _ line: PlaylistLine) {
        if key.iv != nil { need(2, line, "IV of EXT-X-KEY") }
        if key.method == .sampleAES { need(5, line, "METHOD=SAMPLE-AES of EXT-X-KEY") }
        if key.keyFormatAttribute != nil { need(5, line, "KEYFORMAT of EXT-X-KEY") }
        if key.keyFormatVersions != nil { need(5, line, "KEYFORMATVERSIONS of EXT-X-KEY") }
    }

    private mutating func take(_ tag: MediaTag, _ line: PlaylistLine) {
        guard let id = tag.instreamID else { return }
        if id.hasPrefix("SERVICE") { need(7, line, "a SERVICE value of INSTREAM-ID") }
        if tag.type != .closedCaptions { need(13, line, "INSTREAM-ID on an EXT-X-MEDIA that is not CLOSED-CAPTIONS") }
    }

    private mutating func take(_ attributes: VariantAttributes, _ line: PlaylistLine) {
        if !attributes.requiredVideoLayout.isEmpty { need(12, line, "REQ-VIDEO-LAYOUT") }
    }
}
