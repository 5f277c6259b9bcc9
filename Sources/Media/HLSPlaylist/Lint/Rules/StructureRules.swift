extension LintRule {
    /// The rules for durations, positions of tags, byte ranges, dates and the syntax of values.
    static let structureRules: [LintRule] =
        durationRules + continuityRules + positionRules + dateRules + valueSyntaxRules
        + spellingRules

    private static let durationRules: [LintRule] = [
        LintRule(
            "target-duration-zero",
            .error,
            .media,
            section: "4.4.3.1",
            "the Target Duration must be at least 1",
            .media { subject, findings in
                guard subject.playlist.targetDuration == 0, let line = subject.file.line(of: .targetDuration) else {
                    return
                }
                findings.report(
                    line,
                    "EXT-X-TARGETDURATION is 0: write at least 1, and at least the rounded duration of the longest "
                        + "segment"
                )
            }
        ),
        LintRule(
            "segment-too-long",
            .error,
            .media,
            section: "4.4.3.1",
            "the duration of a segment, rounded to the nearest second, must not exceed the Target Duration",
            .media { subject, findings in
                guard let target = subject.targetDuration else { return }
                for line in subject.lines {
                    guard case .tag(.inf(let duration, _)) = line.content,
                        duration.rounded(.toNearestOrAwayFromZero) > target
                    else { continue }
                    findings.report(
                        line,
                        "EXTINF is \(duration.inSeconds), more than the Target Duration of \(target.inSeconds): "
                            + "increase EXT-X-TARGETDURATION, or make the segments shorter"
                    )
                }
            }
        ),
        LintRule(
            "segment-longer-than-target",
            .warning,
            .media,
            section: "8",
            "before version 6, the unrounded duration of a segment should not exceed the Target Duration",
            .media { subject, findings in
                guard let target = subject.targetDuration, subject.file.version < 6 else { return }
                for line in subject.lines {
                    guard case .tag(.inf(let duration, _)) = line.content, duration > target,
                        duration.rounded(.toNearestOrAwayFromZero) <= target
                    else { continue }
                    findings.report(
                        line,
                        "EXTINF is \(duration.inSeconds), more than the Target Duration of \(target.inSeconds), and "
                            + "clients do not round EXTINF before version 6: increase EXT-X-TARGETDURATION"
                    )
                }
            }
        ),
        LintRule(
            "integer-duration",
            .note,
            .media,
            section: "4.4.4.1",
            "durations should have decimal places, so that rounding errors do not accumulate",
            .media { subject, findings in
                // If all durations except the last are equal, they are usually exact, for example with a key frame
                // every two seconds.
                guard subject.file.version >= 3,
                    Set(subject.segments.dropLast().map(\.segment.duration)).count > 1,
                    let first = subject.file.line(of: .inf),
                    !subject.file.lines(of: .inf).contains(where: \.hasDecimalPoint)
                else { return }
                findings.report(
                    first,
                    "every EXTINF is an integer: if the values are rounded, the errors accumulate; write decimal places"
                )
            }
        ),
    ]

    private static let positionRules: [LintRule] = [
        LintRule(
            "media-sequence-misplaced",
            .error,
            .media,
            section: "4.4.3.2",
            "EXT-X-MEDIA-SEQUENCE must precede the first segment",
            .media { subject, findings in
                guard let line = subject.file.line(of: .mediaSequence), let first = subject.segments.first,
                    first.uriLine.number < line.number
                else { return }
                findings.report(
                    line,
                    "EXT-X-MEDIA-SEQUENCE follows the segment on line \(first.uriLine.number): move it before all "
                        + "segments"
                )
            }
        ),
        LintRule(
            "discontinuity-sequence-misplaced",
            .error,
            .media,
            section: "4.4.3.3",
            "EXT-X-DISCONTINUITY-SEQUENCE must precede the first segment and the first EXT-X-DISCONTINUITY",
            .media { subject, findings in
                guard let line = subject.file.line(of: .discontinuitySequence) else { return }
                let lines = [subject.segments.first?.uriLine, subject.file.line(of: .discontinuity)]
                guard let first = lines.compactMap({ $0?.number }).min(), first < line.number else { return }
                findings.report(
                    line,
                    "EXT-X-DISCONTINUITY-SEQUENCE follows line \(first): move it before all segments and "
                        + "discontinuities"
                )
            }
        ),
        LintRule(
            "byterange-without-offset",
            .error,
            .media,
            section: "4.4.4.2",
            "a segment whose EXT-X-BYTERANGE has no offset must follow a segment that is a range of the same resource",
            .media { subject, findings in
                guard subject.isFull else { return }
                var previous: String?
                for segment in subject.segments {
                    guard let range = segment.segment.byteRange else {
                        previous = nil
                        continue
                    }
                    let uri = segment.segment.uri
                    if range.offset == nil, previous != uri {
                        findings.report(
                            segment.line(of: .byteRange),
                            "EXT-X-BYTERANGE:\(range.text) has no offset, and the preceding segment is not a range of "
                                + "\(MessageFormat.uri(uri)): write \(range.length)@ followed by the offset"
                        )
                    }
                    previous = uri
                }
            }
        ),
        LintRule(
            "map-byterange-without-offset",
            .error,
            .media,
            section: "4.4.4.5",
            "BYTERANGE of an EXT-X-MAP must have an offset",
            .media { subject, findings in
                for line in subject.lines {
                    guard case .tag(.map(let map)) = line.content, let range = map.byteRange, range.offset == nil else {
                        continue
                    }
                    findings.report(
                        line,
                        attribute: "BYTERANGE",
                        "BYTERANGE=\"\(range.length)\" of EXT-X-MAP has no offset: write \"\(range.length)@0\" if the "
                            + "range starts at the beginning of the resource"
                    )
                }
            }
        ),
        LintRule(
            "fmp4-without-map",
            .error,
            .media,
            section: "3.1.2",
            "fragmented MP4 segments must have an EXT-X-MAP",
            .media { subject, findings in
                guard subject.isFull, !subject.file.isRefused(.map),
                    let first = subject.segments.first(where: { $0.map == nil && isFragmentedMP4($0.segment.uri) })
                else { return }
                findings.report(
                    first.uriLine,
                    "\(MessageFormat.uri(first.segment.uri)) seems to be fragmented MP4, but no EXT-X-MAP "
                        + "precedes it: add one"
                )
            }
        ),
        LintRule(
            "i-frames-without-map",
            .warning,
            .media,
            section: "4.4.4.5",
            "I-frames should have an EXT-X-MAP unless they immediately follow the Media Initialization Section",
            .media { subject, findings in
                // A delta update may leave out lines with an EXT-X-MAP.
                guard subject.playlist.isIFramesOnly, subject.isFull, !subject.file.isRefused(.map) else { return }
                for segment in subject.segments
                where segment.map == nil && (segment.index == 0 || segment.segment.isDiscontinuity) {
                    guard let start = segment.byteRange?.lowerBound, start == 0 || start > 564 else { continue }
                    findings.report(
                        segment.line(of: .byteRange),
                        "the I-frame starts at byte \(start), and no EXT-X-MAP applies to it, so clients cannot find "
                            + "the Media Initialization Section: add an EXT-X-MAP"
                    )
                }
            }
        ),
        LintRule(
            "vod-without-endlist",
            .error,
            .media,
            section: "6.2.1",
            "a playlist of type VOD must have EXT-X-ENDLIST",
            .media { subject, findings in
                guard subject.playlist.playlistType == .vod, !subject.file.has(.endList) else { return }
                findings.report(
                    subject.file.line(of: .playlistType),
                    "EXT-X-PLAYLIST-TYPE is VOD, but EXT-X-ENDLIST is missing, so clients keep reloading: add "
                        + "EXT-X-ENDLIST"
                )
            }
        ),
        LintRule(
            "playlist-type-on-live",
            .warning,
            .media,
            section: "6.2.2",
            "a playlist from which segments are removed should not have EXT-X-PLAYLIST-TYPE",
            .media { subject, findings in
                guard let type = subject.playlist.playlistType, PlaylistType.defined.contains(type),
                    let sequence = subject.playlist.mediaSequence, sequence > 1
                else { return }
                findings.report(
                    subject.file.line(of: .playlistType),
                    "EXT-X-PLAYLIST-TYPE is \(type), which does not allow segments to be removed, but "
                        + "EXT-X-MEDIA-SEQUENCE is \(sequence), which indicates that segments were removed"
                )
            }
        ),
        LintRule(
            "start-out-of-range",
            .warning,
            .media,
            section: "4.4.2.2",
            "TIME-OFFSET of EXT-X-START should be within the playlist",
            .media { subject, findings in
                guard subject.isFull, let offset = subject.playlist.start?.timeOffset else { return }
                let duration = subject.playlist.duration
                guard duration.isClearlyLess(than: abs(offset)) else { return }
                findings.report(
                    subject.file.line(of: .start),
                    attribute: "TIME-OFFSET",
                    "TIME-OFFSET is \(offset.inSeconds), but the duration of the playlist is only \(duration.inSeconds)"
                )
            }
        ),
        LintRule(
            "start-near-live-edge",
            .warning,
            .media,
            section: "4.4.2.2",
            "without EXT-X-ENDLIST, TIME-OFFSET should be at least three Target Durations before the end",
            .media { subject, findings in
                guard subject.isFull, !subject.playlist.isEnded, let target = subject.targetDuration,
                    let offset = subject.playlist.start?.timeOffset
                else { return }
                let duration = subject.playlist.duration
                guard !duration.isClearlyLess(than: abs(offset)) else { return }
                let distance = subject.end - (offset < 0 ? duration + offset : offset)
                guard distance.isClearlyLess(than: 3 * target) else { return }
                findings.report(
                    subject.file.line(of: .start),
                    attribute: "TIME-OFFSET",
                    "TIME-OFFSET is \(distance.inSeconds) before the end of the playlist, less than three Target "
                        + "Durations, \((3 * target).inSeconds), so playback may stall"
                )
            }
        ),
    ]

    /// Returns whether a URI's path has a file name extension of fragmented MP4.
    private static func isFragmentedMP4(_ uri: String) -> Bool {
        let endings = [".m4s", ".mp4", ".cmfv", ".cmfa", ".cmft"]
        let path = uri.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
        guard endings.contains(where: { path.suffix($0.utf8.count).elementsEqual($0.utf8) }) else { return false }
        // The suffix may belong to the host name instead of the path.
        let exact = URIReference.path(of: uri)
        return endings.contains { exact.hasSuffix($0) }
    }
}
