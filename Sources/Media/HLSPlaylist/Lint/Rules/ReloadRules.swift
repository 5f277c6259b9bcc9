extension LintRule {
    /// What may change from one snapshot of a Media Playlist to the next.
    static let reloadRules: [LintRule] =
        sequenceRules + reloadSegmentRules + reloadPlaylistRules + [
            LintRule(
                "skip-not-in-base",
                .error,
                .reload,
                section: "6.3.7",
                "a delta update leaves out no segment that the snapshot before does not have",
                .reload { subject, findings in
                    guard case .skipNotInBase = subject.comparison.obstacle else { return }
                    let first = subject.after.playlist.mediaSequence ?? 0
                    let skipped = subject.after.playlist.skip?.skippedSegments ?? 0
                    findings.report(
                        subject.after.file.line(of: .skip),
                        "EXT-X-SKIP leaves out \(skipped) segments from number \(first) on, which the playlist before does not "
                            + "have: a client must ask for the whole playlist"
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
            "a playlist of type VOD does not change",
            .reload { subject, findings in
                guard case .vodChanged = subject.comparison.obstacle else { return }
                findings.report(nil, "the playlist has changed although its EXT-X-PLAYLIST-TYPE was VOD")
            }
        ),
        LintRule(
            "reload-sequence-decreased",
            .error,
            .reload,
            section: "6.2.2",
            "the Media Sequence Number never decreases",
            .reload { subject, findings in
                guard case .sequenceDecreased = subject.comparison.obstacle else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "the first Media Sequence Number was \(subject.before.playlist.mediaSequence ?? 0) and is "
                        + "\(subject.after.playlist.mediaSequence ?? 0); it must not decrease"
                )
            }
        ),
        LintRule(
            "reload-sequence-missing",
            .error,
            .reload,
            section: "6.2.2",
            "a playlist from which segments are removed has EXT-X-MEDIA-SEQUENCE",
            .reload { subject, findings in
                guard case .sequenceMissing = subject.comparison.obstacle else { return }
                findings.report(nil, "segments were removed from the beginning, but there is no EXT-X-MEDIA-SEQUENCE")
            }
        ),
        LintRule(
            "reload-sequence-wrong",
            .error,
            .reload,
            section: "6.2.2",
            "EXT-X-MEDIA-SEQUENCE grows by the number of the segments that were removed",
            .reload { subject, findings in
                guard case .sequenceWrong(let number) = subject.comparison.obstacle else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "EXT-X-MEDIA-SEQUENCE is \(subject.after.playlist.mediaSequence ?? 0), but the first segment had number "
                        + "\(number) before"
                )
            }
        ),
        LintRule(
            "reload-target-duration-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the Target Duration does not change",
            .reload { subject, findings in
                guard subject.comparesHeaders, subject.before.file.line(of: .targetDuration) != nil,
                    let line = subject.after.file.line(of: .targetDuration),
                    subject.before.playlist.targetDuration != subject.after.playlist.targetDuration
                else { return }
                findings.report(
                    line,
                    "EXT-X-TARGETDURATION was \(subject.before.playlist.targetDuration) and is "
                        + "\(subject.after.playlist.targetDuration); it must stay"
                )
            }
        ),
        LintRule(
            "reload-header-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the tags that hold for the whole playlist do not change",
            .reload { subject, findings in
                guard subject.comparesHeaders else { return }
                let before = subject.before.playlist.steadyTags
                let after = subject.after.playlist.steadyTags
                for name in TagName.allCases where before[name] != after[name] {
                    // A delta update may need a higher version.
                    if name == .version, !subject.after.isFull { continue }
                    let what =
                        before[name] == nil
                        ? "is new" : after[name] == nil ? "has gone" : "has another value than before"
                    findings.report(
                        subject.after.file.line(of: name),
                        "\(name.rawValue) \(what); it must not change while the playlist is served"
                    )
                }
            }
        ),
    ]
}

extension ReloadSubject {
    /// Whether tags of the playlist as a whole are compared.
    fileprivate var comparesHeaders: Bool {
        switch comparison.obstacle {
        case .skipNotInBase, .vodChanged: false
        default: true
        }
    }

    /// Whether segments are compared.
    var comparesSegments: Bool { comparison.obstacle == nil }
}

extension MediaPlaylist {
    /// The tags of the playlist as a whole that must stay.
    fileprivate var steadyTags: [TagName: PlaylistTag] {
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
