import TextCoding

extension LintRule {
    /// The rules for changes between two snapshots of a Media Playlist.
    static let reloadRules: [LintRule] =
        sequenceRules + reloadSegmentRules + reloadPartRules + reloadPlaylistRules + [
            LintRule(
                "skip-not-in-base",
                .error,
                .reload,
                section: "6.3.7",
                "a delta update must only skip segments that the previous snapshot has",
                .reload { subject, findings in
                    guard case .skipNotInBase = subject.comparison.obstacle else { return }
                    let first = subject.after.playlist.mediaSequence ?? 0
                    let skipped = subject.after.playlist.skip?.skippedSegments ?? 0
                    findings.report(
                        subject.after.file.line(of: .skip),
                        "EXT-X-SKIP skips \(counted(skipped, "segment")), starting with number \(first), but "
                            + "the previous snapshot does not have all of them: a client must request the full playlist"
                    )
                }
            )
        ]

    private static let sequenceRules: [LintRule] = [
        LintRule(
            "reload-vod-changed",
            .error,
            .reload,
            section: "6.2.1",
            "a playlist of type VOD must not change",
            .reload { subject, findings in
                guard case .vodChanged = subject.comparison.obstacle else { return }
                findings.report(nil, "the playlist has changed, although its EXT-X-PLAYLIST-TYPE was VOD")
            }
        ),
        LintRule(
            "reload-sequence-decreased",
            .error,
            .reload,
            section: "6.2.2",
            "the Media Sequence Number must not decrease",
            .reload { subject, findings in
                guard case .sequenceDecreased = subject.comparison.obstacle else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "the Media Sequence Number of the first segment decreased from "
                        + "\(subject.before.playlist.mediaSequence ?? 0) "
                        + "to \(subject.after.playlist.mediaSequence ?? 0)"
                )
            }
        ),
        LintRule(
            "reload-sequence-missing",
            .error,
            .reload,
            section: "6.2.2",
            "a playlist from which segments are removed must have EXT-X-MEDIA-SEQUENCE",
            .reload { subject, findings in
                guard case .sequenceMissing = subject.comparison.obstacle else { return }
                findings.report(
                    nil,
                    "segments were removed from the start, but the playlist has no EXT-X-MEDIA-SEQUENCE"
                )
            }
        ),
        LintRule(
            "reload-sequence-wrong",
            .error,
            .reload,
            section: "6.2.2",
            "EXT-X-MEDIA-SEQUENCE must increase by the number of segments that were removed",
            .reload { subject, findings in
                guard case .sequenceWrong(let number) = subject.comparison.obstacle else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "EXT-X-MEDIA-SEQUENCE is \(subject.after.playlist.mediaSequence ?? 0), but in the previous "
                        + "snapshot the first segment had the number \(number)"
                )
            }
        ),
        LintRule(
            "reload-target-duration-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the Target Duration must not change",
            .reload { subject, findings in
                guard subject.comparesHeaders, subject.before.file.line(of: .targetDuration) != nil,
                    let line = subject.after.file.line(of: .targetDuration),
                    subject.before.playlist.targetDuration != subject.after.playlist.targetDuration
                else { return }
                findings.report(
                    line,
                    "EXT-X-TARGETDURATION changed from \(subject.before.playlist.targetDuration) to "
                        + "\(subject.after.playlist.targetDuration): it must not change"
                )
            }
        ),
        LintRule(
            "reload-header-changed",
            .error,
            .reload,
            section: "6.2.1",
            "tags that apply to the whole playlist must not change",
            .reload { subject, findings in
                guard subject.comparesHeaders else { return }
                let before = subject.before.playlist.invariantTags
                let after = subject.after.playlist.invariantTags
                for name in TagName.allCases where before[name] != after[name] {
                    // A delta update may need a higher version.
                    if name == .version, !subject.after.isFull { continue }
                    let change =
                        before[name] == nil
                        ? "was added" : after[name] == nil ? "was removed" : "has changed"
                    findings.report(
                        subject.after.file.line(of: name),
                        "\(name.rawValue) \(change): it must not change while the playlist is served"
                    )
                }
            }
        ),
    ]
}

extension ReloadSubject {
    /// True if rules compare the tags that apply to the whole playlist.
    fileprivate var comparesHeaders: Bool {
        switch comparison.obstacle {
        case .skipNotInBase, .vodChanged: false
        default: true
        }
    }

    /// True if rules compare segments.
    var comparesSegments: Bool { comparison.obstacle == nil }
}

extension MediaPlaylist {
    /// The tags that apply to the whole playlist and must not change.
    fileprivate var invariantTags: [TagName: PlaylistTag] {
        var tags: [TagName: PlaylistTag] = [:]
        for tag in headerTags {
            switch tag.name {
            case .version, .independentSegments, .start, .playlistType, .iFramesOnly, .partInf, .serverControl:
                tags[tag.name] = tag
            default: break
            }
        }
        return tags
    }
}
