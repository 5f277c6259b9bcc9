extension LintRule {
    /// Partial Segments, delta updates and what a server offers.
    static let lowLatencyRules: [LintRule] = serverControlRules + partRules + preloadHintRules + skipRules

    private static let serverControlRules: [LintRule] = [
        LintRule(
            "part-inf-missing",
            .error,
            .media,
            section: "4.4.3.7",
            "a playlist with EXT-X-PART has EXT-X-PART-INF",
            .media { subject, findings in
                // Refused tags count as present here.
                guard !subject.file.has(.partInf) else { return }
                let first = subject.lines.first { line in
                    switch line.content {
                    case .tag(.part), .refused(.part): true
                    default: false
                    }
                }
                guard let first else { return }
                findings.report(first, "there is EXT-X-PART but no EXT-X-PART-INF that gives the Part Target Duration")
            }
        ),
        LintRule(
            "part-hold-back-missing",
            .error,
            .media,
            section: "4.4.3.8",
            "a playlist with EXT-X-PART-INF has PART-HOLD-BACK",
            .media { subject, findings in
                guard let inf = subject.playlist.partInf, subject.playlist.serverControl?.partHoldBack == nil else {
                    return
                }
                findings.report(
                    subject.file.line(of: .partInf),
                    "there is EXT-X-PART-INF, but EXT-X-SERVER-CONTROL has no PART-HOLD-BACK; make it "
                        + "\((3 * inf.partTarget).inSeconds) or more"
                )
            }
        ),
        LintRule(
            "part-hold-back-too-short",
            .error,
            .media,
            section: "4.4.3.8",
            "PART-HOLD-BACK is at least twice PART-TARGET",
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
            "PART-HOLD-BACK is at least three times PART-TARGET",
            .media { subject, findings in
                guard let target = subject.playlist.partInf?.partTarget,
                    let hold = subject.playlist.serverControl?.partHoldBack, !hold.isClearlyLess(than: 2 * target),
                    hold.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    subject.file.line(of: .serverControl),
                    attribute: "PART-HOLD-BACK",
                    "PART-HOLD-BACK is \(hold.inSeconds), less than three times the PART-TARGET of \(target.inSeconds), "
                        + "which leaves little room for a late part"
                )
            }
        ),
        LintRule(
            "hold-back-too-short",
            .error,
            .media,
            section: "4.4.3.8",
            "HOLD-BACK is at least three Target Durations",
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
            "CAN-SKIP-UNTIL is at least six Target Durations",
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
            "can-skip-dateranges-alone",
            .error,
            .media,
            section: "4.4.3.8",
            "CAN-SKIP-DATERANGES stands beside CAN-SKIP-UNTIL",
            .media { subject, findings in
                guard let line = subject.file.line(of: .serverControl),
                    subject.playlist.serverControl?.canSkipUntil == nil,
                    line.rawAttribute("CAN-SKIP-DATERANGES") != nil
                else { return }
                findings.report(
                    line,
                    attribute: "CAN-SKIP-DATERANGES",
                    "CAN-SKIP-DATERANGES has no CAN-SKIP-UNTIL beside it, which says how much can be skipped"
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
            "a delta update has CAN-SKIP-UNTIL",
            .media { subject, findings in
                guard subject.playlist.skip != nil, subject.playlist.serverControl?.canSkipUntil == nil else { return }
                findings.report(
                    subject.file.line(of: .skip),
                    "EXT-X-SKIP stands here, but EXT-X-SERVER-CONTROL has no CAN-SKIP-UNTIL that offers delta updates"
                )
            }
        ),
        LintRule(
            "skip-dateranges-without-support",
            .error,
            .media,
            section: "6.2.5.1",
            "a delta update that leaves out Date Ranges has CAN-SKIP-DATERANGES=YES",
            .media { subject, findings in
                guard subject.playlist.skip?.recentlyRemovedDateRanges != nil,
                    subject.playlist.serverControl?.canSkipDateRanges != true
                else { return }
                findings.report(
                    subject.file.line(of: .skip),
                    attribute: "RECENTLY-REMOVED-DATERANGES",
                    "RECENTLY-REMOVED-DATERANGES stands here, but EXT-X-SERVER-CONTROL has no CAN-SKIP-DATERANGES=YES"
                )
            }
        ),
        LintRule(
            "skip-with-endlist",
            .error,
            .media,
            section: "6.2.5.1",
            "a playlist with EXT-X-ENDLIST is sent whole",
            .media { subject, findings in
                guard subject.playlist.skip != nil, subject.playlist.isEnded else { return }
                findings.report(
                    subject.file.line(of: .skip),
                    "EXT-X-SKIP stands in a playlist with EXT-X-ENDLIST, which must be sent whole"
                )
            }
        ),
        LintRule(
            "skip-after-segment",
            .error,
            .media,
            section: "4.4.5.2",
            "EXT-X-SKIP stands before the first segment",
            .media { subject, findings in
                guard let line = subject.file.line(of: .skip), let first = subject.segments.first,
                    first.uriLine.number < line.number
                else { return }
                findings.report(
                    line,
                    "EXT-X-SKIP stands after the segment of line \(first.uriLine.number), but replaces the oldest segments"
                )
            }
        ),
        LintRule(
            "skip-too-much",
            .error,
            .media,
            section: "6.2.5.1",
            "the segments that a delta update does not leave out last CAN-SKIP-UNTIL or longer",
            .media { subject, findings in
                guard let line = subject.file.line(of: .skip),
                    let until = subject.playlist.serverControl?.canSkipUntil
                else { return }
                let left = subject.segments.lazy.filter { $0.uriLine.number > line.number }
                    .reduce(0) { $0 + $1.segment.duration }
                guard left.isClearlyLess(than: until) else { return }
                findings.report(
                    line,
                    "the segments after EXT-X-SKIP last \(left.inSeconds), less than the CAN-SKIP-UNTIL of "
                        + "\(until.inSeconds): leave out fewer"
                )
            }
        ),
    ]
}
