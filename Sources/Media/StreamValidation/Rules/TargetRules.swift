import HLSPlaylist

extension ValidationRule {
    /// Requirements that Apple's authoring specification has only for one target. ``RuleAmendment`` lists the general
    /// requirements that a target changes.
    static let targetRules: [ValidationRule] = [
        h264Level(.macos, "High Profile level 5.0", 50),
        h264Level(.tvos, "High Profile level 5.1", 51),
        target(
            "tvos-lowest-variant",
            .should,
            .tvos,
            "1.25",
            "The lowest variant of H.264, with 416x234 and 145 kbit/s, is not offered to tvOS.",
            advice: "Leave the variant out of the Multivariant Playlist for tvOS."
        ) { presentation, findings, place in
            for (variant, line) in presentation.declaredVariants {
                let attributes = variant.streamInf.attributes
                guard attributes.families.contains(.h264), let size = attributes.resolution, size.height <= 234,
                    attributes.averageBandwidth ?? attributes.bandwidth <= 200_000
                else { continue }
                findings.report(place(line), "The variant is for cellular networks.", measured: "\(size)")
            }
        },
        target(
            "tvos-audio-only-variant",
            .must,
            .tvos,
            "9.20",
            "No variant has only audio.",
            advice: "Leave the variant out of the Multivariant Playlist for tvOS."
        ) { presentation, findings, place in
            let variants = presentation.declaredVariants
            guard variants.contains(where: { $0.variant.streamInf.attributes.hasVideo }) else { return }
            for (variant, line) in variants where variant.streamInf.attributes.isAudioOnly {
                findings.report(place(line), "The variant has no video.")
            }
        },
        target(
            "ios-cellular-variant",
            .must,
            .ios,
            "9.21",
            "For cellular networks, a variant has a BANDWIDTH of at most 192 kbit/s.",
            advice: "Add a variant with 192 kbit/s or less, unless the content is not offered over cellular networks."
        ) { presentation, findings, place in
            let rates = presentation.declaredVariants.map { $0.variant.streamInf.attributes.bandwidth }
            guard let lowest = rates.min(), lowest > 192_000 else { return }
            findings.report(
                place(0),
                "The lowest BANDWIDTH is too high for slow cellular networks.",
                measured: rateText(Double(lowest)),
                limit: "192 kbit/s"
            )
        },
        target(
            "ios-cellular-variant-format",
            .should,
            .ios,
            "9.22",
            need: .initialization,
            "The variant for cellular networks is H.264 in transport streams, or audio.",
            advice: "Package the variant with at most 192 kbit/s as transport streams."
        ) { presentation, findings, place in
            for rendition in presentation.renditions {
                for (variant, line) in rendition.roles.variants
                where variant.streamInf.attributes.bandwidth <= 192_000 {
                    guard let format = rendition.formats.first(where: { $0.kind == .video }) else { continue }
                    guard format.container != .transportStream || format.sampleEntry != "avc1" else { continue }
                    findings.report(
                        place(line),
                        "The variant has another format.",
                        measured: "\(format.sampleEntry) in \(format.container.rawValue)",
                        limit: "avc1 in mpeg-ts"
                    )
                }
            }
        },
        // The general list and iOS, where 730 kbit/s is allowed for cellular networks, drop this rule.
        ValidationRule(
            "default-variant-rate",
            .should,
            "1.32",
            .playlist,
            "The first video variant of each audio group is the one nearest to 2000 kbit/s.",
            advice: "Move the variant with about 2000 kbit/s to the front."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            var groups: [String: [(rate: Double, line: Int)]] = [:]
            for (variant, line) in presentation.declaredVariants where variant.streamInf.attributes.hasVideo {
                let attributes = variant.streamInf.attributes
                groups[variant.streamInf.audio ?? "", default: []].append(
                    (Double(attributes.averageBandwidth ?? attributes.bandwidth), line)
                )
            }
            for members in groups.values.sorted(by: { $0[0].line < $1[0].line }) {
                let distance = abs(members[0].rate - 2_000_000)
                guard distance > 1_000_000, members.contains(where: { abs($0.rate - 2_000_000) < distance }) else {
                    continue
                }
                findings.report(
                    .init(name, line: members[0].line),
                    "Another variant of the group is nearer to the recommended rate.",
                    measured: rateText(members[0].rate),
                    limit: "2000 kbit/s"
                )
            }
        },
        target(
            "airplay2-subtitle-format",
            .must,
            .airplay2,
            "5.2",
            need: .initialization,
            "Subtitles are WebVTT.",
            advice: "Offer the subtitles as WebVTT too, for television sets."
        ) { presentation, findings, _ in
            for rendition in presentation.renditions {
                guard let format = rendition.formats.first(where: { $0.kind == .subtitles }),
                    format.container == .mp4, format.sampleEntry != "wvtt"
                else { continue }
                findings.report(
                    .init(rendition.name),
                    "The subtitles have another format.",
                    measured: format.sampleEntry,
                    limit: "WebVTT"
                )
            }
        },
        target(
            "airplay2-i-frame-codec",
            .must,
            .airplay2,
            "6.13",
            "I-frame playlists have the codec of a variant, or Motion JPEG.",
            advice: "Make the I-frame playlist from a variant that the presentation offers."
        ) { presentation, findings, place in
            let families = Set(presentation.declaredVariants.flatMap { $0.variant.streamInf.attributes.families })
            guard !families.isEmpty else { return }
            for (tag, line) in presentation.declaredIFrameVariants {
                let own = tag.attributes.codecs.filter { Codec($0).kind == .video }
                guard let other = own.first(where: { !families.contains(Codec($0).family) }) else { continue }
                findings.report(place(line), "No variant has the codec of the I-frame playlist.", measured: other)
            }
        },
        target(
            "airplay2-bit-rate-range",
            .should,
            .airplay2,
            "9.23",
            "The variants of each video codec and frame rate cover the full range of bit rates.",
            advice: "Add variants with lower bit rates: television sets change neither the codec nor the frame rate."
        ) { presentation, findings, place in
            var lowest: [LadderKey: (rate: UInt64, line: Int)] = [:]
            for (variant, line) in presentation.declaredVariants {
                let attributes = variant.streamInf.attributes
                guard let key = LadderKey(attributes), attributes.requiredVideoLayout.isEmpty else { continue }
                let rate = attributes.averageBandwidth ?? attributes.bandwidth
                if rate < lowest[key]?.rate ?? .max { lowest[key] = (rate, line) }
            }
            guard let least = lowest.values.map(\.rate).min() else { return }
            for (key, value) in lowest.sorted(by: { $0.value.line < $1.value.line }) where value.rate / 3 > least {
                findings.report(
                    place(value.line),
                    "The lowest bit rate of \(key.family.rawValue) with "
                        + "\(key.isFast ? "more than 30" : "30 or fewer") frames per second is more than three times that of the "
                        + "presentation.",
                    measured: rateText(Double(value.rate)),
                    limit: rateText(Double(least))
                )
            }
        },
        target(
            "airplay2-hdr-formats",
            .should,
            .airplay2,
            "9.24",
            "HDR is offered both as Dolby Vision and as HDR10.",
            advice: "Add variants in HDR10 (hvc1 with VIDEO-RANGE=PQ), or Dolby Vision."
        ) { presentation, findings, place in
            let variants = presentation.declaredVariants.map(\.variant.streamInf.attributes).filter {
                $0.videoRange == .pq
            }
            let formats = variants.flatMap { attributes in
                (attributes.codecs + attributes.supplementalCodecs).map { Codec($0).family }
            }
            guard !variants.isEmpty, formats.contains(.dolbyVision) != formats.contains(.hevc) else { return }
            findings.report(
                place(0),
                "HDR is offered in only one format.",
                measured: formats.contains(.dolbyVision) ? "Dolby Vision" : "HDR10"
            )
        },
    ]

