extension LintRule {
    /// The rules for Partial Segments that must not change between snapshots.
    static let reloadPartRules: [LintRule] = [
        LintRule(
            "reload-part-changed",
            .error,
            .reload,
            section: "6.2.1",
            "a Partial Segment that was listed must not change",
            .reload { subject, findings in
                guard subject.comparesSegments else { return }
                let before = subject.before.listedParts(ignoresQueries: subject.comparison.ignoresQueries)
                let after = subject.after.listedParts(ignoresQueries: subject.comparison.ignoresQueries)
                for (number, old) in before.sorted(by: { $0.key < $1.key }) {
                    guard let new = after[number] else { continue }
                    // The oldest parts of a complete segment may have been removed.
                    let removed = old.isComplete && new.isComplete ? max(0, old.parts.count - new.parts.count) : 0
                    for (was, part) in zip(old.parts.dropFirst(removed), new.parts) where !part.isEqual(to: was) {
                        findings.report(
                            part.line,
                            "the part \(MessageFormat.uri(part.uri)) of segment \(number) differs from the part that the "
                                + "previous snapshot has at its position; clients have already loaded that one"
                        )
                        return
                    }
                }
            }
        ),
        LintRule(
            "reload-part-removed",
            .warning,
            .reload,
            section: "6.2.2",
            "parts should be listed until they are three Target Durations before the end",
            .reload { subject, findings in
                guard subject.comparesSegments, let target = subject.after.targetDuration,
                    !subject.after.playlist.isEnded
                else { return }
                let before = subject.before.listedParts(ignoresQueries: true)
                let after = subject.after.listedParts(ignoresQueries: true)
                let ages = subject.after.ages
                for (number, old) in before.sorted(by: { $0.key < $1.key }) {
                    guard let age = ages[number], age.isClearlyLess(than: 3 * target) else { continue }
                    let left = after[number]?.parts.count ?? 0
                    guard left < old.parts.count else { continue }
                    findings.report(
                        nil,
                        "\(old.parts.count - left) of the parts of segment \(number) were removed, although the segment starts "
                            + "only \(age.inSeconds) before the end: list parts for three Target Durations, "
                            + (3 * target).inSeconds
                    )
                    return
                }
            }
        ),
    ]
}

/// The parts of a segment, in their order.
private struct ListedParts {
    var parts: [ListedPart]
    /// True if the playlist lists the segment itself, too.
    var isComplete: Bool
}

/// A Partial Segment as it is listed.
private struct ListedPart {
    let uri: String
    let comparableURI: String
    let offset: UInt64?
    let length: UInt64?
    let duration: Double
    let isIndependent: Bool
    let line: PlaylistLine

    func isEqual(to other: ListedPart) -> Bool {
        // The offset of a part is unknown if the parts before it were removed.
        comparableURI == other.comparableURI && length == other.length && duration == other.duration
            && isIndependent == other.isIndependent && (offset == nil || other.offset == nil || offset == other.offset)
    }
}

extension MediaSubject {
    /// The parts of the playlist by the Media Sequence Number of their segment.
    fileprivate func listedParts(ignoresQueries: Bool) -> [UInt64: ListedParts] {
        guard playlist.partInf != nil else { return [:] }
        var result: [UInt64: ListedParts] = [:]
        func add(_ lines: [PlaylistLine], _ number: UInt64, isComplete: Bool) {
            let tags = lines.compactMap { line in
                if case .tag(.part(let tag)) = line.content { (tag, line) } else { nil }
            }
            guard !tags.isEmpty else { return }
            let group = PartGroup(parts: tags, end: 0)
            let parts = zip(group.parts, group.offsets).map { part, offset in
                ListedPart(
                    uri: part.tag.uri,
                    comparableURI: ignoresQueries ? URIReference.withoutQuery(part.tag.uri) : part.tag.uri,
                    offset: offset,
                    length: part.tag.byteRange?.length,
                    duration: part.tag.duration,
                    isIndependent: part.tag.isIndependent,
                    line: part.line
                )
            }
            result[number] = ListedParts(parts: parts, isComplete: isComplete)
        }
        for (index, segment) in segments.enumerated() {
            add(segment.tagLines, firstListedNumber &+ UInt64(index), isComplete: true)
        }
        add(rest, firstListedNumber &+ UInt64(segments.count), isComplete: false)
        return result
    }

    /// The time from the start of each listed segment to the end of the playlist in seconds, by its number.
    fileprivate var ages: [UInt64: Double] {
        var result: [UInt64: Double] = [:]
        var age = playlist.upcoming.parts.reduce(0) { $0 + $1.duration }
        let next = firstListedNumber &+ UInt64(segments.count)
        result[next] = age
        for (index, segment) in segments.enumerated().reversed() {
            age += segment.segment.duration
            result[firstListedNumber &+ UInt64(index)] = age
        }
        return result
    }

    /// The Media Sequence Number of the first segment that the text lists: a delta update skips the ones before it.
    private var firstListedNumber: UInt64 {
        (playlist.mediaSequence ?? 0) &+ (playlist.skip?.skippedSegments ?? 0)
    }
}
