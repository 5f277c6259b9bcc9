import TextCoding

extension LintRule {
    /// The rules for audio formats and audio groups.
    static let appleAudioRules: [LintRule] = [
        attributes(
            "apple-audio-codec",
            .warning,
            "2.2",
            "audio should be AAC, AC-3, E-AC-3, ALAC, FLAC or APAC",
            at: "CODECS"
        ) { attributes in
            let known: Set<Codec.Family> = [.aac, .ac3, .eac3, .alac, .flac, .apac]
            let wrong = attributes.audioFormats.filter { !known.contains($0.family) }
            guard !wrong.isEmpty else { return nil }
            return "CODECS has \(LintText.quoted(wrong.map(\.text))), which is not an audio format of the "
                + "specification: offer AAC instead, or in addition"
        },
        multivariantPlaylist(
            "apple-no-stereo-aac",
            .error,
            "2.3",
            "a version of the audio must be stereo in AAC-LC or HE-AAC",
            dependsOn: [.streamInf, .media]
        ) { subject in
            guard !subject.isAllStereoscopic else { return nil }
            let groups = subject.groups(.audio)
            let audible = subject.variants.map(\.variant.streamInf).filter { !$0.attributes.audioFormats.isEmpty }
            let hasStereo = audible.contains { variant in
                guard variant.attributes.audioFormats.contains(where: \.isBasicAAC) else { return false }
                let members = variant.audio.flatMap { groups[$0] } ?? []
                return members.isEmpty || members.contains { $0.channelCount ?? 2 <= 2 }
            }
            guard !audible.isEmpty, !hasStereo else { return nil }
            return "no variant has stereo audio in AAC-LC or HE-AAC, which all devices play: add an audio group with "
                + "CHANNELS=\"2\", and variants with \"mp4a.40.2\" in CODECS that use it"
        },
        multivariantPlaylist(
            "apple-no-ac-3",
            .warning,
            "2.6",
            "audio in E-AC-3 should also be offered in AC-3, for devices that do not play E-AC-3"
        ) { subject in
            let formats = Set(subject.variants.flatMap { $0.variant.streamInf.attributes.audioFormats.map(\.family) })
            guard formats.contains(.eac3), !formats.contains(.ac3), !subject.isAllStereoscopic else { return nil }
            return "the presentation has E-AC-3 but not AC-3: add an audio group in AC-3, unless all devices that play "
                + "the content support E-AC-3"
        },
        multivariantPlaylist(
            "apple-no-multichannel-aac",
            .warning,
            "2.26",
            "multichannel audio in ALAC, FLAC or APAC should also be offered in AAC",
            dependsOn: [.streamInf, .media]
        ) { subject in
            let groups = subject.groups(.audio)
            func isMultichannel(_ variant: StreamInfTag) -> Bool {
                variant.audio.flatMap { groups[$0] }?.contains { $0.channelCount ?? 0 > 2 } ?? false
            }
            let wide = subject.variants.map(\.variant.streamInf).filter(isMultichannel)
            let lossless: Set<Codec.Family> = [.alac, .flac, .apac]
            guard wide.contains(where: { $0.attributes.audioFormats.contains { lossless.contains($0.family) } }),
                !wide.contains(where: { $0.attributes.audioFormats.contains(where: \.isBasicAAC) })
            else { return nil }
            return "the presentation has multichannel audio in a format other than Dolby's, but not in AAC: add an "
                + "audio group with more than two channels in AAC"
        },
        attributes(
            "apple-apac-profile",
            .error,
            "9.20",
            "the format of APAC must contain profile and level",
            at: "CODECS"
        ) { attributes in
            let short = attributes.audioFormats.first { codec in
                codec.family == .apac && codec.text.utf8.count(where: { $0 == UInt8(ascii: ".") }) < 2
            }
            guard let short else { return nil }
            return "CODECS has \(ReadingContext.quoted(short.text)) without profile and level: write a format such as "
                + "\"apac.31.00\""
        },
        LintRule(
            "apple-audio-group-channels",
            .warning,
            .multivariant,
            section: "Apple appendix",
            "an audio group should have either stereo or multichannel renditions",
            .multivariant { subject, findings in
                var first: [String: (count: UInt64, line: PlaylistLine)] = [:]
                for (tag, line) in subject.renditions where tag.type == .audio {
                    guard let count = tag.channelCount else { continue }
                    guard let known = first[tag.groupID] else {
                        first[tag.groupID] = (count, line)
                        continue
                    }
                    // A group of Dolby Atmos may have 5.1 in other languages, and one of stereo a commentary in mono.
                    guard (count > 2) != (known.count > 2) else { continue }
                    findings.report(
                        line,
                        attribute: "CHANNELS",
                        "the rendition has \(counted(count, "channel")), but the one on line \(known.line.number) of the same "
                            + "group has \(known.count): use one group for stereo, and one for multichannel audio"
                    )
                }
            }
        ),
        variant(
            "apple-audio-group-codecs",
            .warning,
            "appendix",
            "a variant should have one audio format, that of its audio group",
            at: "CODECS"
        ) { variant, _ in
            let families = Set(variant.attributes.audioFormats.map(\.family))
            guard variant.audio != nil, families.count > 1 else { return nil }
            return
                "CODECS has several audio formats (\(LintText.quoted(variant.attributes.audioFormats.map(\.text)))), "
                + "so clients that do not play one of them ignore the variant: use one group for each format, and one "
                + "EXT-X-STREAM-INF for each group"
        },
        variant(
            "apple-audio-muxed",
            .warning,
            "9.5",
            "audio should be separate from video"
        ) { variant, subject in
            guard variant.attributes.isVideo, !variant.attributes.audioFormats.isEmpty else { return nil }
            guard variant.audio == nil else { return nil }
            return "CODECS has \(LintText.quoted(variant.attributes.audioFormats.map(\.text))), but the variant has no "
                + "AUDIO, so its segments contain audio and video: declare the audio as EXT-X-MEDIA with a URI"
        },
        LintRule(
            "apple-alternative-audio-muxed",
            .error,
            .multivariant,
            section: "Apple 9.7",
            "alternative and multichannel audio must be separate from video",
            .multivariant { subject, findings in
                let sizes = subject.groups(.audio).mapValues(\.count)
                let withVideo = Set(subject.videoVariants.compactMap(\.variant.streamInf.audio))
                for (tag, line) in subject.renditions where tag.type == .audio && tag.uri == nil {
                    guard withVideo.contains(tag.groupID) else { continue }
                    let isMultichannel = tag.channelCount ?? 2 > 2
                    guard isMultichannel || sizes[tag.groupID] ?? 0 > 1 else { continue }
                    findings.report(
                        line,
                        "the rendition has no URI, so its audio is in the segments of the video, although it "
                            + (isMultichannel ? "has more than two channels" : "has alternatives in its group")
                            + ": package the audio separately, and write its URI"
                    )
                }
            }
        ),
    ]
}