    /// Creates a rule that one target has. The check gets a function that returns the place of a line of the
    /// Multivariant Playlist, and is not called without one.
    private static func target(
        _ id: RuleID,
        _ level: Level,
        _ target: ValidationTarget,
        _ section: String,
        need: Need = .playlist,
        _ summary: String,
        advice: String,
        _ check:
            @escaping @Sendable (
                MeasuredPresentation, inout ValidationFindings, (Int) -> ValidationFinding.Place
            ) -> Void
    ) -> ValidationRule {
        ValidationRule(
            id,
            level,
            "\(target.rawValue):\(section)@\(AuthoringRevision.june2025.rawValue)",
            need,
            summary,
            advice: advice
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            check(presentation, &findings) { ValidationFinding.Place(name, line: $0) }
        }
    }

    private static func h264Level(_ target: ValidationTarget, _ limit: String, _ level: Int) -> ValidationRule {
        Self.target(
            RuleID(rawValue: "\(target.rawValue)-h264-level"),
            .must,
            target,
            "1.3b",
            "H.264 has \(limit) or lower.",
            advice: "Encode the variant with a lower level, or leave it out for this target."
        ) { presentation, findings, place in
            for (variant, line) in presentation.declaredVariants {
                let codecs = variant.streamInf.attributes.codecs.map { Codec($0) }
                guard let high = codecs.first(where: { $0.family == .h264 && $0.level ?? 0 > level }) else { continue }
                findings.report(place(line), "The level is too high.", measured: high.text, limit: limit)
            }
        }
    }
}

/// The variants between which a television set can change.
private struct LadderKey: Hashable {
    let family: Codec.Family
    /// True for more than 30 frames per second.
    let isFast: Bool

    /// Creates the key of a variant; nil without a single video codec or FRAME-RATE.
    init?(_ attributes: VariantAttributes) {
        guard attributes.families.count == 1, let family = attributes.families.first, let rate = attributes.frameRate
        else {
            return nil
        }
        (self.family, isFast) = (family, rate > 30.5)
    }
}

extension VariantAttributes {
    /// The families of the video formats in CODECS.
    fileprivate var families: Set<Codec.Family> {
        Set(codecs.map { Codec($0) }.filter { $0.kind == .video }.map(\.family))
    }
    /// True if the tag has a video format or a RESOLUTION.
    fileprivate var hasVideo: Bool { resolution != nil || !families.isEmpty }
    /// True if CODECS is present and all its formats are known, and none is video.
    fileprivate var isAudioOnly: Bool {
        !codecs.isEmpty && !hasVideo && codecs.allSatisfy { Codec($0).kind == .audio }
    }
}

extension MeasuredPresentation {
    /// The variants in the order of the Multivariant Playlist, with the lines of their tags, whether their playlists could
    /// be loaded or not.
    fileprivate var declaredVariants: [(variant: Variant, line: Int)] {
        guard let multivariant else { return [] }
        return PlaylistReferences(multivariant).references.flatMap(\.roles.variants).sorted { $0.line < $1.line }
    }

    /// The I-frame variants in the order of the Multivariant Playlist, with the lines of their tags.
    fileprivate var declaredIFrameVariants: [(tag: IFrameStreamInfTag, line: Int)] {
        guard let multivariant else { return [] }
        return PlaylistReferences(multivariant).references.flatMap(\.roles.iFrameVariants).sorted { $0.line < $1.line }
    }
}
