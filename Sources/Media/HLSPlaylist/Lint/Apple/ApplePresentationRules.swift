extension LintRule {
    /// The rules for a Multivariant Playlist together with its Media Playlists.
    static let applePresentationRules: [LintRule] = [
        LintRule(
            "apple-independent-segments-missing",
            .error,
            .presentation,
            section: "Apple 9.12",
            "without EXT-X-INDEPENDENT-SEGMENTS in the Multivariant Playlist, all video playlists must have it",
            .presentation { subject, findings in
                guard !subject.multivariant.playlist.isIndependentSegments,
                    !subject.multivariant.file.isRefused(.independentSegments)
                else { return }
                var seen: Set<String> = []
                for (attributes, media) in subject.variantPlaylists where attributes.isVideo {
                    guard seen.insert(media.file.name).inserted, !media.playlist.isIndependentSegments,
                        !media.file.isRefused(.independentSegments)
                    else { continue }
                    findings.report(
                        media.file,
                        nil,
                        "neither the Multivariant Playlist nor this playlist has EXT-X-INDEPENDENT-SEGMENTS: add it to "
                            + "the Multivariant Playlist"
                    )
                }
            }
        ),
        LintRule(
            "apple-segments-unaligned",
            .warning,
            .presentation,
            section: "Apple 8.22",
            "the segments of all variants should have the same boundaries",
            .presentation { subject, findings in
                var seen: Set<String> = []
                let playlists = subject.variantPlaylists.filter { attributes, media in
                    attributes.isVideo && media.playlist.isEnded && seen.insert(media.file.name).inserted
                }.map(\.media)
                guard let first = playlists.first else { return }
                for media in playlists.dropFirst() {
                    guard let segment = media.firstDifferentBoundary(from: first) else { continue }
                    findings.report(
                        media.file,
                        segment.uriLine,
                        "this segment does not end where that of \(ReadingContext.quoted(first.file.name)) ends: encode "
                            + "key frames at the same times in all variants"
                    )
                }
            }
        ),
        LintRule(
            "apple-discontinuity-times-differ",
            .error,
            .presentation,
            section: "Apple 8.15",
            "discontinuities must be at the same times in all playlists",
            .presentation { subject, findings in
                let playlists = subject.members.filter { !$0.isSubtitles && $0.media.playlist.isEnded }.map(\.media)
                guard let first = playlists.first else { return }
                let expected = first.discontinuities
                for media in playlists.dropFirst() {
                    let own = media.discontinuities
                    // Another number of discontinuities is a violation of discontinuities-differ.
                    guard own.count == expected.count,
                        let wrong = zip(own, expected).first(where: { abs($0.time - $1.time) > 0.5 })
                    else { continue }
                    findings.report(
                        media.file,
                        wrong.0.segment.line(of: .discontinuity) ?? wrong.0.segment.uriLine,
                        "the discontinuity is at \(wrong.0.time.inSeconds), but at \(wrong.1.time.inSeconds) in "
                            + ReadingContext.quoted(first.file.name)
                    )
                }
            }
        ),
        LintRule(
            "apple-subtitles-short",
            .error,
            .presentation,
            section: "Apple 5.5",
            "subtitle playlists must have the duration of the content",
            .presentation { subject, findings in
                let video = subject.variantPlaylists.map(\.media).filter(\.playlist.isEnded)
                guard let longest = video.map(\.playlist.duration).max(),
                    let target = video.compactMap(\.targetDuration).max()
                else { return }
                for member in subject.members where member.isSubtitles && member.media.playlist.isEnded {
                    let own = member.media.playlist.duration
                    guard own.isClearlyLess(than: longest - target) else { continue }
                    findings.report(
                        member.media.file,
                        nil,
                        "the subtitles have \(own.inSeconds), but the video has \(longest.inSeconds): add segments "
                            + "without cues until its end"
                    )
                }
            }
        ),
        LintRule(
            "apple-subtitle-codec-missing",
            .warning,
            .presentation,
            section: "Apple 5.10",
            "CODECS of a variant with subtitles in fMP4 should contain the format stpp.ttml.im1t",
            .presentation { subject, findings in
                var groups: Set<String> = []
                for reference in subject.references {
                    guard case .rendition(let tag) = reference.role, tag.type == .subtitles,
                        let media = reference.media, !media.maps.isEmpty
                    else { continue }
                    groups.insert(tag.groupID)
                }
                for (variant, line) in subject.multivariant.variants {
                    guard let group = variant.subtitles, groups.contains(group), !variant.codecs.isEmpty,
                        !variant.streamInf.attributes.formats.contains(where: { $0.kind == .text })
                    else { continue }
                    findings.report(
                        subject.multivariant.file,
                        line,
                        attribute: "CODECS",
                        "the group \(ReadingContext.quoted(group)) has subtitles in fMP4, but CODECS has no text "
                            + "format: add \"stpp.ttml.im1t\", or \"wvtt\""
                    )
                }
            }
        ),
    ]
}

extension PresentationSubject {
    /// The variants whose Media Playlists can be read, in order.
    fileprivate var variantPlaylists: [(attributes: VariantAttributes, media: MediaSubject)] {
        references.compactMap { reference in
            guard case .variant(let variant) = reference.role, let media = reference.media else { return nil }
            return (variant.streamInf.attributes, media)
        }
    }
}

extension MediaSubject {
    /// The segments with a discontinuity and their times, in seconds from the start.
    fileprivate var discontinuities: [(segment: Segment, time: Double)] {
        var time = 0.0
        var result: [(segment: Segment, time: Double)] = []
        for segment in segments {
            if segment.segment.isDiscontinuity, segment.index > 0 { result.append((segment, time)) }
            time += segment.segment.duration
        }
        return result
    }

    /// Returns the first segment whose end differs by more than 0.1 seconds, of those that both playlists have.
    fileprivate func firstDifferentBoundary(from other: MediaSubject) -> Segment? {
        var (own, expected) = (0.0, 0.0)
        // The last segment ends with the media, which can differ by some frames.
        for (segment, first) in zip(segments, other.segments).dropLast() {
            own += segment.segment.duration
            expected += first.segment.duration
            if abs(own - expected) > 0.1 { return segment }
        }
        return nil
    }
}
