extension LintRule {
    /// The rules that compare BANDWIDTH with the bit rate that the byte ranges of a variant indicate.
    static let bandwidthRules: [LintRule] = [
        LintRule(
            "bandwidth-below-peak",
            .error,
            .presentation,
            section: "4.4.6.2",
            "BANDWIDTH of an EXT-X-STREAM-INF must be at least the peak segment bit rate of its Media Playlist",
            .presentation { subject, findings in
                var peaks: [String: Double?] = [:]
                for reference in subject.references {
                    guard case .variant(let variant) = reference.role, let media = reference.media else { continue }
                    let known = peaks[media.file.name]
                    let peak = known ?? media.peakBitRate
                    if known == nil { peaks[media.file.name] = .some(peak) }
                    let bandwidth = variant.streamInf.attributes.bandwidth
                    // Rounded durations cause differences of less than one bit per second.
                    guard let peak, peak >= Double(bandwidth) + 1 else { continue }
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        attribute: "BANDWIDTH",
                        "BANDWIDTH is \(bandwidth), but the peak segment bit rate of "
                            + "\(ReadingContext.quoted(media.file.name)) is "
                            + "\(Decimal.text(peak.rounded(.up)) ?? "higher") bits per second, by its byte ranges: "
                            + "correct BANDWIDTH"
                    )
                }
            }
        )
    ]

    /// The rules for tags of the Multivariant Playlist that apply to its Media Playlists too.
    static let inheritanceRules: [LintRule] = [
        LintRule(
            "start-in-both",
            .warning,
            .presentation,
            section: "4.4.2.2",
            "Media Playlists should not repeat EXT-X-START of the Multivariant Playlist",
            .presentation { subject, findings in
                guard let start = subject.multivariant.playlist.start else { return }
                for media in subject.mediaPlaylists {
                    guard let own = media.playlist.start, own.hasValues(of: start) else { continue }
                    findings.report(
                        media.file,
                        media.file.line(of: .start),
                        "EXT-X-START is also in the Multivariant Playlist, and applies to all Media Playlists: remove "
                            + "one of the two"
                    )
                }
            }
        ),
        LintRule(
            "start-values-differ",
            .error,
            .presentation,
            section: "4.4.2.2",
            "EXT-X-START of a Media Playlist must have the same values as in the Multivariant Playlist",
            .presentation { subject, findings in
                guard let start = subject.multivariant.playlist.start else { return }
                for media in subject.mediaPlaylists {
                    guard let own = media.playlist.start, !own.hasValues(of: start) else { continue }
                    findings.report(
                        media.file,
                        media.file.line(of: .start),
                        "EXT-X-START is \(own.shown), but \(start.shown) in the Multivariant Playlist, which clients "
                            + "use: remove one of the two"
                    )
                }
            }
        ),
        LintRule(
            "independent-segments-in-both",
            .warning,
            .presentation,
            section: "4.4.2.1",
            "Media Playlists should not repeat EXT-X-INDEPENDENT-SEGMENTS of the Multivariant Playlist",
            .presentation { subject, findings in
                guard subject.multivariant.playlist.isIndependentSegments else { return }
                for media in subject.mediaPlaylists where media.playlist.isIndependentSegments {
                    findings.report(
                        media.file,
                        media.file.line(of: .independentSegments),
                        "EXT-X-INDEPENDENT-SEGMENTS is also in the Multivariant Playlist, and applies to all Media "
                            + "Playlists: remove one of the two"
                    )
                }
            }
        ),
    ]
}

extension StartTag {
    fileprivate func hasValues(of other: StartTag) -> Bool {
        timeOffset == other.timeOffset && (isPrecise ?? false) == (other.isPrecise ?? false)
    }

    fileprivate var shown: String {
        "TIME-OFFSET=\(Decimal.text(timeOffset) ?? "?"),PRECISE=\(isPrecise == true ? "YES" : "NO")"
    }
}

extension MediaSubject {
    /// The peak segment bit rate in bits per second (section 4.1). Nil when the playlist has no EXT-X-ENDLIST, when a
    /// segment has no byte range, or when no contiguous segments are long enough.
    fileprivate var peakBitRate: Double? {
        guard playlist.isEnded, let targetDuration, !segments.isEmpty else { return nil }
        var peak = PeakBitRate()
        for segment in segments {
            guard let range = segment.segment.byteRange else { return nil }
            peak.append(duration: segment.segment.duration, byteCount: Double(range.length))
        }
        return peak.rate(targetDuration: targetDuration)
    }
}
