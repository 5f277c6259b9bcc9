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
    /// The peak segment bit rate in bits per second (section 4.1): the largest of any contiguous segments that last
    /// from half a Target Duration to one and a half and half a second. Nil when the playlist can still grow, when a
    /// segment has no byte range, or when no segments last that long.
    fileprivate var peakBitRate: Double? {
        guard playlist.isEnded, let targetDuration, !segments.isEmpty else { return nil }
        var times = [0.0]
        var bits = [0.0]
        for segment in segments {
            guard let range = segment.segment.byteRange else { return nil }
            times.append((times.last ?? 0) + segment.segment.duration)
            bits.append((bits.last ?? 0) + Double(range.length) * 8)
        }
        // Sums of binary fractions are not exact.
        let slack = 1e-6
        let sums = SegmentSums(
            times: times,
            bits: bits,
            shortest: targetDuration * 0.5 - slack,
            longest: targetDuration * 1.5 + 0.5 + slack
        )
        return sums.greatestRate
    }
}

/// Bits and seconds up to each segment.
private struct SegmentSums {
    let times: [Double]
    let bits: [Double]
    let shortest: Double
    let longest: Double

    /// The greatest rate of contiguous segments of an allowed length; nil when there are none.
    ///
    /// Which segments exceed a rate the most takes one pass to find. Their own rate is then the next one to exceed,
    /// until none do; a few passes suffice.
    var greatestRate: Double? {
        var rate: Double?
        for _ in 0..<64 {
            guard let next = rateOfMost(above: rate ?? 0) else { return rate }
            if let rate, next <= rate * (1 + 1e-12) { return rate }
            rate = next
        }
        return rate
    }

    /// The rate of the contiguous segments that have the most bits above what a rate would give them.
    private func rateOfMost(above rate: Double) -> Double? {
        func excess(_ index: Int) -> Double { bits[index] - rate * times[index] }
        // The possible beginnings, the one with the least excess first; a later one with less makes those before it
        // useless.
        var beginnings: [Int] = []
        var head = 0
        var next = 0
        var best: (excess: Double, rate: Double)?
        for end in times.indices {
            while next < end, times[next] <= times[end] - shortest {
                while beginnings.count > head, let last = beginnings.last, excess(last) >= excess(next) {
                    beginnings.removeLast()
                }
                beginnings.append(next)
                next += 1
            }
            while head < beginnings.count, times[beginnings[head]] < times[end] - longest { head += 1 }
            guard head < beginnings.count else { continue }
            let begin = beginnings[head]
            let gain = excess(end) - excess(begin)
            let seconds = times[end] - times[begin]
            if seconds > 0, gain > best?.excess ?? -.infinity {
                best = (gain, (bits[end] - bits[begin]) / seconds)
            }
        }
        return best?.rate
    }
}
