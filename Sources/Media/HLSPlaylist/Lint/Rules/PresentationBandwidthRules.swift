extension LintRule {
    /// The rules that compare BANDWIDTH and AVERAGE-BANDWIDTH with the bit rates that byte ranges and EXT-X-BITRATE
    /// indicate.
    static let bandwidthRules: [LintRule] = [
        LintRule(
            "bandwidth-below-peak",
            .error,
            .presentation,
            section: "4.4.6.2",
            "BANDWIDTH of an EXT-X-STREAM-INF must be at least the peak segment bit rate of its Media Playlist",
            .presentation { subject, findings in
                for variant in VariantRates.all(subject) {
                    guard let peak = variant.own?.peak, peak >= Double(variant.attributes.bandwidth) + 1 else {
                        continue
                    }
                    findings.report(
                        subject.multivariant.file,
                        variant.line,
                        attribute: "BANDWIDTH",
                        other: LintFinding.Place(variant.media.file, nil),
                        "BANDWIDTH is \(variant.attributes.bandwidth), but the peak segment bit rate of "
                            + "\(MessageFormat.file(variant.media.file.name)) is \(VariantRates.text(peak)), by its byte "
                            + "ranges: correct BANDWIDTH"
                    )
                }
            }
        ),
        LintRule(
            "bandwidth-below-sum",
            .error,
            .presentation,
            section: "4.4.6.2",
            "BANDWIDTH must be at least the largest sum of the peak bit rates of a variant and its renditions",
            .presentation { subject, findings in
                for variant in VariantRates.all(subject) {
                    let bandwidth = Double(variant.attributes.bandwidth) + 1
                    // A peak of the variant alone above BANDWIDTH is a violation of `bandwidth-below-peak`.
                    guard let peak = variant.own?.peak, peak < bandwidth, let other = variant.renditions.first,
                        variant.sum(\.peak) >= bandwidth
                    else { continue }
                    findings.report(
                        subject.multivariant.file,
                        variant.line,
                        attribute: "BANDWIDTH",
                        other: LintFinding.Place(other.file, nil),
                        "BANDWIDTH is \(variant.attributes.bandwidth), but the sum of the peak bit rates of the variant "
                            + "and \(variant.renditionNames) is \(VariantRates.text(variant.sum(\.peak))), by their byte "
                            + "ranges: correct BANDWIDTH"
                    )
                }
            }
        ),
        LintRule(
            "average-bandwidth-too-low",
            .error,
            .presentation,
            section: "4.4.6.2",
            "AVERAGE-BANDWIDTH must be the largest sum of the average bit rates of a variant and its renditions",
            .presentation { subject, findings in
                for variant in VariantRates.all(subject) {
                    let sum = variant.sum(\.average)
                    // Apple's specification allows 10 percent.
                    guard let average = variant.attributes.averageBandwidth, variant.own != nil,
                        sum > Double(average) * 1.1 + 1
                    else { continue }
                    let names =
                        variant.renditions.isEmpty
                        ? "the average bit rate of \(MessageFormat.file(variant.media.file.name))"
                        : "the sum of the average bit rates of the variant and \(variant.renditionNames)"
                    findings.report(
                        subject.multivariant.file,
                        variant.line,
                        attribute: "AVERAGE-BANDWIDTH",
                        other: LintFinding.Place(variant.media.file, nil),
                        "AVERAGE-BANDWIDTH is \(average), but \(names) is \(VariantRates.text(sum)), by the byte ranges: "
                            + "correct AVERAGE-BANDWIDTH"
                    )
                }
            }
        ),
    ]
}

/// The bit rates of a variant and of its renditions with the highest rates.
private struct VariantRates {
    let attributes: VariantAttributes
    let line: PlaylistLine
    let media: MediaSubject
    /// The rates of the variant's own Media Playlist; nil when they are unknown.
    let own: BitRates?
    /// The rates of one rendition of each group.
    let renditions: [(file: LintFile, rates: BitRates)]

    func sum(_ rate: (BitRates) -> Double) -> Double {
        renditions.reduce(own.map(rate) ?? 0) { $0 + rate($1.rates) }
    }

    var renditionNames: String { renditions.map { MessageFormat.file($0.file.name) }.joined(separator: " and ") }

    static func text(_ rate: Double) -> String { "\(Decimal.text(rate.rounded(.up)) ?? "higher") bits per second" }

    /// Returns the variants whose Media Playlists can be read.
    static func all(_ subject: PresentationSubject) -> [VariantRates] {
        var known: [String: BitRates?] = [:]
        func rates(_ media: MediaSubject) -> BitRates? {
            if let rates = known[media.file.name] { return rates }
            let rates = BitRates(media)
            known[media.file.name] = .some(rates)
            return rates
        }
        // The two renditions of each group with the highest peaks, in case one is also the variant's own playlist.
        var groups: [String: [(file: LintFile, rates: BitRates)]] = [:]
        for reference in subject.references {
            guard case .rendition(let tag) = reference.role, tag.type == .audio || tag.type == .subtitles,
                let media = reference.media, let own = rates(media)
            else { continue }
            let key = "\(tag.type) \(tag.groupID)"
            guard groups[key]?.contains(where: { $0.file.name == media.file.name }) != true else { continue }
            let members = groups[key, default: []] + [(media.file, own)]
            groups[key] = Array(members.sorted { $0.rates.peak > $1.rates.peak }.prefix(2))
        }
        return subject.references.compactMap { reference in
            guard case .variant(let variant) = reference.role, let media = reference.media else { return nil }
            // If a variant has only audio, a rendition of its group is played instead of it.
            let isAudio = !variant.codecs.isEmpty && variant.codecs.allSatisfy { Codec.kind(of: $0) == .audio }
            let keys = [
                isAudio ? nil : variant.audio.map { "\(MediaTag.MediaType.audio) \($0)" },
                variant.subtitles.map { "\(MediaTag.MediaType.subtitles) \($0)" },
            ]
            return VariantRates(
                attributes: variant.streamInf.attributes,
                line: reference.line,
                media: media,
                own: rates(media),
                renditions: keys.compactMap { key in
                    key.flatMap { groups[$0] }?.first { $0.file.name != media.file.name }
                }
            )
        }
    }
}

/// The peak segment bit rate (section 4.1) and the average bit rate of a Media Playlist, in bits per second.
private struct BitRates {
    let peak: Double
    let average: Double

    /// Computes the rates from byte ranges, and otherwise from EXT-X-BITRATE, which may be ten percent too high. Nil
    /// when the playlist has no EXT-X-ENDLIST, when a segment has neither, or when no contiguous segments are long
    /// enough.
    init?(_ media: MediaSubject) {
        guard media.playlist.isEnded, let targetDuration = media.targetDuration, !media.segments.isEmpty else {
            return nil
        }
        var rate = PeakBitRate()
        var kilobits: UInt64?
        for segment in media.segments {
            for line in segment.tagLines { if case .tag(.bitrate(let value)) = line.content { kilobits = value } }
            if let range = segment.segment.byteRange {
                rate.append(duration: segment.segment.duration, byteCount: Double(range.length))
            } else if segment.segment.isGap {
                rate.append(duration: segment.segment.duration, byteCount: 0)
            } else if let kilobits {
                let bytes = Double(kilobits) * 900 / 8 * segment.segment.duration
                rate.append(duration: segment.segment.duration, byteCount: bytes)
            } else {
                return nil
            }
        }
        guard let peak = rate.rate(targetDuration: targetDuration), rate.seconds > 0 else { return nil }
        self.peak = peak
        average = rate.bitCount / rate.seconds
    }
}
