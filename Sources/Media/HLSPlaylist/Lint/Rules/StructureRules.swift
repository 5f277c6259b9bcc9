extension LintRule {
    /// The order of the tags, durations, byte ranges and dates.
    static let structureRules: [LintRule] = durationRules + placeRules + dateRules + writingRules

    private static let durationRules: [LintRule] = [
        LintRule(
            "target-duration-zero",
            .error,
            .media,
            section: "4.4.3.1",
            "the Target Duration is at least 1",
            .media { subject, findings in
                guard subject.playlist.targetDuration == 0, let line = subject.file.line(of: .targetDuration) else {
                    return
                }
                findings.report(line, "EXT-X-TARGETDURATION is 0; it must be at least 1 and no less than any segment")
            }
        ),
        LintRule(
            "segment-too-long",
            .error,
            .media,
            section: "4.4.3.1",
            "no segment, rounded to the nearest second, is longer than the Target Duration",
            .media { subject, findings in
                guard let target = subject.targetDuration else { return }
                for line in subject.lines {
                    guard case .tag(.inf(let duration, _)) = line.content,
                        duration.rounded(.toNearestOrAwayFromZero) > target
                    else { continue }
                    findings.report(
                        line,
                        "EXTINF is \(duration.inSeconds), more than the Target Duration of \(target.inSeconds); "
                            + "raise EXT-X-TARGETDURATION or cut shorter segments"
                    )
                }
            }
        ),
        LintRule(
            "segment-longer-than-target",
            .warning,
            .media,
            section: "8",
            "before version 6, no segment is longer than the Target Duration, unrounded",
            .media { subject, findings in
                guard let target = subject.targetDuration, subject.file.version < 6 else { return }
                for line in subject.lines {
                    guard case .tag(.inf(let duration, _)) = line.content, duration > target,
                        duration.rounded(.toNearestOrAwayFromZero) <= target
                    else { continue }
                    findings.report(
                        line,
                        "EXTINF is \(duration.inSeconds), above the Target Duration of \(target.inSeconds), which "
                            + "clients do not round before version 6"
                    )
                }
            }
        ),
        LintRule(
            "integer-duration",
            .note,
            .media,
            section: "4.4.4.1",
            "durations have decimal places, so that rounding errors do not add up",
            .media { subject, findings in
                // Equal ones, but for the last, are as a rule exact: a key frame every two seconds makes them.
                guard subject.file.version >= 3,
                    Set(subject.segments.dropLast().map(\.segment.duration)).count > 1,
                    let first = subject.file.line(of: .inf),
                    !subject.file.lines(of: .inf).contains(where: \.hasDecimalPoint)
                else { return }
                findings.report(first, "every EXTINF is an integer: if they are rounded, the errors add up")
            }
        ),
    ]

    private static let placeRules: [LintRule] = [
        LintRule(
            "media-sequence-late",
            .error,
            .media,
            section: "4.4.3.2",
            "EXT-X-MEDIA-SEQUENCE stands before the first segment",
            .media { subject, findings in
                guard let line = subject.file.line(of: .mediaSequence), let first = subject.segments.first,
                    first.uriLine.number < line.number
                else { return }
                findings.report(
                    line,
                    "EXT-X-MEDIA-SEQUENCE stands after the segment of line \(first.uriLine.number); move it above all segments"
                )
            }
        ),
        LintRule(
            "discontinuity-sequence-late",
            .error,
            .media,
            section: "4.4.3.3",
            "EXT-X-DISCONTINUITY-SEQUENCE stands before the first segment and the first EXT-X-DISCONTINUITY",
            .media { subject, findings in
                guard let line = subject.file.line(of: .discontinuitySequence) else { return }
                let places = [subject.segments.first?.uriLine, subject.file.line(of: .discontinuity)]
                guard let first = places.compactMap({ $0?.number }).min(), first < line.number else { return }
                findings.report(
                    line,
                    "EXT-X-DISCONTINUITY-SEQUENCE stands after line \(first); move it above all segments and discontinuities"
                )
            }
        ),
        LintRule(
            "byterange-without-offset",
            .error,
            .media,
            section: "4.4.4.2",
            "an EXT-X-BYTERANGE without offset follows a range of the same resource",
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
                            "EXT-X-BYTERANGE:\(range.text) has no offset, and the segment before is no range of "
                                + "\(ReadingContext.quoted(uri)); write \(range.length)@ and the offset"
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
            "BYTERANGE of an EXT-X-MAP has an offset",
            .media { subject, findings in
                for line in subject.lines {
                    guard case .tag(.map(let map)) = line.content, let range = map.byteRange, range.offset == nil else {
                        continue
                    }
                    findings.report(
                        line,
                        attribute: "BYTERANGE",
                        "BYTERANGE=\"\(range.length)\" of EXT-X-MAP has no offset; write \"\(range.length)@0\" if it "
                            + "begins the resource"
                    )
                }
            }
        ),
        LintRule(
            "fmp4-without-map",
            .error,
            .media,
            section: "3.1.2",
            "segments of fragmented MP4 have an EXT-X-MAP",
            .media { subject, findings in
                guard subject.isFull,
                    let first = subject.segments.first(where: { $0.map == nil && isFragmentedMP4($0.segment.uri) })
                else { return }
                findings.report(
                    first.uriLine,
                    "\(ReadingContext.quoted(first.segment.uri)) looks like fragmented MP4, and no EXT-X-MAP stands above it"
                )
            }
        ),
        LintRule(
            "i-frames-without-map",
            .warning,
            .media,
            section: "4.4.4.5",
            "an I-frame that does not follow the Media Initialization Section of its resource has an EXT-X-MAP",
            .media { subject, findings in
                // Of a delta update nobody knows which EXT-X-MAP stands in the part that it leaves out.
                guard subject.playlist.isIFramesOnly, subject.isFull else { return }
                for segment in subject.segments
                where segment.map == nil && (segment.index == 0 || segment.segment.isDiscontinuity) {
                    guard let start = segment.byteRange?.lowerBound, start == 0 || start > 564 else { continue }
                    findings.report(
                        segment.line(of: .byteRange),
                        "the I-frame begins at byte \(start) and no EXT-X-MAP applies to it, so clients do not find the "
                            + "Media Initialization Section"
                    )
                }
            }
        ),
        LintRule(
            "vod-without-endlist",
            .error,
            .media,
            section: "6.2.1",
            "a playlist of type VOD has EXT-X-ENDLIST",
            .media { subject, findings in
                guard subject.playlist.playlistType == .vod, !subject.playlist.isEnded else { return }
                findings.report(
                    subject.file.line(of: .playlistType),
                    "EXT-X-PLAYLIST-TYPE is VOD, but EXT-X-ENDLIST is missing: clients go on reloading"
                )
            }
        ),
        LintRule(
            "playlist-type-on-live",
            .warning,
            .media,
            section: "6.2.2",
            "a playlist from which segments are removed has no EXT-X-PLAYLIST-TYPE",
            .media { subject, findings in
                guard let type = subject.playlist.playlistType, PlaylistType.defined.contains(type),
                    let sequence = subject.playlist.mediaSequence, sequence > 1
                else { return }
                findings.report(
                    subject.file.line(of: .playlistType),
                    "EXT-X-PLAYLIST-TYPE is \(type), which forbids to remove segments, but EXT-X-MEDIA-SEQUENCE is "
                        + "\(sequence) as if some had been"
                )
            }
        ),
        LintRule(
            "start-outside",
            .warning,
            .media,
            section: "4.4.2.2",
            "TIME-OFFSET of EXT-X-START lies within the playlist",
            .media { subject, findings in
                guard subject.isFull, let offset = subject.playlist.start?.timeOffset else { return }
                let duration = subject.playlist.duration
                guard duration.isClearlyLess(than: abs(offset)) else { return }
                findings.report(
                    subject.file.line(of: .start),
                    attribute: "TIME-OFFSET",
                    "TIME-OFFSET is \(offset.inSeconds), and the playlist lasts only \(duration.inSeconds)"
                )
            }
        ),
        LintRule(
            "start-near-live-edge",
            .warning,
            .media,
            section: "4.4.2.2",
            "while segments are added, TIME-OFFSET lies three Target Durations or more before the end",
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
                    "TIME-OFFSET leads to \(distance.inSeconds) before the end; less than three Target Durations, "
                        + "\((3 * target).inSeconds), soon stalls"
                )
            }
        ),
    ]

    /// Whether a URI's path has one of the endings of fragmented MP4.
    private static func isFragmentedMP4(_ uri: String) -> Bool {
        let endings = [".m4s", ".mp4", ".cmfv", ".cmfa", ".cmft"]
        let path = uri.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
        guard endings.contains(where: { path.suffix($0.utf8.count).elementsEqual($0.utf8) }) else { return false }
        // The end may be that of a host's name.
        let exact = URIReference.path(of: uri)
        return endings.contains { exact.hasSuffix($0) }
    }
}
