import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about dynamic range, Dolby Vision and stereo video.
    static let videoFormatRules: [ValidationRule] = [
        .rendition(
            "hdr10-metadata-missing",
            .should,
            "1.35",
            .media,
            "HDR10 has the mastering display and the content light level.",
            advice: "Let the encoder write both messages, and the packager mdcv and clli."
        ) { rendition, findings in
            guard let format = rendition.hdr10Format, !rendition.hasHDRMetadataInPictures,
                !format.details.hasMasteringDisplay || !format.details.hasContentLightLevel
            else { return }
            findings.report(
                .init(rendition.name),
                format.details.hasMasteringDisplay
                    ? "The video has no content light level."
                    : format.details.hasContentLightLevel
                        ? "The video has no mastering display."
                        : "The video has neither mastering display nor content light level."
            )
        },
        .rendition(
            "hdr10-metadata-in-pictures",
            .should,
            "1.8",
            .media,
            "The static metadata of HDR10 are in the sample entry, and not in pictures.",
            advice: "Let the packager copy both messages to hvcC, or to mdcv and clli."
        ) { rendition, findings in
            guard let format = rendition.hdr10Format, rendition.hasHDRMetadataInPictures,
                !format.details.hasMasteringDisplay
            else { return }
            findings.report(.init(rendition.name), "Only the pictures carry the mastering display.")
        },
        .rendition(
            "dolby-vision-profile",
            .must,
            "1.9",
            .initialization,
            "Dolby Vision has profile 5, 8, 10 or 20, and level 7 or lower.",
            advice: "Encode with profile 5, or with profile 8.1 or 8.4 over HDR10 or HLG."
        ) { rendition, findings in
            for format in rendition.formats {
                guard let vision = format.details.dolbyVision else { continue }
                if ![5, 8, 10, 20].contains(vision.profile) {
                    findings.report(
                        .init(rendition.name),
                        "Apple's devices do not play the profile of Dolby Vision.",
                        measured: "profile \(vision.profile)",
                        limit: "profile 5, 8, 10 or 20"
                    )
                } else if vision.level > 7 {
                    findings.report(
                        .init(rendition.name),
                        "The level of Dolby Vision is too high for some devices.",
                        measured: "level \(vision.level)",
                        limit: "level 7",
                        level: vision.level > 9 ? .must : .should
                    )
                }
            }
        },
        ValidationRule(
            "supplemental-codecs-differ",
            .must,
            "1.9",
            .initialization,
            "SUPPLEMENTAL-CODECS of a variant is the Dolby Vision of its media over a base layer.",
            advice: "Write SUPPLEMENTAL-CODECS with the profile, the level and the brand of the media."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                let declared = variant.streamInf.attributes.supplementalCodecs
                for format in formats {
                    guard let actual = format.details.dolbyVision?.supplementalCodecs,
                        !declared.contains(where: { $0.lowercased() == actual.lowercased() })
                    else { continue }
                    let others = declared.filter { SupplementalCodec($0).codec.family == .dolbyVision }
                    findings.report(
                        place,
                        others.isEmpty
                            ? "The media have Dolby Vision, and SUPPLEMENTAL-CODECS does not declare it: players show only "
                                + "the base layer."
                            : "SUPPLEMENTAL-CODECS is not the Dolby Vision of the media.",
                        measured: actual,
                        limit: others.isEmpty ? nil : others.joined(separator: ","),
                        level: others.isEmpty ? .should : .must
                    )
                }
            }
        },
        ValidationRule(
            "color-spaces-differ",
            .should,
            "1.21",
            .initialization,
            "Video of one dynamic range has one color space.",
            advice: "Convert all variants of a dynamic range to one color space."
        ) { presentation, findings in
            var known: [DynamicRange: UInt8] = [:]
            for rendition in presentation.variants {
                for format in rendition.formats where format.kind == .video {
                    // Code point 2 is unspecified.
                    guard let range = format.dynamicRange, let primaries = format.details.color?.primaries,
                        primaries != 2
                    else { continue }
                    guard let first = known[range] else {
                        known[range] = primaries
                        continue
                    }
                    guard first != primaries else { continue }
                    findings.report(
                        .init(rendition.name),
                        "The color primaries are not those of the first \(range.rawValue) variant.",
                        measured: "primaries \(primaries)",
                        limit: "primaries \(first)"
                    )
                }
            }
        },
        .rendition(
            "stereo-without-vexu",
            .must,
            "16.2",
            .initialization,
            "The sample entry of stereo video has a vexu box.",
            advice: "Let the packager write vexu: players cannot tell the views apart."
        ) { rendition, findings in
            guard rendition.formats.contains(where: { $0.details.isStereo && !$0.details.hasExtendedUsage }) else {
                return
            }
            findings.report(.init(rendition.name), "The video has two views (MV-HEVC), and no vexu box.")
        },
        ValidationRule(
            "video-layout-undeclared",
            .must,
            "16.1",
            .initialization,
            "Variants with stereo video have REQ-VIDEO-LAYOUT.",
            advice: "Write REQ-VIDEO-LAYOUT=\"CH-STEREO\"."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                guard formats.contains(where: \.details.isStereo),
                    variant.streamInf.attributes.requiredVideoLayout.isEmpty
                else { return }
                findings.report(place, "The video has two views (MV-HEVC), and REQ-VIDEO-LAYOUT is missing.")
            }
        },
        ValidationRule(
            "video-layout-mono-undeclared",
            .must,
            "16.5",
            .initialization,
            "REQ-VIDEO-LAYOUT of video that is partly stereo has an entry CH-MONO.",
            advice: "Add CH-MONO to REQ-VIDEO-LAYOUT."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for rendition in presentation.renditions {
                let videos = rendition.formats.filter { $0.kind == .video }
                guard videos.contains(where: \.details.isStereo), !videos.allSatisfy(\.details.isStereo) else {
                    continue
                }
                for (variant, line) in rendition.roles.variants {
                    let layout = variant.streamInf.attributes.requiredVideoLayout
                    guard !layout.isEmpty, !layout.contains(where: { $0.split(separator: "/").contains("CH-MONO") })
                    else { continue }
                    findings.report(
                        .init(name, line: line),
                        "Parts of the video are not stereo, and REQ-VIDEO-LAYOUT does not have CH-MONO.",
                        measured: layout.joined(separator: ",")
                    )
                }
            }
        },
        .rendition(
            "level-too-high",
            .must,
            "1.3",
            .initialization,
            "H.264 has level 5.2 or lower, HEVC 5.1, AV1 6.2.",
            advice: "Encode with a lower level; macOS plays H.264 to 5.0, and tvOS to 5.1."
        ) { rendition, findings in
            // The linter judges the level in CODECS, and codecs-differ compares it with that of the media.
            guard rendition.roles.isEmpty else { return }
            for format in rendition.formats where format.kind == .video {
                let codec = Codec(format.codecs)
                let limit: (level: Int, name: String)? =
                    switch codec.family {
                    case .h264: (52, "level 5.2")
                    case .hevc: (153, "level 5.1")
                    case .av1: (18, "level 6.2")
                    default: nil
                    }
                // Stereo video and its higher levels have a ladder of their own.
                guard let limit, let level = codec.level, level > limit.level, !format.details.isStereo else {
                    continue
                }
                findings.report(
                    .init(rendition.name),
                    "The level of the \(codec.family.rawValue) video is too high.",
                    measured: format.codecs,
                    limit: limit.name
                )
            }
        },
    ]
}

extension MeasuredRendition {
    /// The format of HDR10 video, with or without Dolby Vision over it; nil for other formats.
    fileprivate var hdr10Format: TrackFormat? {
        guard !isIFrames else { return nil }
        return formats.first { format in
            guard format.kind == .video, format.dynamicRange == .pq else { return false }
            return format.details.dolbyVision.map { $0.supplementalCodecs != nil } ?? true
        }
    }

    fileprivate var hasHDRMetadataInPictures: Bool {
        measured.contains { $0.measurement.tracks.contains(where: \.hasStaticHDRMetadata) }
    }
}
