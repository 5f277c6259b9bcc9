extension LintRule {
    /// The rules for Partial Segments, delta updates and EXT-X-SERVER-CONTROL.
    static let lowLatencyRules: [LintRule] = serverControlRules + partRules + preloadHintRules + skipRules

    private static let serverControlRules: [LintRule] = [
        LintRule(
            "part-inf-missing",
            .error,
            .media,
            section: "4.4.3.7",
            "a playlist with EXT-X-PART must have EXT-X-PART-INF",
            .media { subject, findings in
                // Rejected tags count as present here.
                guard !subject.file.has(.partInf) else { return }
                let first = subject.lines.first { line in
                    switch line.content {
                    case .tag(.part), .refused(.part): true
                    default: false
                    }
                }
                guard let first else { return }
                findings.report(
                    first,
                    "the playlist has EXT-X-PART but no EXT-X-PART-INF: add it with the Part Target Duration"
                )
            }
        ),
        LintRule(
            "part-hold-back-missing",
            .error,
            .media,
            section: "4.4.3.8",
            "a playlist with EXT-X-PART-INF must have PART-HOLD-BACK",
            .media { subject, findings in
                guard let inf = subject.playlist.partInf, subject.playlist.serverControl?.partHoldBack == nil,
                    !subject.file.isRefused(.serverControl)
                else { return }
                findings.report(
                    subject.file.line(of: .partInf),
                    "the playlist has EXT-X-PART-INF, but EXT-X-SERVER-CONTROL has no PART-HOLD-BACK: add it with "
                        + "\((3 * inf.partTarget).inSeconds) or more"
                )
            }
        ),
        LintRule(
            "part-hold-back-too-short",
            .error,
            .media,
            section: "4.4.3.8",
            "PART-HOLD-BACK must be at least twice PART-TARGET",
            .media { subject, findings in
                guard let target = subject.playlist.partInf?.partTarget,
                    let hold = subject.playlist.serverControl?.partHoldBack, hold.isClearlyLess(than: 2 * target)
                else { return }
                findings.report(
                    subject.file.line(of: .serverControl),
                    attribute: "PART-HOLD-BACK",
                    "PART-HOLD-BACK is \(hold.inSeconds), less than twice the PART-TARGET of \(target.inSeconds)"
                )
            }
        ),
        LintRule(
            "part-hold-back-short",
            .warning,
            .media,
            section: "4.4.3.8",
            "PART-HOLD-BACK should be at least three times PART-TARGET",
            .media { subject, findings in
                guard let target = subject.playlist.partInf?.partTarget,
                    let hold = subject.playlist.serverControl?.partHoldBack, !hold.isClearlyLess(than: 2 * target),
                    hold.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    subject.file.line(of: .serverControl),
                    attribute: "PART-HOLD-BACK",
                    "PART-HOLD-BACK is \(hold.inSeconds), less than three times the PART-TARGET of "
                        + "\(target.inSeconds), so playback stalls easily when a part is late"
                )
            }
        ),
        LintRule(
            "can-block-reload-missing",
            .warning,
            .media,
            section: "B.1",
            "a live playlist with EXT-X-PART-INF should have CAN-BLOCK-RELOAD=YES",
            .media { subject, findings in
                guard subject.playlist.partInf != nil, !subject.file.has(.endList),
                    subject.playlist.serverControl?.canBlockReload != true, !subject.file.isRefused(.serverControl)
                else { return }
                findings.report(
                    subject.file.line(of: .partInf),
                    "the playlist has EXT-X-PART-INF, but EXT-X-SERVER-CONTROL has no CAN-BLOCK-RELOAD=YES, without "
                        + "which clients do not play with low latency: add it if the server supports it"
                )
            }
        ),
        LintRule(
            "hold-back-too-short",
            .error,
            .media,
            section: "4.4.3.8",
            "HOLD-BACK must be at least three Target Durations",
            .media { subject, findings in
                guard let target = subject.targetDuration, let hold = subject.playlist.serverControl?.holdBack,
                    hold.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    subject.file.line(of: .serverControl),
                    attribute: "HOLD-BACK",
                    "HOLD-BACK is \(hold.inSeconds), less than three Target Durations, \((3 * target).inSeconds)"
                )
            }
        ),
        LintRule(
            "can-skip-until-too-short",
            .error,
            .media,
            section: "4.4.3.8",
            "CAN-SKIP-UNTIL must be at least six Target Durations",
            .media { subject, findings in
                guard let target = subject.targetDuration, let until = subject.playlist.serverControl?.canSkipUntil,
                    until.isClearlyLess(than: 6 * target)
                else { return }
                findings.report(
                    subject.file.line(of: .serverControl),
                    attribute: "CAN-SKIP-UNTIL",
                    "CAN-SKIP-UNTIL is \(until.inSeconds), less than six Target Durations, \((6 * target).inSeconds)"
                )
            }
        ),
        LintRule(
            "can-skip-dateranges-without-skip-until",
            .error,
            .media,
            section: "4.4.3.8",
            "a tag with CAN-SKIP-DATERANGES must have CAN-SKIP-UNTIL",
            .media { subject, findings in
                guard let line = subject.file.line(of: .serverControl),
                    subject.playlist.serverControl?.canSkipUntil == nil,
                    line.rawAttribute("CAN-SKIP-DATERANGES") != nil
                else { return }
                findings.report(
                    line,
                    attribute: "CAN-SKIP-DATERANGES",
                    "the tag has CAN-SKIP-DATERANGES but no CAN-SKIP-UNTIL: add CAN-SKIP-UNTIL, the Skip Boundary"
                )
            }
        ),
    ]

    private static let skipRules: [LintRule] = [
        LintRule(
            "skip-without-support",
            .error,
            .media,
            section: "6.2.5.1",
            "a delta update must have CAN-SKIP-UNTIL",
            .media { subject, findings in
                guard subject.playlist.skip != nil, subject.playlist.serverControl?.canSkipUntil == nil,
                    !subject.file.isRefused(.serverControl)
                else { return }
                findings.report(
                    subject.file.line(of: .skip),
                    "the playlist has EXT-X-SKIP, but EXT-X-SERVER-CONTROL has no CAN-SKIP-UNTIL, which offers delta "
                        + "updates"
                )
            }
        ),
        LintRule(
            "skip-dateranges-without-support",
            .error,
            .media,
            section: "6.2.5.1",
            "a delta update that leaves out Date Ranges must have CAN-SKIP-DATERANGES=YES",
            .media { subject, findings in
                guard subject.playlist.skip?.recentlyRemovedDateRanges != nil,
                    subject.playlist.serverControl?.canSkipDateRanges != true,
                    !subject.file.isRefused(.serverControl)
                else { return }
                findings.report(
                    subject.file.line(of: .skip),
                    attribute: "RECENTLY-REMOVED-DATERANGES",
                    "EXT-X-SKIP has RECENTLY-REMOVED-DATERANGES, but EXT-X-SERVER-CONTROL has no "
                        + "CAN-SKIP-DATERANGES=YES"
                )
            }
        ),
        LintRule(
            "skip-with-endlist",
            .error,
            .media,
            section: "6.2.5.1",
            "a playlist with EXT-X-ENDLIST must not be a delta update",
            .media { subject, findings in
                guard subject.playlist.skip != nil, subject.playlist.isEnded else { return }
                findings.report(
                    subject.file.line(of: .skip),
                    "the playlist has EXT-X-SKIP and EXT-X-ENDLIST: send the full playlist"
                )
            }
        ),
        LintRule(
            "skip-after-segment",
            .error,
            .media,
            section: "4.4.5.2",
            "EXT-X-SKIP must precede the first segment",
            .media { subject, findings in
                guard let line = subject.file.line(of: .skip), let first = subject.segments.first,
                    first.uriLine.number < line.number
                else { return }
                findings.report(
                    line,
                    "EXT-X-SKIP replaces the oldest segments, but it follows the segment on line "
                        + "\(first.uriLine.number): move it before"
                )
            }
        ),
        LintRule(
            "skip-boundary-exceeded",
            .error,
            .media,
            section: "6.2.5.1",
            "the segments and parts after EXT-X-SKIP must last at least CAN-SKIP-UNTIL",
            .media { subject, findings in
                guard let line = subject.file.line(of: .skip),
                    let until = subject.playlist.serverControl?.canSkipUntil
                else { return }
                // The playlist ends with the last Partial Segment.
                let parts = subject.playlist.upcoming.parts.reduce(0) { $0 + $1.duration }
                let left = subject.segments.lazy.filter { $0.uriLine.number > line.number }
                    .reduce(parts) { $0 + $1.segment.duration }
                guard left.isClearlyLess(than: until) else { return }
                findings.report(
                    line,
                    "the duration of the segments after EXT-X-SKIP is \(left.inSeconds), less than the CAN-SKIP-UNTIL "
                        + "of \(until.inSeconds): skip fewer segments"
                )
            }
        ),
    ]
}
