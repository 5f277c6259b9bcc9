extension LintRule {
    /// The rules for I-frame playlists.
    static let appleTrickPlayRules: [LintRule] = [
        multivariantPlaylist(
            "apple-no-i-frame-variants",
            .error,
            "6.1",
            "a presentation with video must have I-frame playlists",
            dependsOn: [.iFrameStreamInf]
        ) { subject in
            guard !subject.videoVariants.isEmpty, subject.iFrameVariants.isEmpty else { return nil }
            return "the playlist has video variants but no EXT-X-I-FRAME-STREAM-INF, so viewers see no pictures while "
                + "they seek: add I-frame playlists"
        },
        multivariantPlaylist(
            "apple-single-i-frame-variant",
            .warning,
            "6.6",
            "a presentation should have several I-frame playlists",
            dependsOn: [.iFrameStreamInf]
        ) { subject in
            guard subject.iFrameVariants.count == 1, !subject.isAllStereoscopic else { return nil }
            return "there is only one EXT-X-I-FRAME-STREAM-INF: add I-frame playlists with other sizes and bit rates"
        },
        multivariantPlaylist(
            "apple-no-h264-i-frames",
            .warning,
            "6.14",
            "some I-frame playlists should be in H.264",
            dependsOn: [.iFrameStreamInf]
        ) { subject in
            let formats = subject.trickPlay.flatMap(\.attributes.videoFormats)
            guard !formats.isEmpty, !subject.isAllStereoscopic, !formats.contains(where: { $0.family == .h264 }) else {
                return nil
            }
            return "no I-frame playlist is in H.264, which all devices play: add one"
        },
        LintRule(
            "apple-hdr-i-frames-missing",
            .warning,
            .multivariant,
            section: "Apple 6.15",
            "the I-frame playlists of a presentation with HDR should have HDR at every resolution",
            .multivariant { subject, findings in
                guard subject.videoVariants.contains(where: { $0.variant.streamInf.attributes.isHDR }),
                    !subject.file.isRefused(.iFrameStreamInf)
                else { return }
                let sizes = Set(subject.trickPlay.filter(\.attributes.isHDR).compactMap(\.attributes.resolution))
                var reported: Set<Resolution> = []
                for (attributes, line) in subject.trickPlay {
                    guard let size = attributes.resolution, !sizes.contains(size), !attributes.isMotionJPEG,
                        reported.insert(size).inserted
                    else { continue }
                    findings.report(
                        line,
                        "the presentation has HDR, but no I-frame playlist of \(size) is HDR: add one with VIDEO-RANGE"
                    )
                }
            }
        ),
        multivariantPlaylist(
            "apple-no-sdr-i-frames",
            .error,
            "6.16",
            "some I-frame playlists must be SDR",
            dependsOn: [.iFrameStreamInf]
        ) { subject in
            let all = subject.trickPlay.map(\.attributes)
            guard !all.isEmpty, !subject.isAllStereoscopic, all.allSatisfy(\.isHDR) else { return nil }
            return "all I-frame playlists are HDR: add some with VIDEO-RANGE=SDR"
        },
        mediaPlaylist(
            "apple-i-frames-sparse",
            .warning,
            "6.2",
            "an I-frame playlist should have one I-frame per second"
        ) { subject in
            let count = subject.segments.count - 1
            guard subject.playlist.isIFramesOnly, count > 0 else { return nil }
            // The last one may be short.
            let mean = subject.segments.prefix(count).reduce(0) { $0 + $1.segment.duration } / Double(count)
            guard mean > 1.1 else { return nil }
            return "there is one I-frame every \(mean.inSeconds) on average: encode a key frame every second in the "
                + "variant from which the I-frame playlist is made"
        },
    ]
}

extension VariantAttributes {
    /// True if all formats in CODECS are Motion JPEG, which has no HDR.
    fileprivate var isMotionJPEG: Bool {
        !codecs.isEmpty && formats.allSatisfy { $0.sampleEntry.lowercased() == "mjpg" }
    }
}
