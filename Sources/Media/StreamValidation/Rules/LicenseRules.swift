import HLSPlaylist

extension ValidationRule {
    /// Rules that compare what licenses require with what the playlists declare.
    static let licenseRules: [ValidationRule] = [
        ValidationRule(
            "lic-hdcp",
            .must,
            "8216bis:4.4.6.2",
            .decryptedMedia,
            "The HDCP level of a license is that of HDCP-LEVEL.",
            advice: "Write the level of the license into HDCP-LEVEL, or change the policy of the key."
        ) { presentation, findings in
            for use in presentation.licenseUses {
                let declared = use.variant.hdcpLevel
                let limit = declared?.rawValue ?? "no HDCP-LEVEL"
                let differing = use.key.grants.filter { grant in
                    grant.license.facts.map { Self.compare($0.hdcp, declared, isAudio: use.isAudio) != nil } ?? false
                }
                for (level, classes) in grouped(
                    differing,
                    by: { $0.license.facts?.hdcp?.rawValue ?? "the default, TYPE-0" }
                ) {
                    let facts = differing.first { $0.deviceClass == classes.first }?.license.facts
                    let isHigher = Self.compare(facts?.hdcp, declared, isAudio: use.isAudio) == true
                    findings.report(
                        use.place,
                        "The license of \(use.key.id.printedURI) requires a \(isHigher ? "higher" : "lower") HDCP level than "
                            + "the variant declares\(text(classes)): players "
                            + (isHigher
                                ? "choose the variant, and then show nothing." : "reject the variant without need."),
                        measured: level,
                        limit: limit,
                        level: isHigher ? .must : .should
                    )
                }
            }
        },
        ValidationRule(
            "lic-cpc",
            .must,
            "8216bis:4.4.6.2",
            .decryptedMedia,
            "The security level of a license is that of ALLOWED-CPC.",
            advice:
                "Write the labels of the license's security level into ALLOWED-CPC, or change the policy of the key."
        ) { presentation, findings in
            for use in presentation.licenseUses {
                let labels = use.variant.allowedCPC?[.fairPlay]
                let allowsBaseline = labels.map { $0.contains { $0.hasSuffix("Baseline") } } ?? true
                let granted = use.key.grants.filter { $0.license.facts != nil }
                let limit = labels?.joined(separator: "/") ?? "no ALLOWED-CPC"
                let main = granted.filter { $0.license.facts?.securityLevel == "Main" }
                if allowsBaseline, !main.isEmpty {
                    let refused = main.filter { $0.license.failure != nil }
                    findings.report(
                        use.place,
                        "The license of \(use.key.id.printedURI) requires the security level Main"
                            + "\(text(main.compactMap(\.deviceClass))), but the variant is declared for all devices"
                            + (refused.isEmpty
                                ? "." : "; the key is refused\(text(refused.compactMap(\.deviceClass)))."),
                        measured: "Main",
                        limit: limit,
                        level: refused.isEmpty ? .must : .critical
                    )
                }
                let lower = granted.filter { $0.license.facts?.securityLevel != "Main" }
                if !allowsBaseline, !lower.isEmpty, !use.isAudio {
                    findings.report(
                        use.place,
                        "The license of \(use.key.id.printedURI) does not require the security level Main"
                            + "\(text(lower.compactMap(\.deviceClass))), but ALLOWED-CPC excludes devices with Baseline.",
                        measured: lower[0].license.facts?.securityLevel ?? "no security level",
                        limit: limit,
                        level: .should
                    )
                }
            }
        },
        ValidationRule(
            "lic-lease",
            .must,
            "8216bis:6.3.3",
            .decryptedMedia,
            "A license lasts as long as it is needed, or can be renewed in time.",
            advice: "Lengthen the lease in the policy of the key, or allow its renewal."
        ) { presentation, findings in
            for key in presentation.keys {
                let isLimited = key.grants.contains { grant in
                    grant.license.facts.map { $0.lease > 0 || $0.rental > 0 } ?? false
                }
                guard isLimited else { continue }
                let need = presentation.duration(of: key)
                for (message, classes) in grouped(key.grants, by: { problem($0.license.facts, need) ?? "" }) {
                    guard !message.isEmpty else { continue }
                    let isCritical = message.contains("not renewed")
                    findings.report(
                        .init(key.place.playlist, line: key.place.line),
                        "The license of \(key.id.printedURI)\(text(classes)) \(message)",
                        level: isCritical ? .critical : .must
                    )
                }
            }
        },
        ValidationRule(
            "lic-offline",
            .must,
            "8216bis:4.4.4.4",
            .decryptedMedia,
            "The keys of a presentation for downloads are available as persistent keys.",
            advice: "Allow persistent keys in the policy of the key."
        ) { presentation, findings in
            for key in presentation.keys {
                let refused = key.grants.filter {
                    $0.persistent.map { $0.failure != nil && !$0.isUnsupported } ?? false
                }
                for (reason, classes) in grouped(refused, by: { $0.persistent?.failure ?? "" }) {
                    findings.report(
                        .init(key.place.playlist, line: key.place.line),
                        "The key \(key.id.printedURI) is not available as a persistent key\(text(classes)): \(reason)."
                    )
                }
            }
        },
        ValidationRule(
            "lic-lead",
            .must,
            "8216bis:4.4.6.5",
            .decryptedMedia,
            "The key of an EXT-X-SESSION-KEY is available before a playlist refers to it.",
            advice: "Register the key before it is announced, or remove the EXT-X-SESSION-KEY."
        ) { presentation, findings in
            for key in presentation.keys where key.isAhead {
                let refused = key.grants.filter { $0.license.failure != nil }
                for (reason, classes) in grouped(refused, by: { $0.license.failure ?? "" }) {
                    findings.report(
                        key.place,
                        "The key \(key.id.printedURI) of EXT-X-SESSION-KEY is not available yet\(text(classes)): \(reason)."
                    )
                }
            }
        },
    ]

