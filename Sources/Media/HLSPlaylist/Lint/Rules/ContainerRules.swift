extension LintRule {
    /// The rules for changes between segments, and for segments that are not playable.
    static let continuityRules: [LintRule] = [
        LintRule(
            "extm3u-repeated",
            .error,
            .any,
            section: "4.4.1.1",
            "#EXTM3U must be the first line only",
            .playlist { findings in
                for line in findings.file.headerLines where line.number > 1 {
                    findings.report(
                        line,
                        "#EXTM3U occurs again, so two playlists were probably joined: remove the line, and the tags of the "
                            + "second playlist that apply to a whole playlist"
                    )
                }
            }
        ),
        LintRule(
            "segment-duration-zero",
            .warning,
            .media,
            section: "4.4.4.1",
            "the duration of a segment should be more than 0",
            .media { subject, findings in
                // Before version 3, durations are rounded to integers.
                guard subject.playlist.segments.contains(where: { $0.duration == 0 }) else { return }
                let isRounded = subject.file.version < 3
                for line in subject.lines {
                    guard case .tag(.inf(let duration, _)) = line.content, duration == 0,
                        !isRounded || line.hasDecimalPoint
                    else { continue }
                    findings.report(
                        line,
                        "EXTINF is 0, so the segment has no position on the timeline: write the duration of the media, or "
                            + "remove the segment"
                    )
                }
            }
        ),
        LintRule(
            "window-too-short",
            .warning,
            .media,
            section: "6.2.2",
            "a live playlist from which segments were removed should have at least three Target Durations",
            .media { subject, findings in
                // With EXT-X-PLAYLIST-TYPE, segments are never removed.
                guard subject.isFull, !subject.file.has(.endList), !subject.file.has(.playlistType),
                    let target = subject.targetDuration,
                    let sequence = subject.playlist.mediaSequence, sequence > 1, !subject.segments.isEmpty,
                    subject.end.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    nil,
                    "the live playlist contains only \(subject.end.inSeconds), less than three Target Durations, "
                        + "\((3 * target).inSeconds), so playback may stall: keep more segments"
                )
            }
        ),
        LintRule(
            "container-change",
            .error,
            .media,
            section: "4.4.4.3",
            "an EXT-X-DISCONTINUITY must precede a segment with another file format",
            .media { subject, findings in
                var before: Container?
                for segment in subject.segments {
                    let own = Container(segment.segment.uri)
                    if let own, let before, own != before, !segment.segment.isDiscontinuity {
                        findings.report(
                            segment.uriLine,
                            "the segment seems to be \(own.rawValue), after a segment of \(before.rawValue): write "
                                + "EXT-X-DISCONTINUITY before it"
                        )
                    }
                    before = own
                }
            }
        ),
    ]
}

/// The file format of a segment, by the extension of its file name.
private enum Container: String {
    case transportStream = "MPEG-2 TS"
    case fragmentedMP4 = "fragmented MP4"
    case aac = "packed AAC audio"
    case mp3 = "packed MP3 audio"
    case ac3 = "packed AC-3 audio"
    case ec3 = "packed Enhanced AC-3 audio"
    case webVTT = "WebVTT"

    /// Creates the file format; nil when the extension does not tell it.
    init?(_ uri: String) {
        let path = uri.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
        guard let dot = path.suffix(8).lastIndex(of: 0x2E) else { return nil }
        let ending = path[path.index(after: dot)...]
        guard
            let own = Self.endings.first(where: { name, _ in
                ending.elementsEqual(name.utf8) { byte, letter in byte == letter || byte | 0x20 == letter }
            })
        else { return nil }
        self = own.container
    }

    private static let endings: [(name: String, container: Container)] = [
        ("ts", .transportStream), ("m4s", .fragmentedMP4), ("mp4", .fragmentedMP4), ("aac", .aac), ("vtt", .webVTT),
        ("m2ts", .transportStream), ("mts", .transportStream), ("m4v", .fragmentedMP4), ("m4a", .fragmentedMP4),
        ("m4f", .fragmentedMP4), ("cmfv", .fragmentedMP4), ("cmfa", .fragmentedMP4), ("cmft", .fragmentedMP4),
        ("mp3", .mp3), ("ac3", .ac3), ("ec3", .ec3), ("eac3", .ec3), ("webvtt", .webVTT),
    ]
}
