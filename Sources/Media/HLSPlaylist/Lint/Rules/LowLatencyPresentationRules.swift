extension LintRule {
    /// The rules for EXT-X-RENDITION-REPORT in low-latency presentations.
    static let lowLatencyPresentationRules: [LintRule] = [
        LintRule(
            "rendition-report-missing",
            .warning,
            .presentation,
            section: "B.1",
            "a live playlist with Partial Segments should have a rendition report for every other Media Playlist",
            .presentation { subject, findings in
                let reported = subject.mediaPlaylists.filter {
                    $0.playlist.partInf != nil && !$0.playlist.isIFramesOnly
                }
                let names = subject.namesByURI
                for media in subject.mediaPlaylists where media.playlist.partInf != nil && !media.playlist.isEnded {
                    let known = Set(media.playlist.renditionReports.compactMap { names[media.resolve($0.uri)] })
                    // The search takes at most one step more than there are reports.
                    let missing = reported.first { $0.file.name != media.file.name && !known.contains($0.file.name) }
                    guard let missing else { continue }
                    findings.report(
                        media.file,
                        nil,
                        other: LintFinding.Place(missing.file, nil),
                        "the playlist has no EXT-X-RENDITION-REPORT for \(MessageFormat.file(missing.file.name)), "
                            + "so a client that switches to that playlist has to load it twice: add the tag"
                    )
                }
            }
        ),
        LintRule(
            "rendition-report-unknown",
            .warning,
            .presentation,
            section: "4.4.5.4",
            "the URI of an EXT-X-RENDITION-REPORT should be that of a Media Playlist of the presentation",
            .presentation { subject, findings in
                let names = subject.namesByURI
                for media in subject.mediaPlaylists where !media.playlist.renditionReports.isEmpty {
                    for line in media.lines {
                        guard case .tag(.renditionReport(let tag)) = line.content else { continue }
                        guard names[media.resolve(tag.uri)] == nil else { continue }
                        findings.report(
                            media.file,
                            line,
                            attribute: "URI",
                            "\(MessageFormat.uri(tag.uri)) is not a Media Playlist of the presentation: correct the "
                                + "URI, or remove the tag"
                        )
                    }
                }
            }
        ),
    ]
}

extension MediaSubject {
    fileprivate func resolve(_ uri: String) -> String { URIReference.resolve(uri, against: file.name) }
}

extension PresentationSubject {
    /// The names of the Media Playlists by URI: both by the resolved URI of the tag and by the URI from which the
    /// playlist was loaded.
    fileprivate var namesByURI: [String: String] {
        var names: [String: String] = [:]
        for reference in references {
            names[reference.uri] = reference.media?.file.name ?? reference.uri
            if let media = reference.media { names[media.file.name] = media.file.name }
        }
        return names
    }
}