    /// Compares the HDCP level of a license with that of the playlist: true if it is higher, false if it is lower; nil if both
    /// agree. Without a level in the license, devices enforce Type 0; without one in the playlist, Type 0 is expected.
    private static func compare(_ license: HDCPLevel?, _ declared: HDCPLevel?, isAudio: Bool) -> Bool? {
        func rank(_ level: HDCPLevel) -> Int? { [.none: 0, .type0: 1, .type1: 2][level] }
        guard let own = rank(license ?? .type0), let other = rank(declared ?? .type0) else { return nil }
        // The default of audio keys is no requirement of a policy.
        if own > other { return isAudio && license == nil ? nil : true }
        return own < other && declared != nil && !isAudio ? false : nil
    }

    /// Returns the problem with the durations of a license, as the rest of a sentence; nil if they are sufficient.
    private static func problem(_ facts: LicenseFacts?, _ need: (period: Double, least: Double)) -> String? {
        guard let facts else { return nil }
        let least = "\(rounded(need.least)) s, three Target Durations."
        if facts.lease > 0, facts.isRenewable == false, Double(facts.lease) < need.period {
            return "ends after \(facts.lease) s and is not renewed, but its key is used for \(rounded(need.period)) s."
        }
        if facts.lease > 0, Double(facts.lease) < need.least {
            return "has a lease of \(facts.lease) s, shorter than \(least)"
        }
        guard facts.rental > 0, Double(facts.rental) < need.least else { return nil }
        return "must be used within \(facts.rental) s, shorter than \(least)"
    }

    private static func rounded(_ seconds: Double) -> Int { Int(min(max(seconds, 0), 1e9).rounded()) }

    /// Groups licenses by a text, in the order of the device classes.
    static func grouped(
        _ grants: [MeasuredKey.Grant],
        by text: (MeasuredKey.Grant) -> String
    ) -> [(text: String, classes: [String])] {
        var result: [(text: String, classes: [String])] = []
        for grant in grants {
            let key = text(grant)
            let index = result.firstIndex { $0.text == key } ?? result.count
            if index == result.count { result.append((key, [])) }
            if let name = grant.deviceClass { result[index].classes.append(name) }
        }
        return result
    }

    /// Returns the device classes as a part of a sentence; empty without device classes.
    static func text(_ classes: [String]) -> String {
        classes.isEmpty ? "" : " for \(classes.joined(separator: ", "))"
    }
}

/// A license and a variant that plays with it.
private struct LicenseUse {
    let key: MeasuredKey
    let variant: VariantAttributes
    let place: ValidationFinding.Place
    /// True if the key is only that of the audio of the variant.
    let isAudio: Bool
}

extension MeasuredPresentation {
    /// The licenses with the variants that play with them.
    fileprivate var licenseUses: [LicenseUse] {
        guard let file = multivariant else { return [] }
        let licensed = keys.filter { key in key.grants.contains { $0.license.facts != nil } }
        let uses = Dictionary(
            renditions.map { rendition in (rendition.name, Set(rendition.keyIDs)) },
            uniquingKeysWith: { $0.union($1) }
        )
        var result: [LicenseUse] = []
        for key in licensed {
            for rendition in variants {
                for (variant, line) in rendition.roles.variants {
                    let isOwn = uses[rendition.name]?.contains(key.id) == true
                    let isAudio = audio(of: variant).contains { uses[$0.name]?.contains(key.id) == true }
                    guard isOwn || isAudio else { continue }
                    result.append(
                        LicenseUse(
                            key: key,
                            variant: variant.streamInf.attributes,
                            place: .init(file.name, line: line),
                            isAudio: !isOwn
                        )
                    )
                }
            }
            for rendition in renditions where uses[rendition.name]?.contains(key.id) == true {
                for (tag, line) in rendition.roles.iFrameVariants {
                    result.append(
                        LicenseUse(
                            key: key,
                            variant: tag.attributes,
                            place: .init(file.name, line: line),
                            isAudio: false
                        )
                    )
                }
            }
        }
        return result
    }

    /// Returns the time in seconds for which a key is used, and the least useful duration of a license: three Target
    /// Durations.
    fileprivate func duration(of key: MeasuredKey) -> (period: Double, least: Double) {
        var (period, least) = (0.0, 0.0)
        for rendition in renditions where !rendition.isIFrames {
            let own = rendition.segments.filter { segment in
                segment.keys.keys.contains { MeasuredKey.ID($0, playlist: rendition.name, keyID: nil) == key.id }
            }
            guard !own.isEmpty else { continue }
            period = max(period, own.reduce(0) { $0 + max(0, $1.duration) })
            least = max(least, 3 * Double(rendition.playlist.targetDuration))
        }
        return (period, least)
    }
}

extension MeasuredRendition {
    /// The identities of the keys of all segments, without key IDs.
    fileprivate var keyIDs: [MeasuredKey.ID] {
        segments.flatMap { segment in segment.keys.keys.map { MeasuredKey.ID($0, playlist: name, keyID: nil) } }
    }
}
