extension LintRule {
    /// The rules for a Multivariant Playlist together with its Media Playlists.
    static let presentationRules: [LintRule] =
        referenceRules + agreementRules + timelineRules + bandwidthRules + inheritanceRules

    /// The rules for the playlists to which the Multivariant Playlist refers.
    private static let referenceRules: [LintRule] = [
        LintRule(
            "media-playlist-missing",
            .error,
            .presentation,
            section: "6.2.4",
            "the Media Playlists of all variants and renditions must be readable",
            .presentation { subject, findings in
                for reference in subject.references where reference.file == nil {
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        "the playlist \(MessageFormat.uri(reference.uri)) cannot be read: correct the URI, or add the "
                            + "playlist"
                    )
                }
            }
        ),
        LintRule(
            "variant-is-multivariant",
            .error,
            .presentation,
            section: "4.4.6.2",
            "variants and renditions must be Media Playlists",
            .presentation { subject, findings in
                for reference in subject.references {
                    guard let file = reference.file, file.isCheckable, case .multivariant = file.playlist else {
                        continue
                    }
                    findings.report(
                        subject.multivariant.file,
                        reference.line,
                        "\(MessageFormat.uri(reference.uri)) is a Multivariant Playlist: write the URI of a Media "
                            + "Playlist"
                    )
                }
            }
        ),
        LintRule(
            "i-frame-variant-without-tag",
            .error,
            .presentation,
            section: "4.4.6.3",
            "the playlist of an EXT-X-I-FRAME-STREAM-INF must have EXT-X-I-FRAMES-ONLY",
            .presentation { subject, findings in
                for member in subject.members where member.isIFrameVariant && !member.media.playlist.isIFramesOnly {
                    findings.report(
                        member.media.file,
                        nil,
                        "an EXT-X-I-FRAME-STREAM-INF refers to this playlist, but the playlist has no "
                            + "EXT-X-I-FRAMES-ONLY"
                    )
                }
            }
        ),
        LintRule(
            "i-frames-in-variant",
            .error,
            .presentation,
            section: "4.4.6.3",
            "the playlist of an EXT-X-STREAM-INF must not have EXT-X-I-FRAMES-ONLY",
            .presentation { subject, findings in
                for member in subject.members where member.isVariant && member.media.playlist.isIFramesOnly {
                    findings.report(
                        member.media.file,
                        member.media.file.line(of: .iFramesOnly),
                        "an EXT-X-STREAM-INF refers to this I-frame playlist, which would play as a slide show: "
                            + "use EXT-X-I-FRAME-STREAM-INF"
                    )
                }
            }
        ),
    ]

    /// The rules for values that must be the same in all Media Playlists.
    private static let agreementRules: [LintRule] = [
        LintRule(
            "target-durations-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "all Media Playlists must have the same Target Duration, except subtitles and I-frame playlists of type "
                + "VOD",
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
                        other: LintFinding.Place(first.file, first.file.line(of: .targetDuration)),
                        "the Target Duration is \(own) s, but \(expected) s in "
                            + "\(MessageFormat.file(first.file.name))"
                    )
                }
            }
        ),
        LintRule(
            "playlist-types-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "EXT-X-PLAYLIST-TYPE must be the same in all Media Playlists, or absent from all",
            .presentation { subject, findings in
                subject.mediaPlaylists.compare({ $0.playlistType }) { media, own, first, expected in
                    findings.report(
                        media.file,
                        own == nil ? nil : media.file.line(of: .playlistType),
                        other: LintFinding.Place(first.file, first.file.line(of: .playlistType)),
                        "EXT-X-PLAYLIST-TYPE is \(own?.rawValue ?? "missing"), but \(expected?.rawValue ?? "missing") "
                            + "in "
                            + MessageFormat.file(first.file.name)
                    )
                }
            }
        ),
    ]
}

extension MediaSubject {
    /// The playlist type, if the draft defines it; otherwise nil.
    fileprivate var playlistType: PlaylistType? {
        playlist.playlistType.flatMap { PlaylistType.defined.contains($0) ? $0 : nil }
    }
}

extension [MediaSubject] {
    /// Compares each Media Playlist with the first.
    ///
    /// - Parameters:
    ///   - value: Returns the value that must be the same.
    ///   - report: Receives a playlist that differs and its value, then the first playlist and its value.
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
