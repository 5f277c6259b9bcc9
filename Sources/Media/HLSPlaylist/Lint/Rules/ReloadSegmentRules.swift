extension LintRule {
    /// The rules for properties of a segment that must not change between snapshots.
    static let reloadSegmentRules: [LintRule] = [
        LintRule(
            "reload-segment-changed",
            .error,
            .reload,
            section: "6.3.4",
            "a Media Sequence Number must refer to the same bytes in every snapshot",
            .reload { subject, findings in
                guard let pair = subject.firstPair(where: { !$0.before.isSameResource(as: $0.after) }) else { return }
                findings.report(pair.lines?.uriLine, change(from: pair.before, to: pair.after))
            }
        ),
        LintRule(
            "reload-duration-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the duration of a segment must not change",
            .reload { subject, findings in
                let pair = subject.firstPair {
                    $0.before.isSameResource(as: $0.after) && $0.before.duration != $0.after.duration
                }
                guard let pair else { return }
                findings.report(
                    pair.lines?.lastLine(of: .inf),
                    "EXTINF changed from \(pair.before.duration) s in the previous snapshot to \(pair.after.duration) s"
                )
            }
        ),
        LintRule(
            "reload-key-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the keys of an encrypted segment must not change",
            .reload { subject, findings in
                let pair = subject.firstPair {
                    !$0.before.keys.isEmpty && !$0.after.keys.isEmpty && $0.before.keys != $0.after.keys
                }
                guard let pair else { return }
                findings.report(
                    pair.lines?.uriLine,
                    "the EXT-X-KEY tags that apply to this segment differ from those in the previous snapshot"
                )
            }
        ),
        LintRule(
            "reload-key-removed",
            .error,
            .reload,
            section: "6.2.3",
            "an EXT-X-KEY must not be removed while segments to which it applies remain",
            .reload { subject, findings in
                guard let pair = subject.firstPair(where: { !$0.before.keys.isEmpty && $0.after.keys.isEmpty }) else {
                    return
                }
                findings.report(
                    pair.lines?.uriLine,
                    "this segment was encrypted, but no EXT-X-KEY applies to it anymore: repeat the tag before the "
                        + "first segment"
                )
            }
        ),
        LintRule(
            "reload-map-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the EXT-X-MAP of a segment must not change",
            .reload { subject, findings in
                let pair = subject.firstPair { pair in
                    guard let before = pair.before.map else { return false }
                    return before.uri != pair.after.map?.uri || before.byteRange != pair.after.map?.byteRange
                }
                guard let pair else { return }
                findings.report(
                    pair.lines?.uriLine,
                    pair.after.map == nil
                        ? "this segment had an EXT-X-MAP, but none applies to it anymore: repeat the tag before the "
                            + "first segment"
                        : "the EXT-X-MAP that applies to this segment differs from that in the previous snapshot"
                )
            }
        ),
        LintRule(
            "reload-date-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the date of a segment must not change",
            .reload { subject, findings in
                let pair = subject.firstPair { pair in
                    if let before = pair.before.date, let after = pair.after.date {
                        return before < after || after < before
                    }
                    // Durations are rounded, so that dates that are computed from them are not exact.
                    guard let before = pair.before.start, let after = pair.after.start else { return false }
                    return abs(after.timeInterval(since: before)) > 1 - .roundingTolerance
                }
                guard let pair, let before = pair.before.start, let after = pair.after.start else { return }
                findings.report(
                    pair.lines?.line(of: .programDateTime) ?? pair.lines?.uriLine,
                    "the date of the segment changed from \(before) in the previous snapshot to \(after), by "
                        + MessageFormat.seconds(abs(after.timeInterval(since: before)))
                )
            }
        ),
        LintRule(
            "reload-bitrate-changed",
            .warning,
            .reload,
            section: "6.2.1",
            "the EXT-X-BITRATE of a segment must not change",
            .reload { subject, findings in
                // The tag may leave the playlist with the segment before which it is.
                let pair = subject.firstPair { pair in
                    guard let before = pair.before.bitRate else { return false }
                    return pair.after.bitRate.map { $0 != before } ?? pair.before.hasBitRateTag
                }
                guard let pair, let before = pair.before.bitRate else { return }
                findings.report(
                    pair.lines?.uriLine,
                    "the bit rate that applies to this segment was \(before) kbit/s in the previous snapshot, and is "
                        + (pair.after.bitRate.map { "\($0) kbit/s now" } ?? "not listed now")
                )
            }
        ),
    ]

    /// Returns a description of the difference between two segments. The values of queries may be secret, so only the
    /// names of their parameters are shown.
    private static func change(from before: ReloadSegment, to after: ReloadSegment) -> String {
        guard before.comparableURI != after.comparableURI else {
            return "the byte range of this segment differs from that in the previous snapshot; clients stop playback"
        }
        guard URIReference.withoutQuery(before.uri) == URIReference.withoutQuery(after.uri) else {
            return "this segment is \(MessageFormat.uri(after.uri)), but was \(MessageFormat.uri(before.uri)) in the "
                + "previous snapshot; clients stop playback"
        }
        let names = LintText.quoted(URIReference.differingParameters(before.uri, after.uri))
        return
            "only the query of this segment's URI changed, in the parameters \(names.isEmpty ? "?" : names): if they "
            + "are tokens, ignore queries; otherwise clients stop playback"
    }
}

extension ReloadSubject {
    /// Returns the first matching segment among those whose lines the later snapshot has.
    fileprivate func firstPair(where matches: (ReloadComparison.Pair) -> Bool) -> ReloadComparison.Pair? {
        guard comparesSegments else { return nil }
        return comparison.pairs.first { $0.lines != nil && matches($0) }
    }
}

extension MediaSubject.Segment {
    /// Returns the line of the last tag with a name. If a segment has several EXTINF tags, the last one applies.
    fileprivate func lastLine(of name: TagName) -> PlaylistLine? {
        tagLines.last { if case .tag(let tag) = $0.content { tag.name == name } else { false } }
    }
}
