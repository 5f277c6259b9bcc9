extension LintRule {
    /// What the byte ranges of a variant say about its bit rate.
    static let bandwidthRules: [LintRule] = [
        LintRule(
            "bandwidth-below-peak",
            .error,
            .presentation,
            section: "4.4.6.2",
            "BANDWIDTH of an EXT-X-STREAM-INF is not below the peak segment bit rate of its Media Playlist",
            .presentation { subject, findings in
                var peaks: [String: Double?] = [:]
                for reference in subject.references {
                    guard case .variant(let variant) = reference.role, let media = reference.media else { continue }
                    let known = peaks[media.file.name]
                    let peak = known ?? media.peakBitRate
                    if known == nil { peaks[media.file.name] = .some(peak) }
                    let bandwidth = variant.streamInf.attributes.bandwidth
                    // Fractions of a bit come from durations that are rounded.
                    guard let peak, peak >= Double(bandwidth) + 1 else { continue }
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        attribute: "BANDWIDTH",
                        "BANDWIDTH is \(bandwidth), but the byte ranges in \(ReadingContext.quoted(media.file.name)) have a peak of "
                            + "\(Decimal.text(peak.rounded(.up)) ?? "more") bits per second"
                    )
                }
            }
        )
    ]

    /// What stands in the Multivariant Playlist holds for the Media Playlists.
    static let inheritanceRules: [LintRule] = [
        LintRule(
            "start-in-both",
            .warning,
            .presentation,
            section: "4.4.2.2",
            "EXT-X-START of the Multivariant Playlist does not stand in Media Playlists again",
            .presentation { subject, findings in
                guard let start = subject.multivariant.playlist.start else { return }
                for media in subject.mediaPlaylists {
                    guard let own = media.playlist.start, own.hasValues(of: start) else { continue }
                    findings.report(
                        media.file,
                        media.file.line(of: .start),
                        "EXT-X-START stands in the Multivariant Playlist already, and holds from there: remove one"
                    )
                }
            }
        ),
        LintRule(
            "start-values-differ",
            .error,
            .presentation,
            section: "4.4.2.2",
            "EXT-X-START of a Media Playlist has the values of that in the Multivariant Playlist",
            .presentation { subject, findings in
                guard let start = subject.multivariant.playlist.start else { return }
                for media in subject.mediaPlaylists {
                    guard let own = media.playlist.start, !own.hasValues(of: start) else { continue }
                    findings.report(
                        media.file,
                        media.file.line(of: .start),
                        "EXT-X-START is \(own.shown), but \(start.shown) in the Multivariant Playlist, which clients follow: "
                            + "remove one"
                    )
                }
            }
        ),
        LintRule(
            "independent-segments-in-both",
            .warning,
            .presentation,
            section: "4.4.2.1",
            "EXT-X-INDEPENDENT-SEGMENTS of the Multivariant Playlist does not stand in Media Playlists again",
            .presentation { subject, findings in
                guard subject.multivariant.playlist.isIndependentSegments else { return }
                for media in subject.mediaPlaylists where media.playlist.isIndependentSegments {
                    findings.report(
                        media.file,
                        media.file.line(of: .independentSegments),
                        "EXT-X-INDEPENDENT-SEGMENTS stands in the Multivariant Playlist already, and holds from there: remove one"
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
    /// The peak segment bit rate in bits per second (section 4.1). Nil when the playlist can still grow, when a segment
    /// has no byte range, or when no segments last long enough.
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
