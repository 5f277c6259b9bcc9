extension LintRule {
    /// What playlists of low latency say about each other.
    static let lowLatencyPresentationRules: [LintRule] = [
        LintRule(
            "rendition-report-missing",
            .warning,
            .presentation,
            section: "B.1",
            "a live Media Playlist with partial segments reports on every other one, so that clients can switch at once",
            .presentation { subject, findings in
                let reported = subject.mediaPlaylists.filter {
                    $0.playlist.partInf != nil && !$0.playlist.isIFramesOnly
                }
                let names = subject.namesByURI
                for media in subject.mediaPlaylists where media.playlist.partInf != nil && !media.playlist.isEnded {
                    let known = Set(media.playlist.renditionReports.compactMap { names[media.resolve($0.uri)] })
                    // Ends after one more step than there are reports.
                    let missing = reported.first { $0.file.name != media.file.name && !known.contains($0.file.name) }
                    guard let missing else { continue }
                    findings.report(
                        media.file,
                        nil,
                        "there is no EXT-X-RENDITION-REPORT for \(ReadingContext.quoted(missing.file.name)), so a client that "
                            + "switches to it has to load it twice"
                    )
                }
            }
        ),
        LintRule(
            "rendition-report-unknown",
            .warning,
            .presentation,
            section: "4.4.5.4",
            "an EXT-X-RENDITION-REPORT is about a Media Playlist of the presentation",
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
                            "\(Shown.uri(tag.uri)) is no Media Playlist of the presentation"
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
    /// The names of the Media Playlists by the URIs under which they are known: that of the tag, and that from which
    /// they came.
    fileprivate var namesByURI: [String: String] {
        var names: [String: String] = [:]
        for reference in references {
            names[reference.uri] = reference.media?.file.name ?? reference.uri
            if let media = reference.media { names[media.file.name] = media.file.name }
        }
        return names
    }
}
