extension LintRule {
    /// The rules for the attributes of a rendition.
    static let renditionRules: [LintRule] = [
        LintRule(
            "closed-captions-with-uri",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "closed captions must not have a URI",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .closedCaptions && tag.uri != nil {
                    findings.report(
                        line,
                        attribute: "URI",
                        "closed captions are embedded in the video: remove the URI "
                            + "\(MessageFormat.uri(tag.uri ?? "")), or write TYPE=SUBTITLES"
                    )
                }
            }
        ),
        LintRule(
            "subtitles-without-uri",
            .error,
            .multivariant,
            section: "4.4.6.2.1",
            "subtitles must have a URI",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .subtitles && tag.uri == nil {
                    findings.report(
                        line,
                        "the subtitles \(ReadingContext.quoted(tag.name)) have no URI: add the URI of their Media "
                            + "Playlist"
                    )
                }
            }
        ),
        LintRule(
            "instream-id-missing",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "closed captions must have INSTREAM-ID",
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
            "INSTREAM-ID must be a valid channel identifier",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions {
                    guard let id = tag.instreamID else { continue }
                    let problem: String
                    if tag.type == .closedCaptions {
                        guard !isCaptionChannel(id) else { continue }
                        problem = "is not a closed caption channel: write CC1 to CC4 or SERVICE1 to SERVICE63"
                    } else {
                        guard !LintText.isAlphanumeric(id, and: ".") else { continue }
                        problem = "contains a character other than letters, digits and periods: choose another ID"
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
            "only subtitles may have FORCED",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type != .subtitles && tag.isForced != nil {
                    findings.report(
                        line,
                        attribute: "FORCED",
                        "the tag with TYPE=\(tag.type) has FORCED=\(tag.isForced == true ? "YES" : "NO"), which only "
                            + "subtitles may have: remove FORCED"
                    )
                }
            }
        ),
        LintRule(
            "audio-attribute-not-audio",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "only audio may have CHANNELS, BIT-DEPTH and SAMPLE-RATE",
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
                        "the tag with TYPE=\(tag.type) has \(names.joined(separator: " and ")), which only audio may "
                            + "have: remove "
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
            "audio should have CHANNELS",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .audio && tag.channels == nil {
                    findings.report(
                        line,
                        "the audio \(ReadingContext.quoted(tag.name)) has no CHANNELS, so clients cannot distinguish "
                            + "stereo from surround: write the number of channels, such as CHANNELS=\"2\""
                    )
                }
            }
        ),
        LintRule(
            "channels-syntax",
            .error,
            .multivariant,
            section: "4.4.6.1",
            "CHANNELS must be a number of channels, optionally followed by lists of identifiers",
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions where tag.type == .audio {
                    guard let channels = tag.channels, !ChannelParameters.isWellFormed(channels) else { continue }
                    findings.report(
                        line,
                        attribute: "CHANNELS",
                        "CHANNELS \(ReadingContext.quoted(channels)) is not a number of channels, optionally followed "
                            + "by lists of identifiers (A-Z, 0-9 and hyphen) after slashes: write \"2\", \"16/JOC\" "
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
            "languages must have the form of RFC 5646",
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
                        "\(listed.joined(separator: " and ")) is not a language tag of RFC 5646: write one such as "
                            + "\"en\", \"pt-BR\" or \"zh-Hant\""
                    )
                }
            }
        ),
    ]

    /// Returns whether an ID is a closed caption channel: CC1 to CC4 or SERVICE1 to SERVICE63.
    private static func isCaptionChannel(_ id: String) -> Bool {
        if ["CC1", "CC2", "CC3", "CC4"].contains(id) { return true }
        let digits = id.dropFirst(7)
        guard id.hasPrefix("SERVICE"), let number = Int(digits), String(number) == digits else { return false }
        return (1...63).contains(number)
    }
}
