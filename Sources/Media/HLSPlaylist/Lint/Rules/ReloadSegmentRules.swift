extension LintRule {
    /// What must not change about a segment.
    static let reloadSegmentRules: [LintRule] = [
        LintRule(
            "reload-segment-changed",
            .error,
            .reload,
            section: "6.3.4",
            "a Media Sequence Number stands for the same bytes in every snapshot",
            .reload { subject, findings in
                guard let pair = subject.firstPair(where: { !$0.before.isSameResource(as: $0.after) }) else { return }
                let isURI = pair.before.uri != pair.after.uri
                findings.report(
                    pair.lines?.uriLine,
                    isURI
                        ? "this segment was \(ReadingContext.quoted(pair.before.uri)) in the snapshot before; clients halt"
                        : "the byte range of this segment is another than in the snapshot before; clients halt"
                )
            }
        ),
        LintRule(
            "reload-duration-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the duration of a segment does not change",
            .reload { subject, findings in
                let pair = subject.firstPair {
                    $0.before.isSameResource(as: $0.after) && $0.before.duration != $0.after.duration
                }
                guard let pair else { return }
                findings.report(
                    pair.lines?.lastLine(of: .inf),
                    "EXTINF was \(pair.before.duration) s in the snapshot before and is \(pair.after.duration) s"
                )
            }
        ),
        LintRule(
            "reload-key-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the keys of an encrypted segment do not change",
            .reload { subject, findings in
                let pair = subject.firstPair {
                    !$0.before.keys.isEmpty && !$0.after.keys.isEmpty && $0.before.keys != $0.after.keys
                }
                guard let pair else { return }
                findings.report(
                    pair.lines?.uriLine,
                    "the EXT-X-KEY tags that apply to this segment are others than in the snapshot before"
                )
            }
        ),
        LintRule(
            "reload-key-removed",
            .error,
            .reload,
            section: "6.2.3",
            "an EXT-X-KEY stays as long as it applies to a segment",
            .reload { subject, findings in
                guard let pair = subject.firstPair(where: { !$0.before.keys.isEmpty && $0.after.keys.isEmpty }) else {
                    return
                }
                findings.report(
                    pair.lines?.uriLine,
                    "this segment was encrypted, and no EXT-X-KEY applies to it any more; repeat the tag above the first segment"
                )
            }
        ),
        LintRule(
            "reload-map-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the EXT-X-MAP of a segment does not change",
            .reload { subject, findings in
                let pair = subject.firstPair { pair in
                    guard let before = pair.before.map else { return false }
                    return before.uri != pair.after.map?.uri || before.byteRange != pair.after.map?.byteRange
                }
                guard let pair else { return }
                findings.report(
                    pair.lines?.uriLine,
                    pair.after.map == nil
                        ? "this segment had an EXT-X-MAP, and none applies to it any more; repeat the tag above the first segment"
                        : "the EXT-X-MAP that applies to this segment is another than in the snapshot before"
                )
            }
        ),
        LintRule(
            "reload-date-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the EXT-X-PROGRAM-DATE-TIME of a segment does not change",
            .reload { subject, findings in
                let pair = subject.firstPair { pair in
                    guard let before = pair.before.date, let after = pair.after.date else { return false }
                    return before < after || after < before
                }
                guard let pair, let before = pair.before.date, let after = pair.after.date else { return }
                findings.report(
                    pair.lines?.line(of: .programDateTime),
                    "the segment's date was \(before) in the snapshot before and is \(after)"
                )
            }
        ),
    ]
}

extension ReloadSubject {
    /// The first segment of which something holds, among those whose lines the later snapshot has.
    fileprivate func firstPair(where matches: (ReloadComparison.Pair) -> Bool) -> ReloadComparison.Pair? {
        guard comparesSegments else { return nil }
        return comparison.pairs.first { $0.lines != nil && matches($0) }
    }
}

extension MediaSubject.Segment {
    /// The line of its last tag of a name: of several EXTINF tags the last one holds.
    fileprivate func lastLine(of name: TagName) -> PlaylistLine? {
        tagLines.last { if case .tag(let tag) = $0.content { tag.name == name } else { false } }
    }
}
