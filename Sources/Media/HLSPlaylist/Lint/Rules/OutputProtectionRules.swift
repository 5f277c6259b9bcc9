extension LintRule {
    /// The rules for output protection.
    static let hdcpRules: [LintRule] = [
        hdcp(
            "hdcp-level-missing",
            section: "Apple 13.5",
            "a protected variant in HD or above should have HDCP-LEVEL"
        ) { attributes, resolution in
            guard attributes.hdcpLevel == nil, resolution.isHD || resolution.isAboveHD else { return nil }
            let level = resolution.isAboveHD ? HDCPLevel.type1 : .type0
            return "protected video of \(resolution) has no HDCP-LEVEL: write HDCP-LEVEL=\(level)"
        },
        hdcp(
            "hdcp-level-too-low",
            section: "Apple 13.6",
            "a protected variant in HD should have at least HDCP-LEVEL=TYPE-0, and one above HD HDCP-LEVEL=TYPE-1"
        ) { attributes, resolution in
            guard let level = attributes.hdcpLevel, level != .type1 else { return nil }
            if resolution.isAboveHD {
                return
                    "protected video of \(resolution) is above HD and has HDCP-LEVEL=\(level): write HDCP-LEVEL=TYPE-1"
            }
            guard resolution.isHD, level == .none else { return nil }
            return "protected video of \(resolution) is HD and has HDCP-LEVEL=NONE: write HDCP-LEVEL=TYPE-0"
        },
        LintRule(
            "hdcp-levels-share-key",
            .warning,
            .presentation,
            section: "4.4.6.2",
            "variants with different HDCP-LEVELs should have different keys",
            .presentation { subject, findings in
                let sharing = KeySharing(subject)
                for (index, variant) in sharing.variants.enumerated() {
                    guard let (uri, other) = sharing.earlierUse(of: variant), other < index else { continue }
                    let earlier = sharing.variants[other]
                    findings.report(
                        subject.multivariant.file,
                        variant.line,
                        "the variant with HDCP-LEVEL=\(variant.level) shares the key \(MessageFormat.uri(uri)) with "
                            + "the variant on line "
                            + "\(earlier.line.number) with HDCP-LEVEL=\(earlier.level), so a client that may play "
                            + "only the lower level gets the key of the higher: use one key for each level"
                    )
                }
            }
        ),
    ]

    /// Returns a rule for protected variants. The Multivariant Playlist may indicate that a variant is protected, or
    /// only the keys of its Media Playlist may. In both cases, a violation is reported once.
    private static func hdcp(
        _ id: RuleID,
        section: String,
        _ summary: String,
        _ check: @escaping @Sendable (VariantAttributes, Resolution) -> String?
    ) -> LintRule {
        LintRule(
            id,
            .warning,
            .multivariant,
            section: section,
            summary,
            .several([
                .multivariant { subject, findings in
                    for (attributes, line) in subject.protectedVariants {
                        guard let resolution = attributes.resolution, let message = check(attributes, resolution) else {
                            continue
                        }
                        findings.report(line, message)
                    }
                },
                .presentation { subject, findings in
                    let isAnnounced = subject.multivariant.hasSessionDRMKey
                    let protected = Set(
                        subject.mediaPlaylists.filter { $0.file.keys.contains { $0.tag.isDRM } }.map(\.file.name)
                    )
                    for reference in subject.references {
                        guard let attributes = reference.role.attributes, !isAnnounced, !attributes.hasAllowedCPC,
                            let media = reference.media, protected.contains(media.file.name),
                            let resolution = attributes.resolution, let message = check(attributes, resolution)
                        else { continue }
                        findings.report(subject.multivariant.file, reference.line, message)
                    }
                },
            ])
        )
    }
}

/// The variants that have a key in common, computed in time proportional to the number of variants and keys.
private struct KeySharing {
    struct Member {
        let level: HDCPLevel
        let line: PlaylistLine
        let file: String
    }

    /// The variants whose Media Playlists can be read, in order.
    private(set) var variants: [Member] = []
    /// For each Media Playlist and level: a key that the first variant with another level also has, and the index of
    /// that variant.
    private var found: [String: [HDCPLevel: (uri: String, index: Int)]] = [:]

    init(_ subject: PresentationSubject) {
        var levels: [String: [HDCPLevel: Int]] = [:]
        for reference in subject.references {
            guard case .variant(let variant) = reference.role, let media = reference.media else { continue }
            let level = variant.streamInf.attributes.hdcpLevel ?? .none
            let file = media.file.name
            if levels[file]?[level] == nil { levels[file, default: [:]][level] = variants.count }
            variants.append(Member(level: level, line: reference.line, file: file))
        }
        // The first variant of each level that has a key.
        let files = subject.mediaPlaylists.filter { levels[$0.file.name] != nil }
        var first: [String: [HDCPLevel: Int]] = [:]
        for media in files {
            for uri in media.listedKeys.compactMap(\.uri) {
                first[uri, default: [:]].merge(levels[media.file.name] ?? [:]) { min($0, $1) }
            }
        }
        for media in files {
            var earliest: [HDCPLevel: (uri: String, index: Int)] = [:]
            for uri in media.listedKeys.compactMap(\.uri) {
                for (level, _) in levels[media.file.name] ?? [:] {
                    for (other, index) in first[uri] ?? [:]
                    where other != level && index < earliest[level]?.index ?? .max {
                        earliest[level] = (uri, index)
                    }
                }
            }
            found[media.file.name] = earliest
        }
    }

    /// Returns a key of a variant that a variant with another level also has, and the index of the first such variant.
    func earlierUse(of variant: Member) -> (uri: String, index: Int)? { found[variant.file]?[variant.level] }
}

extension VariantAttributes {
    /// The text of ALLOWED-CPC, whether well formed or malformed.
    var allowedCPCText: String? {
        allowedCPC?.description ?? otherAttributes.first { $0.name == "ALLOWED-CPC" }?.value
    }

    fileprivate var hasAllowedCPC: Bool { allowedCPCText != nil }
}

extension PresentationSubject.Role {
    /// The attributes of a variant or I-frame variant; nil for a rendition.
    var attributes: VariantAttributes? {
        switch self {
        case .variant(let variant): variant.streamInf.attributes
        case .iFrameVariant(let tag): tag.attributes
        case .rendition: nil
        }
    }
}

extension MultivariantSubject {
    /// The attributes of the variants and I-frame variants, with their lines.
    var allVariants: [(attributes: VariantAttributes, line: PlaylistLine)] {
        variants.map { ($0.variant.streamInf.attributes, $0.line) }
            + iFrameVariants.map { ($0.tag.attributes, $0.line) }
    }

    fileprivate var hasSessionDRMKey: Bool { file.keys.contains { $0.tag.isDRM } }

    /// The variants and I-frame variants that the Multivariant Playlist alone indicates to be protected.
    fileprivate var protectedVariants: [(attributes: VariantAttributes, line: PlaylistLine)] {
        let isAnnounced = hasSessionDRMKey
        return allVariants.filter { isAnnounced || $0.attributes.hasAllowedCPC }
    }
}
