extension LintRule {
    /// The attributes of one rendition.
    static let renditionRules: [LintRule] = [
        LintRule(
            "closed-captions-with-uri",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "closed captions have no URI",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .closedCaptions && tag.uri != nil {
                    findings.report(
                        line,
                        attribute: "URI",
                        "closed captions travel in the video: remove the URI \(ReadingContext.quoted(tag.uri ?? "")), "
                            + "or write TYPE=SUBTITLES"
                    )
                }
            }
        ),
        LintRule(
            "subtitles-without-uri",
            .error,
            .multivariant,
            section: "4.4.6.2.1",
            "subtitles have a URI",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .subtitles && tag.uri == nil {
                    findings.report(
                        line,
                        "the subtitles \(ReadingContext.quoted(tag.name)) have no URI: add that of their Media Playlist"
                    )
                }
            }
        ),
        LintRule(
            "instream-id-missing",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "closed captions have INSTREAM-ID",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .closedCaptions && tag.instreamID == nil {
                    findings.report(
                        line,
                        "the closed captions \(ReadingContext.quoted(tag.name)) have no INSTREAM-ID: write CC1 to CC4 "
                            + "or SERVICE1 to SERVICE63"
                    )
                }
            }
        ),
        LintRule(
            "instream-id-value",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "INSTREAM-ID names a channel that can exist",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions {
                    guard let id = tag.instreamID else { continue }
                    let problem: String
                    if tag.type == .closedCaptions {
                        guard !isCaptionChannel(id) else { continue }
                        problem = "is no channel of closed captions: write CC1 to CC4 or SERVICE1 to SERVICE63"
                    } else {
                        guard !LintText.isAlphanumeric(id, and: ".") else { continue }
                        problem = "has a character other than letters, digits and full stop: choose another ID"
                    }
                    findings.report(
                        line,
                        attribute: "INSTREAM-ID",
                        "INSTREAM-ID \(ReadingContext.quoted(id)) \(problem)"
                    )
                }
            }
        ),
        LintRule(
            "forced-not-subtitles",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "FORCED stands in subtitles alone",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type != .subtitles && tag.isForced != nil {
                    findings.report(
                        line,
                        attribute: "FORCED",
                        "FORCED=\(tag.isForced == true ? "YES" : "NO") stands in TYPE=\(tag.type), and only subtitles "
                            + "may have it: remove it"
                    )
                }
            }
        ),
        LintRule(
            "audio-attribute-not-audio",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "CHANNELS, BIT-DEPTH and SAMPLE-RATE stand in audio alone",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type != .audio {
                    var names: [String] = []
                    if tag.channels != nil { names.append("CHANNELS") }
                    if tag.bitDepth != nil { names.append("BIT-DEPTH") }
                    if tag.sampleRate != nil { names.append("SAMPLE-RATE") }
                    guard let first = names.first else { continue }
                    findings.report(
                        line,
                        attribute: first,
                        "only audio may have \(names.joined(separator: " and ")), and this is TYPE=\(tag.type): remove "
                            + (names.count > 1 ? "them" : "it")
                    )
                }
            }
        ),
        LintRule(
            "channels-missing",
            .warning,
            .multivariant,
            section: "4.4.6.1",
            "audio has CHANNELS",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .audio && tag.channels == nil {
                    findings.report(
                        line,
                        "the audio \(ReadingContext.quoted(tag.name)) has no CHANNELS, so clients cannot tell stereo "
                            + "from surround: write their number, such as CHANNELS=\"2\""
                    )
                }
            }
        ),
        LintRule(
            "channels-syntax",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "CHANNELS is a number of channels and lists of identifiers",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .audio {
                    guard let channels = tag.channels, !ChannelParameters.isWellFormed(channels) else { continue }
                    findings.report(
                        line,
                        attribute: "CHANNELS",
                        "CHANNELS \(ReadingContext.quoted(channels)) is not a number of channels, then lists of "
                            + "identifiers (A-Z, 0-9 and hyphen) behind slashes: write \"2\", \"16/JOC\" "
                            + "or \"2/-/BINAURAL\""
                    )
                }
            }
        ),
        LintRule(
            "language-malformed",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "languages have the form of RFC 5646",
            .multivariant { subject, findings in
                for line in subject.lines {
                    let languages: [(name: String, value: String?)]
                    switch line.content {
                    case .tag(.media(let tag)):
                        languages = [("LANGUAGE", tag.language), ("ASSOC-LANGUAGE", tag.associatedLanguage)]
                    case .tag(.sessionData(let tag)): languages = [("LANGUAGE", tag.language)]
                    default: continue
                    }
                    let wrong = languages.filter { $0.value.map { !LanguageTag.isWellFormed($0) } ?? false }
                    guard let first = wrong.first else { continue }
                    let listed = wrong.map { "\($0.name)=\(ReadingContext.quoted($0.value ?? ""))" }
                    findings.report(
                        line,
                        attribute: first.name,
                        "\(listed.joined(separator: " and ")) is no language tag of RFC 5646: write one such as "
                            + "\"en\", \"pt-BR\" or \"zh-Hant\""
                    )
                }
            }
        ),
    ]

    /// CC1 to CC4, SERVICE1 to SERVICE63.
    private static func isCaptionChannel(_ id: String) -> Bool {
        if ["CC1", "CC2", "CC3", "CC4"].contains(id) { return true }
        let digits = id.dropFirst(7)
        guard id.hasPrefix("SERVICE"), let number = Int(digits), String(number) == digits else { return false }
        return (1...63).contains(number)
    }
}
