import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about which bytes, samples, playlists and times are encrypted; they need no key.
    static let protectionRules: [ValidationRule] = [
        .rendition(
            "enc-iv-attribute-differs",
            .must,
            "13.4",
            .initialization,
            "The IV of an EXT-X-KEY for FairPlay is the constant initialization vector of the samples.",
            advice: "Leave the IV attribute out: the license brings it."
        ) { rendition, findings in
            for (segment, format) in rendition.protectedFormats {
                guard let iv = segment.keys[.fairPlay]?.iv, let own = format.protection?.constantIVHash,
                    own != TrackFormat.Protection.hash(iv.bytes)
                else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The IV attribute is not the constant initialization vector of the samples."
                )
            }
        },
        .rendition(
            "enc-subsample",
            .must,
            "8216bis:4.4.4.4",
            .media,
            "With cbcs, only slices are encrypted, from the end of their headers.",
            advice:
                "Let the packager parse slice headers: Apple's devices cannot decode a picture whose header is encrypted."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                let faults = measurement.subsampleFaults
                if faults.contains(.encryptsSliceHeader) {
                    findings.report(.init(rendition, segment), "A part of a slice header is encrypted.")
                } else if faults.contains(.encryptsOtherUnit) {
                    findings.report(
                        .init(rendition, segment),
                        "A NAL unit that is not a slice is encrypted.",
                        level: .should
                    )
                } else if faults.contains(.startsLate) {
                    findings.report(
                        .init(rendition, segment),
                        "A slice is clear beyond the end of its header.",
                        level: .should
                    )
                }
            }
        },
        .rendition(
            "enc-content-dependent",
            .must,
            "13.9",
            .media,
            "Which samples are encrypted does not depend on the content.",
            advice: "Encrypt every sample and every slice of a segment in the same way."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                if measurement.tracks.contains(where: { $0.protectionChanges > 1 }) {
                    findings.report(.init(rendition, segment), "Encrypted and clear samples alternate.")
                } else if measurement.subsampleFaults.contains(.leavesSliceClear) {
                    findings.report(.init(rendition, segment), "Some slices are clear, and others encrypted.")
                }
            }
        },
        .rendition(
            "enc-auxiliary-information",
            .must,
            "airplay2:1.41@2025-06-26",
            .media,
            "Encrypted fragments have senc, or saiz and saio.",
            advice: "Let the packager write senc for audio too: television sets with AirPlay 2 require it."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                guard measurement.structure?.lacksAuxiliaryInformation == true,
                    measurement.tracks.contains(where: { $0.encryptedSampleCount > 0 })
                else { continue }
                findings.report(.init(rendition, segment), "An encrypted fragment has neither senc nor saiz and saio.")
            }
        },
        .rendition(
            "enc-sample-groups",
            .advice,
            "airplay2:1.41@2025-06-26",
            .media,
            "Encrypted fragments have no groups of samples (sgpd, sbgp).",
            advice: "Let the packager leave the boxes out: some television sets with AirPlay 2 do not play them."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                guard measurement.structure?.hasSampleGroups == true,
                    measurement.tracks.contains(where: { $0.encryptedSampleCount > 0 })
                else { continue }
                findings.report(.init(rendition, segment), "An encrypted fragment has an sgpd or sbgp box.")
            }
        },
        ValidationRule(
            "enc-i-frames",
            .should,
            "13.1",
            .playlist,
            "The I-frames of encrypted variants have the keys of a variant, and Motion JPEG is clear.",
            advice: "Write the EXT-X-KEY of the variant into its I-frame playlist: each other key costs a request."
        ) { presentation, findings in
            let keys = Set(presentation.variants.filter { !$0.isIFrames }.flatMap(\.keyURIs))
            guard !keys.isEmpty else { return }
            for rendition in presentation.renditions where rendition.isIFrames && !rendition.segments.isEmpty {
                let isMotionJPEG = rendition.roles.iFrameVariants.contains { $0.tag.attributes.codecs.contains("mjpg") }
                let own = rendition.keyURIs
                if isMotionJPEG {
                    guard !own.isEmpty else { continue }
                    findings.report(
                        .init(rendition.name),
                        "An I-frame playlist of Motion JPEG is encrypted, which no player supports.",
                        level: .must
                    )
                } else if !own.isEmpty, keys.isDisjoint(with: own) {
                    findings.report(
                        .init(rendition.name),
                        "The keys of the I-frame playlist are not those of a variant."
                    )
                }
            }
        },
        .rendition(
            "enc-key-period-short",
            .should,
            "8216bis:4.4.4.4",
            .playlist,
            "A key applies for at least two Target Durations.",
            advice: "Rotate keys less often: each change costs a request before the first segment can be played."
        ) { rendition, findings in
            let limit = 2 * Double(rendition.playlist.targetDuration)
            // The first and the last period may continue outside of the playlist.
            for period in rendition.keyPeriods.dropFirst().dropLast()
            where period.end - period.segment.start < limit - 0.5 {
                findings.report(
                    .init(rendition, period.segment),
                    "A key period is shorter than two Target Durations.",
                    measured: secondsText(period.end - period.segment.start),
                    limit: secondsText(limit)
                )
            }
        },
        .rendition(
            "enc-key-stale",
            .should,
            "8216bis:4.4.4.4",
            .playlist,
            "Where the key of one DRM system changes, those of the others change too.",
            advice:
                "Write one EXT-X-KEY for each system at every change: a tag applies until the next one of its KEYFORMAT."
        ) { rendition, findings in
            for (before, after) in zip(rendition.segments, rendition.segments.dropFirst()) {
                let formats = before.keys.keys.map(\.keyFormat).filter { after.keys[$0] != nil }
                let changed = formats.filter { before.keys[$0]?.uri != after.keys[$0]?.uri }
                guard !changed.isEmpty, changed.count < formats.count,
                    let stale = formats.first(where: { !changed.contains($0) })
                else { continue }
                findings.report(
                    .init(rendition, after),
                    "The key changes, but not that of another KEYFORMAT.",
                    measured: stale.rawValue
                )
            }
        },
        ValidationRule(
            "enc-rotation-apart",
            .should,
            "8216bis:6.2.4",
            .playlist,
            "Playlists whose keys change do so at the same times.",
            advice: "Let one clock start the key periods of all renditions."
        ) { presentation, findings in
            let rotating = presentation.renditions.filter { !$0.isLive && !$0.isIFrames && $0.keyPeriods.count > 1 }
            guard let first = rotating.first else { return }
            let expected = first.keyPeriods.dropFirst().map(\.segment.start)
            for rendition in rotating.dropFirst() {
                let limit = Double(max(1, rendition.playlist.targetDuration))
                let periods = Array(rendition.keyPeriods.dropFirst())
                if periods.count != expected.count {
                    findings.report(
                        .init(rendition.name),
                        "The number of key changes is not that of the first playlist.",
                        measured: "\(periods.count)",
                        limit: "\(expected.count)"
                    )
                } else if let (period, time) = zip(periods, expected).first(where: {
                    abs($0.segment.start - $1) > limit
                }) {
                    findings.report(
                        .init(rendition, period.segment),
                        "The key changes at another time than in the first playlist.",
                        measured: secondsText(period.segment.start),
                        limit: secondsText(time)
                    )
                }
            }
        },
    ]
}

extension MeasuredRendition {
    /// A number of successive segments with the same key.
    struct KeyPeriod {
        /// The first segment.
        let segment: MeasuredSegment
        let uri: String
        /// The end in seconds from the start of the playlist.
        var end: Double
    }

    /// The URIs of the keys, of FairPlay where there is one.
    fileprivate var keyURIs: Set<String> { Set(keyPeriods.map(\.uri)) }

    /// The periods of encryption with one key. A clear part between two segments with the same key does not end one.
    fileprivate var keyPeriods: [KeyPeriod] {
        var periods: [KeyPeriod] = []
        for segment in segments {
            guard let uri = (segment.keys[.fairPlay] ?? segment.keys.keys.first)?.uri else { continue }
            let end = segment.start + segment.duration
            if periods.last?.uri == uri {
                periods[periods.count - 1].end = end
            } else {
                periods.append(KeyPeriod(segment: segment, uri: uri, end: end))
            }
        }
        return periods
    }
}

extension SegmentMeasurement {
    /// The faults in the choice of encrypted bytes in all tracks.
    fileprivate var subsampleFaults: Set<SubsampleFault> {
        tracks.reduce(into: []) { $0.formUnion($1.subsampleFaults) }
    }
}
