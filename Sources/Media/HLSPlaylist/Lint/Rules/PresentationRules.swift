extension LintRule {
    /// What holds between a Multivariant Playlist and its Media Playlists.
    static let presentationRules: [LintRule] =
        referenceRules + agreementRules + timelineRules + bandwidthRules + inheritanceRules

    /// What the tags of the Multivariant Playlist lead to.
    private static let referenceRules: [LintRule] = [
        LintRule(
            "media-playlist-missing",
            .error,
            .presentation,
            section: "6.2.4",
            "the Media Playlists of all variants and renditions can be read",
            .presentation { subject, findings in
                for reference in subject.references where reference.file == nil {
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        "\(Shown.uri(reference.uri)) cannot be read"
                    )
                }
            }
        ),
        LintRule(
            "variant-is-multivariant",
            .error,
            .presentation,
            section: "4.4.6.2",
            "variants and renditions are Media Playlists",
            .presentation { subject, findings in
                for reference in subject.references {
                    guard let file = reference.file, file.isJudged, case .multivariant = file.playlist else { continue }
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        "\(Shown.uri(reference.uri)) is a Multivariant Playlist: name a Media Playlist instead"
                    )
                }
            }
        ),
        LintRule(
            "i-frame-variant-without-tag",
            .error,
            .presentation,
            section: "4.4.6.3",
            "the playlist of an EXT-X-I-FRAME-STREAM-INF has EXT-X-I-FRAMES-ONLY",
            .presentation { subject, findings in
                for member in subject.members where member.isIFrameVariant && !member.media.playlist.isIFramesOnly {
                    findings.report(
                        member.media.file,
                        nil,
                        "an EXT-X-I-FRAME-STREAM-INF names the playlist, but it has no EXT-X-I-FRAMES-ONLY"
                    )
                }
            }
        ),
        LintRule(
            "i-frames-in-variant",
            .error,
            .presentation,
            section: "4.4.6.3",
            "the playlist of an EXT-X-STREAM-INF has no EXT-X-I-FRAMES-ONLY",
            .presentation { subject, findings in
                for member in subject.members where member.isVariant && member.media.playlist.isIFramesOnly {
                    findings.report(
                        member.media.file,
                        member.media.file.line(of: .iFramesOnly),
                        "an EXT-X-STREAM-INF names this playlist of I-frames, which plays as a slide show: "
                            + "name it by EXT-X-I-FRAME-STREAM-INF"
                    )
                }
            }
        ),
    ]

    /// What all Media Playlists say alike.
    private static let agreementRules: [LintRule] = [
        LintRule(
            "target-durations-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "all Media Playlists have the same Target Duration (subtitles and I-frames of VOD may have others)",
            .presentation { subject, findings in
                let members = subject.members.filter { member in
                    let playlist = member.media.playlist
                    let isFree = playlist.playlistType == .vod && (member.isSubtitles || playlist.isIFramesOnly)
                    return playlist.targetDuration > 0 && !isFree
                }
                members.map(\.media).compare({ $0.playlist.targetDuration }) { media, own, first, expected in
                    findings.report(
                        media.file,
                        media.file.line(of: .targetDuration),
                        "the Target Duration is \(own) s, but \(expected) s in \(ReadingContext.quoted(first.file.name))"
                    )
                }
            }
        ),
        LintRule(
            "playlist-types-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "all Media Playlists have the same EXT-X-PLAYLIST-TYPE, or none has one",
            .presentation { subject, findings in
                subject.mediaPlaylists.compare({ $0.playlistType }) { media, own, first, expected in
                    findings.report(
                        media.file,
                        own == nil ? nil : media.file.line(of: .playlistType),
                        "EXT-X-PLAYLIST-TYPE is \(own?.rawValue ?? "missing"), but \(expected?.rawValue ?? "missing") in "
                            + ReadingContext.quoted(first.file.name)
                    )
                }
            }
        ),
    ]
}

extension MediaSubject {
    /// The type, if it is one that the draft defines.
    fileprivate var playlistType: PlaylistType? {
        playlist.playlistType.flatMap { PlaylistType.defined.contains($0) ? $0 : nil }
    }
}

extension [MediaSubject] {
    /// Compares each Media Playlist with the first.
    ///
    /// - Parameters:
    ///   - value: What must be the same.
    ///   - report: Gets one that differs, what it has, the first, and what that has.
    func compare<Value: Equatable>(
        _ value: (MediaSubject) -> Value,
        report: (_ media: MediaSubject, _ own: Value, _ first: MediaSubject, _ expected: Value) -> Void
    ) {
        guard let first else { return }
        let expected = value(first)
        for media in dropFirst() {
            let own = value(media)
            if own != expected { report(media, own, first, expected) }
        }
    }
}
