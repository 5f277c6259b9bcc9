extension LintRule {
    /// The rules for Partial Segments.
    static let partRules: [LintRule] = [
        LintRule(
            "part-too-long",
            .error,
            .media,
            section: "4.4.4.9",
            "a Partial Segment must not be longer than PART-TARGET",
            .media { subject, findings in
                guard let target = subject.playlist.partInf?.partTarget else { return }
                for line in subject.lines {
                    guard case .tag(.part(let part)) = line.content, target.isClearlyLess(than: part.duration) else {
                        continue
                    }
                    findings.report(
                        line,
                        attribute: "DURATION",
                        "the duration of the part is \(part.duration.inSeconds), more than the PART-TARGET of "
                            + "\(target.inSeconds)"
                    )
                }
            }
        ),
        LintRule(
            "part-too-short",
            .error,
            .media,
            section: "4.4.4.9",
            "a Partial Segment other than the last of its segment must be at least 85% of PART-TARGET long",
            .media { subject, findings in
                guard let target = subject.playlist.partInf?.partTarget else { return }
                for group in subject.partGroups {
                    for ((part, line), (next, _)) in zip(group.parts, group.parts.dropFirst())
                    where part.duration.isClearlyLess(than: 0.85 * target) && !part.isIndependent && !part.isGap
                        && !next.isGap
                    {
                        findings.report(
                            line,
                            attribute: "DURATION",
                            "the duration of the part is \(part.duration.inSeconds), less than 85% of the PART-TARGET "
                                + "of "
                                + "\(target.inSeconds), and the part is neither independent nor the last of its segment"
                        )
                    }
                }
            }
        ),
        LintRule(
            "parts-incomplete",
            .error,
            .media,
            section: "4.4.4.9",
            "the parts of a segment must have the duration of the segment",
            .media { subject, findings in
                let horizon = subject.end - 3 * (subject.targetDuration ?? 0)
                var start = 0.0
                var isFirst = true
                for segment in subject.segments {
                    let parts = segment.tagLines.compactMap { line in
                        if case .tag(.part(let tag)) = line.content { tag.duration } else { nil }
                    }
                    let duration = segment.segment.duration
                    defer { start += duration }
                    let hasRefused = segment.tagLines.contains { line in
                        if case .refused(.part) = line.content { true } else { false }
                    }
                    guard let longest = parts.max(), !hasRefused else { continue }
                    let difference = duration - parts.reduce(0, +)
                    // The oldest parts of the playlist may have been removed because they are too old.
                    let isRemoved = isFirst && difference > 0 && start + difference <= horizon
                    isFirst = false
                    let tolerance = (subject.playlist.partInf?.partTarget ?? longest) / 2
                    guard abs(difference) > tolerance, !isRemoved else { continue }
                    findings.report(
                        segment.uriLine,
                        "the parts of the segment have a total duration of \((duration - difference).inSeconds), but "
                            + "EXTINF is \(duration.inSeconds): list all parts of the segment, or none"
                    )
                }
            }
        ),
        LintRule(
            "part-byterange-without-offset",
            .error,
            .media,
            section: "4.4.4.9",
            "a BYTERANGE without an offset must follow a part of the same segment that is a range of the same resource",
            .media { subject, findings in
                for group in subject.partGroups {
                    var previous: String?
                    for (part, line) in group.parts {
                        if let range = part.byteRange, range.offset == nil, previous != part.uri {
                            findings.report(
                                line,
                                attribute: "BYTERANGE",
                                "BYTERANGE=\"\(range.length)\" has no offset, and the preceding part of this segment "
                                    + "is not a range of \(MessageFormat.uri(part.uri)): add the offset"
                            )
                        }
                        previous = part.byteRange == nil ? nil : part.uri
                    }
                }
            }
        ),
        LintRule(
            "parts-too-old",
            .warning,
            .media,
            section: "6.2.2",
            "Partial Segments more than three Target Durations before the end should be removed",
            .media { subject, findings in
                guard let target = subject.targetDuration else { return }
                let end = subject.end
                let old = subject.partGroups.first { (3 * target).isClearlyLess(than: end - $0.end) }
                guard let old, let first = old.parts.first else { return }
                findings.report(
                    first.line,
                    "the parts of this segment end \((end - old.end).inSeconds) before the end of the playlist: "
                        + "remove parts older than three Target Durations, \((3 * target).inSeconds)"
                )
            }
        ),
        LintRule(
            "segment-tag-after-part",
            .error,
            .media,
            section: "4.4.4.9",
            "tags of a segment must precede its first EXT-X-PART",
            .media { subject, findings in
                var isAfterPart = false
                for line in subject.lines {
                    switch line.content {
                    case .uri: isAfterPart = false
                    case .tag(.part): isAfterPart = true
                    case .tag(let tag) where isAfterPart:
                        switch tag.name {
                        case .discontinuity, .key, .map, .programDateTime:
                            findings.report(
                                line,
                                "\(tag.name.rawValue) follows an EXT-X-PART of its segment, but applies to all parts: "
                                    + "move the tag before the first part"
                            )
                        default: break
                        }
                    default: break
                    }
                }
            }
        ),
        LintRule(
            "i-frames-with-parts",
            .warning,
            .media,
            section: "4.4.4.9",
            "an I-frame playlist should have no Partial Segments",
            .media { subject, findings in
                guard subject.playlist.isIFramesOnly, let line = subject.file.line(of: .part) else { return }
                findings.report(line, "the playlist has EXT-X-PART and EXT-X-I-FRAMES-ONLY: remove the parts")
            }
        ),
        LintRule(
            "low-latency-without-date",
            .warning,
            .media,
            section: "B.1",
            "a low-latency playlist should have EXT-X-PROGRAM-DATE-TIME",
            .media { subject, findings in
                guard subject.isFull, let line = subject.file.line(of: .partInf),
                    !subject.file.has(.programDateTime)
                else { return }
                findings.report(
                    line,
                    "the playlist has EXT-X-PART-INF but no EXT-X-PROGRAM-DATE-TIME, with which clients align "
                        + "renditions: add it"
                )
            }
        ),
    ]

    /// The rules for EXT-X-PRELOAD-HINT and EXT-X-RENDITION-REPORT.
    static let preloadHintRules: [LintRule] = [
        LintRule(
            "preload-hint-with-endlist",
            .error,
            .media,
            section: "4.4.5.3",
            "a playlist with EXT-X-ENDLIST must not have EXT-X-PRELOAD-HINT",
            .media { subject, findings in
                guard subject.playlist.isEnded else { return }
                for line in subject.file.lines(of: .preloadHint) {
                    findings.report(
                        line,
                        "the playlist has EXT-X-PRELOAD-HINT and EXT-X-ENDLIST, after which nothing is added: remove "
                            + "the hint"
                    )
                }
            }
        ),
        LintRule(
            "duplicate-preload-hint",
            .warning,
            .media,
            section: "6.2.6",
            "a playlist should have at most one EXT-X-PRELOAD-HINT of each TYPE",
            .media { subject, findings in
                var seen: Set<PreloadHintTag.Kind> = []
                for (hint, line) in subject.preloadHintTags where !seen.insert(hint.kind).inserted {
                    findings.report(
                        line,
                        attribute: "TYPE",
                        "the playlist has more than one EXT-X-PRELOAD-HINT with TYPE=\(hint.kind); clients use only "
                            + "the first"
                    )
                }
            }
        ),
        LintRule(
            "preload-hint-missing",
            .warning,
            .media,
            section: "B.1",
            "a playlist with Partial Segments should have an EXT-X-PRELOAD-HINT for the next part",
            .media { subject, findings in
                guard subject.file.line(of: .part) != nil, !subject.playlist.isEnded,
                    !subject.playlist.preloadHints.contains(where: { $0.kind == .part }),
                    !subject.file.isRefused(.preloadHint)
                else { return }
                findings.report(
                    nil,
                    "the playlist has EXT-X-PART but no EXT-X-PRELOAD-HINT with TYPE=PART: add one for the next part"
                )
            }
        ),
        LintRule(
            "preload-hint-of-listed-part",
            .warning,
            .media,
            section: "4.4.5.3",
            "an EXT-X-PRELOAD-HINT should refer to a part that is not listed yet",
            .media { subject, findings in
                let hints = subject.preloadHintTags.filter { $0.tag.kind == .part }
                guard !hints.isEmpty else { return }
                var listed: Set<ListedPart> = []
                for group in subject.partGroups {
                    for ((part, _), offset) in zip(group.parts, group.offsets)
                    where part.byteRange == nil || offset != nil {
                        listed.insert(ListedPart(uri: part.uri, offset: offset))
                    }
                }
                for (hint, line) in hints {
                    let hasRange = hint.byteRangeStart != nil || hint.byteRangeLength != nil
                    let part = ListedPart(uri: hint.uri, offset: hasRange ? hint.byteRangeStart ?? 0 : nil)
                    guard listed.contains(part) else { continue }
                    findings.report(
                        line,
                        attribute: "URI",
                        "\(MessageFormat.uri(hint.uri)) is already listed as an EXT-X-PART: write the URI of the "
                            + "part after it"
                    )
                }
            }
        ),
        LintRule(
            "rendition-report-absolute",
            .error,
            .media,
            section: "4.4.5.4",
            "the URI of an EXT-X-RENDITION-REPORT must be relative",
            .media { subject, findings in
                for line in subject.lines {
                    guard case .tag(.renditionReport(let report)) = line.content, !URIReference.isRelative(report.uri)
                    else {
                        continue
                    }
                    findings.report(
                        line,
                        attribute: "URI",
                        "the URI \(MessageFormat.uri(report.uri)) is not relative: write it relative to this "
                            + "playlist"
                    )
                }
            }
        ),
    ]
}

/// The start of a Partial Segment: its URI, and the byte offset if it is a range.
private struct ListedPart: Hashable {
    let uri: String
    let offset: UInt64?
}

extension MediaSubject {
    /// The EXT-X-PRELOAD-HINT tags with their lines.
    fileprivate var preloadHintTags: [(tag: PreloadHintTag, line: PlaylistLine)] {
        lines.compactMap { line in if case .tag(.preloadHint(let tag)) = line.content { (tag, line) } else { nil } }
    }
}
