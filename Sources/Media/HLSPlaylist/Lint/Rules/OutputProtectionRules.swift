extension LintRule {
    /// Output protection.
    static let hdcpRules: [LintRule] = [
        hdcp(
            "hdcp-level-missing",
            section: "Apple 13.5",
            "a protected variant in HD or above says which HDCP-LEVEL it needs"
        ) { attributes, resolution in
            guard attributes.hdcpLevel == nil, resolution.isHD || resolution.isAboveHD else { return nil }
            let level = resolution.isAboveHD ? HDCPLevel.type1 : .type0
            return "protected video of \(resolution) has no HDCP-LEVEL: write HDCP-LEVEL=\(level)"
        },
        hdcp(
            "hdcp-level-too-low",
            section: "Apple 13.6",
            "a protected variant in HD needs HDCP-LEVEL=TYPE-0 at least, above HD TYPE-1"
        ) { attributes, resolution in
            guard let level = attributes.hdcpLevel, level != .type1 else { return nil }
            if resolution.isAboveHD {
                return "protected video of \(resolution), above HD, needs HDCP-LEVEL=TYPE-1, not \(level)"
            }
            guard resolution.isHD, level == .none else { return nil }
            return "protected video of \(resolution), HD, needs HDCP-LEVEL=TYPE-0, not NONE"
        },
        LintRule(
            "hdcp-levels-share-key",
            .warning,
            .presentation,
            section: "4.4.6.2",
            "variants with different HDCP-LEVELs have different keys: otherwise the lower level opens the higher",
            .presentation { subject, findings in
                let sharing = KeySharing(subject)
                for (place, variant) in sharing.variants.enumerated() {
                    guard let (uri, other) = sharing.earlierUse(of: variant), other < place else { continue }
                    let earlier = sharing.variants[other]
                    findings.report(
                        subject.multivariant.file,
                        variant.line,
                        "HDCP-LEVEL=\(variant.level) shares the key \(Shown.uri(uri)) with the variant at line \(earlier.line.number), "
                            + "HDCP-LEVEL=\(earlier.level): whoever may play the lower has the key of the higher; use one key for each"
                    )
                }
            }
        ),
    ]

    /// A rule about protected variants. That a variant is protected may be known from the Multivariant Playlist, or
    /// only from the keys of its Media Playlist; it is reported in one of the two cases.
    private static func hdcp(
        _ id: RuleID,
        section: String,
        _ summary: String,
        _ judge: @escaping @Sendable (VariantAttributes, Resolution) -> String?
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
                        guard let resolution = attributes.resolution, let message = judge(attributes, resolution) else {
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
                            let resolution = attributes.resolution, let message = judge(attributes, resolution)
                        else { continue }
                        findings.report(subject.multivariant.file, reference.line, message)
                    }
                },
            ])
        )
    }
}

/// Which variants have a key in common, in time proportional to variants and keys.
private struct KeySharing {
    struct Member {
        let level: HDCPLevel
        let line: PlaylistLine
        let file: String
    }

    /// The variants whose Media Playlists can be read, in order.
    private(set) var variants: [Member] = []
    /// For each Media Playlist and level: a key that the first variant with another level has, and the place of that
    /// variant.
    private var found: [String: [HDCPLevel: (uri: String, place: Int)]] = [:]

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
            var earliest: [HDCPLevel: (uri: String, place: Int)] = [:]
            for uri in media.listedKeys.compactMap(\.uri) {
                for (level, _) in levels[media.file.name] ?? [:] {
                    for (other, place) in first[uri] ?? [:]
                    where other != level && place < earliest[level]?.place ?? .max {
                        earliest[level] = (uri, place)
                    }
                }
            }
            found[media.file.name] = earliest
        }
    }

    /// A key of a variant that one of another level has too, and the place of the first such one.
    func earlierUse(of variant: Member) -> (uri: String, place: Int)? { found[variant.file]?[variant.level] }
}

extension VariantAttributes {
    /// ALLOWED-CPC as written, malformed or not.
    var allowedCPCText: String? {
        allowedCPC?.description ?? otherAttributes.first { $0.name == "ALLOWED-CPC" }?.value
    }

    fileprivate var hasAllowedCPC: Bool { allowedCPCText != nil }
}

extension PresentationSubject.Role {
    /// What a variant or I-frame variant declares; nil for a rendition.
    var attributes: VariantAttributes? {
        switch self {
        case .variant(let variant): variant.streamInf.attributes
        case .iFrameVariant(let tag): tag.attributes
        case .rendition: nil
        }
    }
}

extension MultivariantSubject {
    /// What variants and I-frame variants declare, with their lines.
    var allVariants: [(attributes: VariantAttributes, line: PlaylistLine)] {
        variants.map { ($0.variant.streamInf.attributes, $0.line) }
            + iFrameVariants.map { ($0.tag.attributes, $0.line) }
    }

    fileprivate var hasSessionDRMKey: Bool { file.keys.contains { $0.tag.isDRM } }

    /// The variants and I-frame variants that this playlist alone shows to be protected.
    fileprivate var protectedVariants: [(attributes: VariantAttributes, line: PlaylistLine)] {
        let isAnnounced = hasSessionDRMKey
        return allVariants.filter { isAnnounced || $0.attributes.hasAllowedCPC }
    }
}
