extension LintRule {
    /// The rules for renditions: languages, accessibility, subtitles and captions.
    static let appleRenditionRules: [LintRule] = [
        rendition(
            "apple-language-missing",
            .error,
            "8.10",
            "every rendition except VIDEO must have LANGUAGE"
        ) { tag in
            guard tag.type != .video, tag.language == nil else { return nil }
            return "the \(tag.type.rawValue) rendition \(ReadingContext.quoted(tag.name)) has no LANGUAGE: write a "
                + "language tag, such as LANGUAGE=\"en\", or \"und\" if it is unknown"
        },
        rendition(
            "apple-description-not-autoselect",
            .error,
            "2.13",
            "audio that describes the video must have AUTOSELECT=YES"
        ) { tag in
            guard tag.type == .audio, tag.characteristics.contains(description), tag.autoselects != true else {
                return nil
            }
            return "the rendition has the characteristic \(description), but AUTOSELECT is not YES, so clients do not "
                + "select it for viewers who prefer descriptions: write AUTOSELECT=YES"
        },
        rendition(
            "apple-description-undeclared",
            .warning,
            "2.12",
            "audio that describes the video must have the characteristic public.accessibility.describes-video",
            at: "NAME"
        ) { tag in
            guard tag.type == .audio, !tag.characteristics.contains(description),
                tag.name.lowercased().contains("descri")
            else { return nil }
            return "the name \(ReadingContext.quoted(tag.name)) is that of a description: write "
                + "CHARACTERISTICS=\"\(description)\", or give the rendition another name"
        },
        rendition(
            "apple-sdh-characteristics",
            .error,
            "4.5",
            "SDH subtitles must have both characteristics: spoken dialog, and music and sound"
        ) { tag in
            guard tag.type == .subtitles else { return nil }
            let missing = sdh.filter { !tag.characteristics.contains($0) }
            let isNamed = tag.name.split { !$0.isLetter }.contains("SDH")
            guard !missing.isEmpty, isNamed || missing.count < sdh.count else { return nil }
            return "the rendition is subtitles for the deaf and hard of hearing, but CHARACTERISTICS lacks "
                + "\(missing.joined(separator: " and ")): add it"
        },
        rendition(
            "apple-sdh-not-autoselect",
            .error,
            "4.6",
            "SDH subtitles must have AUTOSELECT=YES"
        ) { tag in
            guard tag.type == .subtitles, tag.autoselects != true, sdh.allSatisfy(tag.characteristics.contains) else {
                return nil
            }
            return "the rendition is subtitles for the deaf and hard of hearing, but AUTOSELECT is not YES: write "
                + "AUTOSELECT=YES"
        },
        rendition(
            "apple-forced-not-autoselect",
            .warning,
            "5.11",
            "forced subtitles should have AUTOSELECT=YES"
        ) { tag in
            guard tag.type == .subtitles, tag.isForced == true, tag.autoselects != true else { return nil }
            return "the subtitles are forced, but AUTOSELECT is not YES, so clients do not show them: write "
                + "AUTOSELECT=YES"
        },
        multivariantPlaylist(
            "apple-no-captions",
            .warning,
            "4.1",
            "video should have captions or subtitles",
            dependsOn: [.media]
        ) { subject in
            guard !subject.videoVariants.isEmpty,
                !subject.renditions.contains(where: { $0.tag.type == .subtitles || $0.tag.type == .closedCaptions })
            else { return nil }
            return "the presentation has video, but neither subtitles nor closed captions: add EXT-X-MEDIA tags with "
                + "TYPE=SUBTITLES or TYPE=CLOSED-CAPTIONS"
        },
        attributes(
            "apple-subtitle-codec",
            .error,
            "5.2",
            "subtitles must be WebVTT or the text profile of IMSC1",
            at: "CODECS"
        ) { attributes in
            let wrong = attributes.formats.filter { codec in
                codec.family == .tx3g || codec.family == .ttml && !codec.text.lowercased().hasPrefix("stpp.ttml.im1t")
            }
            guard !wrong.isEmpty else { return nil }
            return "CODECS has \(LintText.quoted(wrong.map(\.text))): write \"stpp.ttml.im1t\" for the text profile of "
                + "IMSC1, or use WebVTT"
        },
        LintRule(
            "apple-rendition-order",
            .warning,
            .multivariant,
            section: "Apple 9.17",
            "renditions of one language should be ordered from general to specific",
            .multivariant { subject, findings in
                struct Key: Hashable { var type, group, language: String }
                var special: [Key: PlaylistLine] = [:]
                for (tag, line) in subject.renditions {
                    guard let language = tag.language else { continue }
                    let key = Key(type: tag.type.rawValue, group: tag.groupID, language: language)
                    if tag.characteristics.contains(where: { $0.hasPrefix("public.accessibility.") }) {
                        if special[key] == nil { special[key] = line }
                    } else if let earlier = special[key] {
                        findings.report(
                            line,
                            "the rendition on line \(earlier.number) is for accessibility and precedes this one of the "
                                + "same language: place the general rendition first"
                        )
                    }
                }
            }
        ),
    ]

    private static let description = "public.accessibility.describes-video"
    private static let sdh = [
        "public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound",
    ]
}
