extension LintRule {
    /// The rules for tags of the Multivariant Playlist that apply to its Media Playlists too.
    static let inheritanceRules: [LintRule] = [
        LintRule(
            "start-in-both",
            .warning,
            .presentation,
            section: "4.4.2.2",
            "Media Playlists should not repeat EXT-X-START of the Multivariant Playlist",
            .presentation { subject, findings in
                guard let start = subject.multivariant.playlist.start else { return }
                for media in subject.mediaPlaylists {
                    guard let own = media.playlist.start, own.hasValues(of: start) else { continue }
                    findings.report(
                        media.file,
                        repeating: .start,
                        of: subject.multivariant.file,
                        "EXT-X-START is also in the Multivariant Playlist, and applies to all Media Playlists: remove "
                            + "one of the two"
                    )
                }
            }
        ),
        LintRule(
            "start-values-differ",
            .error,
            .presentation,
            section: "4.4.2.2",
            "EXT-X-START of a Media Playlist must have the same values as in the Multivariant Playlist",
            .presentation { subject, findings in
                guard let start = subject.multivariant.playlist.start else { return }
                for media in subject.mediaPlaylists {
                    guard let own = media.playlist.start, !own.hasValues(of: start) else { continue }
                    findings.report(
                        media.file,
                        repeating: .start,
                        of: subject.multivariant.file,
                        "EXT-X-START is \(own.shown), but \(start.shown) in the Multivariant Playlist, which clients "
                            + "use: remove one of the two"
                    )
                }
            }
        ),
        LintRule(
            "independent-segments-in-both",
            .warning,
            .presentation,
            section: "4.4.2.1",
            "Media Playlists should not repeat EXT-X-INDEPENDENT-SEGMENTS of the Multivariant Playlist",
            .presentation { subject, findings in
                guard subject.multivariant.playlist.isIndependentSegments else { return }
                for media in subject.mediaPlaylists where media.playlist.isIndependentSegments {
                    findings.report(
                        media.file,
                        repeating: .independentSegments,
                        of: subject.multivariant.file,
                        "EXT-X-INDEPENDENT-SEGMENTS is also in the Multivariant Playlist, and applies to all Media "
                            + "Playlists: remove one of the two"
                    )
                }
            }
        ),
    ]
}

extension StartTag {
    fileprivate func hasValues(of other: StartTag) -> Bool {
        timeOffset == other.timeOffset && (isPrecise ?? false) == (other.isPrecise ?? false)
    }

    fileprivate var shown: String {
        "TIME-OFFSET=\(Decimal.text(timeOffset) ?? "?"),PRECISE=\(isPrecise == true ? "YES" : "NO")"
    }
}

extension PresentationFindings {
    /// Adds a finding for a tag of a Media Playlist that the Multivariant Playlist has too.
    fileprivate mutating func report(
        _ media: LintFile,
        repeating tag: TagName,
        of multivariant: LintFile,
        _ message: String
    ) {
        let other = LintFinding.Place(multivariant, multivariant.line(of: tag))
        report(media, media.line(of: tag), other: other, message)
    }
}
