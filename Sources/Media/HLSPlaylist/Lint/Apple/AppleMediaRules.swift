extension LintRule {
    /// The rules for Media Playlists: durations, types and protection.
    static let appleMediaRules: [LintRule] = [
        mediaPlaylist(
            "apple-target-duration",
            .warning,
            "7.5",
            "the Target Duration should be 6 seconds",
            at: .targetDuration
        ) { subject in
            guard let target = subject.targetDuration, target != 6, !subject.playlist.isIFramesOnly,
                !subject.isWebVTT
            else { return nil }
            return "the Target Duration is \(target.inSeconds): package segments of 6 s"
        },
        mediaPlaylist(
            "apple-short-segments",
            .warning,
            "7.6",
            "segments should have about 6 seconds",
            at: .targetDuration
        ) { subject in
            let count = subject.segments.count - 1
            guard subject.targetDuration == 6, !subject.playlist.isIFramesOnly, !subject.isWebVTT, count > 0 else {
                return nil
            }
            let mean = subject.segments.prefix(count).reduce(0) { $0 + $1.segment.duration } / Double(count)
            guard mean < 4 else { return nil }
            return "the segments have \(mean.inSeconds) on average, although the Target Duration is 6 s: package "
                + "segments of 6 s, with key frames that divide 6 s evenly"
        },
        mediaPlaylist(
            "apple-vod-without-type",
            .error,
            "8.6",
            "a playlist of VOD must have EXT-X-PLAYLIST-TYPE:VOD",
            dependsOn: [.playlistType, .mediaSequence, .discontinuitySequence]
        ) { subject in
            // A live stream that has ended is not VOD. It may have removed segments, which no type allows, and only live
            // streams count their discontinuities.
            guard subject.playlist.isEnded, subject.playlist.playlistType == nil,
                subject.playlist.mediaSequence ?? 0 <= 1, subject.playlist.discontinuitySequence == nil
            else { return nil }
            return "the playlist has EXT-X-ENDLIST, but no EXT-X-PLAYLIST-TYPE: write #EXT-X-PLAYLIST-TYPE:VOD"
        },
        LintRule(
            "apple-encrypted-without-fairplay",
            .warning,
            .media,
            section: "Apple 13.1",
            "encrypted media should have a FairPlay key",
            .media { subject, findings in
                let keys = subject.file.keys.filter { $0.tag.isKey }
                guard let first = keys.first, !keys.contains(where: { $0.tag.isFairPlay }),
                    !subject.file.isRefused(.key)
                else { return }
                findings.report(
                    first.line,
                    "the media is encrypted with \(first.tag.systemName) keys only: add an EXT-X-KEY with "
                        + "METHOD=SAMPLE-AES and KEYFORMAT=\"com.apple.streamingkeydelivery\""
                )
            }
        ),
    ]

    /// The rules for live Media Playlists.
    static let appleLiveRules: [LintRule] = [
        mediaPlaylist(
            "apple-live-without-date",
            .error,
            "8.4",
            "a live playlist must have EXT-X-PROGRAM-DATE-TIME",
            dependsOn: [.programDateTime, .playlistType]
        ) { subject in
            guard subject.isLive, subject.isFull, !subject.segments.isEmpty, !subject.isDated else { return nil }
            return "the playlist is live and has no EXT-X-PROGRAM-DATE-TIME: write the time of broadcast before the "
                + "first segment and after each discontinuity"
        },
        mediaPlaylist(
            "apple-live-window-segments",
            .error,
            "8.11",
            "a live playlist must have at least 6 segments"
        ) { subject in
            guard subject.hasRemovedSegments, subject.segments.count < 6 else { return nil }
            return "the live playlist has \(subject.segments.count) of at least 6 segments: remove segments later"
        },
        mediaPlaylist(
            "apple-live-window-duration",
            .warning,
            "8.12",
            "a live playlist should have at least 15 minutes"
        ) { subject in
            guard subject.hasRemovedSegments, subject.segments.count >= 6, subject.playlist.duration < 900 else {
                return nil
            }
            return "the live playlist has \(subject.playlist.duration.inSeconds) of at least 15 minutes, so viewers "
                + "cannot go back further: remove segments later"
        },
        mediaPlaylist(
            "apple-discontinuity-sequence-missing",
            .error,
            "8.17",
            "a live playlist with a discontinuity must have EXT-X-DISCONTINUITY-SEQUENCE",
            at: .discontinuity,
            dependsOn: [.discontinuitySequence, .playlistType]
        ) { subject in
            guard subject.isLive, subject.playlist.playlistType != .event, subject.isFull,
                subject.playlist.discontinuitySequence == nil,
                subject.segments.contains(where: \.segment.isDiscontinuity)
            else { return nil }
            return "the live playlist has EXT-X-DISCONTINUITY, but no EXT-X-DISCONTINUITY-SEQUENCE, so clients lose "
                + "count when the segment is removed: write #EXT-X-DISCONTINUITY-SEQUENCE:0 from the beginning"
        },
        LintRule(
            "apple-part-hold-back",
            .error,
            .media,
            section: "Apple 14.3",
            "PART-HOLD-BACK must be at least three times PART-TARGET",
            .media { subject, findings in
                guard let target = subject.playlist.partInf?.partTarget,
                    let holdBack = subject.playlist.serverControl?.partHoldBack,
                    // Less than twice PART-TARGET is a violation of part-hold-back-too-short.
                    !holdBack.isClearlyLess(than: 2 * target), holdBack.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    subject.file.line(of: .serverControl),
                    attribute: "PART-HOLD-BACK",
                    "PART-HOLD-BACK is \(holdBack.inSeconds), but three times PART-TARGET is \((3 * target).inSeconds)"
                )
            }
        ),
        mediaPlaylist(
            "apple-no-delta-updates",
            .warning,
            "14.4",
            "a low-latency playlist of more than 2 minutes should offer delta updates",
            at: .serverControl,
            dependsOn: [.serverControl]
        ) { subject in
            guard subject.isLive, subject.isFull, subject.playlist.partInf != nil, subject.playlist.duration > 120,
                subject.playlist.serverControl?.canSkipUntil == nil
            else { return nil }
            return "the low-latency playlist has \(subject.playlist.duration.inSeconds), and clients reload all of it "
                + "for each part: write CAN-SKIP-UNTIL in EXT-X-SERVER-CONTROL, and answer _HLS_skip=YES"
        },
        mediaPlaylist(
            "apple-no-date-range-updates",
            .warning,
            "14.5",
            "a low-latency playlist with delta updates and Date Ranges should have CAN-SKIP-DATERANGES",
            at: .serverControl,
            dependsOn: [.serverControl]
        ) { subject in
            guard subject.isLive, subject.playlist.partInf != nil, let control = subject.playlist.serverControl,
                control.canSkipUntil != nil, !control.canSkipDateRanges, !subject.dateRanges.all.isEmpty
            else { return nil }
            return "the playlist has EXT-X-DATERANGE tags, which every delta update repeats: write "
                + "CAN-SKIP-DATERANGES=YES, and answer _HLS_skip=v2"
        },
    ]
}

extension MediaSubject {
    /// True if the playlist is live and segments have been removed, so that the window has its full length.
    fileprivate var hasRemovedSegments: Bool {
        isLive && isFull && playlist.playlistType == nil && playlist.mediaSequence ?? 0 > 1 && !segments.isEmpty
    }
}
