import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about the assets of interstitials.
    static let interstitialRules: [ValidationRule] = [
        ValidationRule(
            "interstitial-asset-missing",
            .must,
            "8216bis:D.2",
            .media,
            "The assets of interstitials can be loaded and read.",
            advice: "Publish the asset, or remove the interstitial: players skip what they cannot load."
        ) { presentation, findings in
            for interstitial in presentation.interstitials {
                for asset in interstitial.assets {
                    if let failure = asset.failure {
                        findings.report(interstitial.place, "An asset cannot be loaded: \(failure).")
                    } else if let reason = asset.presentation?.firstFailure {
                        findings.report(interstitial.place, "An asset is incomplete: \(reason).")
                    }
                }
            }
        },
        ValidationRule(
            "interstitial-live",
            .must,
            "8216bis:D.2",
            .playlist,
            "The assets of interstitials are video on demand.",
            advice: "Write EXT-X-ENDLIST into the playlists of the asset."
        ) { presentation, findings in
            presentation.forEachAsset { interstitial, asset in
                guard asset.renditions.contains(where: \.isLive) else { return }
                findings.report(interstitial.place, "A playlist of an asset has no EXT-X-ENDLIST.")
            }
        },
        ValidationRule(
            "interstitial-nested",
            .advice,
            "8216bis:D.2",
            .playlist,
            "The assets of interstitials have no interstitials of their own.",
            advice: "List all assets in one X-ASSET-LIST: players ignore interstitials within interstitials."
        ) { presentation, findings in
            presentation.forEachAsset { interstitial, asset in
                guard asset.renditions.contains(where: { $0.playlist.dateRanges.contains { $0.interstitial != nil } })
                else { return }
                findings.report(interstitial.place, "An asset has interstitials, which players ignore.")
            }
        },
        ValidationRule(
            "interstitial-codecs-differ",
            .should,
            "3.2",
            .initialization,
            "The assets of interstitials have the codecs of the content.",
            advice: "Encode the asset with the codecs of the content: another decoder causes a pause."
        ) { presentation, findings in
            let content = presentation.families
            guard !content.isEmpty else { return }
            presentation.forEachAsset { interstitial, asset in
                let families = asset.families
                guard !families.isEmpty else { return }
                let missing = content.filter { family in
                    family.kind == .video && !families.contains(family)
                }
                guard !missing.isEmpty, missing.count == content.count(where: { $0.kind == .video }) else { return }
                findings.report(
                    interstitial.place,
                    "An asset has no variant with a video codec of the content.",
                    measured: families.map(\.rawValue).sorted().joined(separator: ", "),
                    limit: content.map(\.rawValue).sorted().joined(separator: ", ")
                )
            }
        },
        ValidationRule(
            "interstitial-aspect-differs",
            .should,
            "3.3",
            .initialization,
            "The assets of interstitials have the aspect ratio of the content.",
            advice: "Encode the asset with the aspect ratio of the content."
        ) { presentation, findings in
            guard let own = presentation.aspectRatio else { return }
            presentation.forEachAsset { interstitial, asset in
                guard let ratio = asset.aspectRatio, abs(ratio - own) > own * 0.03 else { return }
                findings.report(
                    interstitial.place,
                    "An asset has another aspect ratio than the content.",
                    measured: frameRateText(ratio),
                    limit: frameRateText(own)
                )
            }
        },
        ValidationRule(
            "interstitial-bit-rate",
            .should,
            "3.4",
            .media,
            "The assets of interstitials have a variant that is within the lowest BANDWIDTH of the content.",
            advice: "Encode the asset with the ladder of the content."
        ) { presentation, findings in
            let bandwidths = presentation.playlist?.variants.map { Double($0.streamInf.attributes.bandwidth) } ?? []
            guard let lowest = bandwidths.min() else { return }
            presentation.forEachAsset { interstitial, asset in
                let rates = asset.variants.compactMap { MeasuredBitRate($0)?.peak }
                guard let rate = rates.min(), rate > lowest * 1.1 else { return }
                findings.report(
                    interstitial.place,
                    "The lowest variant of an asset needs more than the lowest BANDWIDTH of the content.",
                    measured: rateText(rate),
                    limit: rateText(lowest)
                )
            }
        },
        ValidationRule(
            "interstitial-frame-rate",
            .should,
            "airplay2:3.5@2025-06-26",
            .media,
            "The frame rate of assets is that of the content, half of it, or twice it.",
            advice: "Encode the asset with the frame rate of the content."
        ) { presentation, findings in
            guard let own = presentation.highestFrameRate else { return }
            presentation.forEachAsset { interstitial, asset in
                guard let rate = asset.highestFrameRate,
                    ![0.5, 1, 2].contains(where: { abs(rate - own * $0) <= own * $0 * 0.02 })
                else { return }
                findings.report(
                    interstitial.place,
                    "The frame rate of an asset does not fit that of the content.",
                    measured: frameRateText(rate),
                    limit: frameRateText(own)
                )
            }
        },
        ValidationRule(
            "interstitial-duration-differs",
            .should,
            "15.3",
            .playlist,
            "The duration of an interstitial is the sum of those of its assets.",
            advice: "Write the duration of the assets into DURATION of EXT-X-DATERANGE and of the asset list."
        ) { presentation, findings in
            for interstitial in presentation.interstitials {
                for asset in interstitial.assets {
                    guard let declared = asset.declaredDuration, let actual = asset.presentation?.duration,
                        abs(declared - actual) > 0.5
                    else { continue }
                    findings.report(
                        interstitial.place,
                        "DURATION of an asset in the list is not the duration of its playlist.",
                        measured: secondsText(actual),
                        limit: secondsText(declared)
                    )
                }
                let durations = interstitial.assets.map { $0.presentation?.duration ?? $0.declaredDuration }
                guard let declared = interstitial.tag.duration, !durations.isEmpty, !durations.contains(nil) else {
                    continue
                }
                let sum = durations.reduce(0) { $0 + ($1 ?? 0) }
                guard abs(sum - declared) > 0.5 else { continue }
                findings.report(
                    interstitial.place,
                    "DURATION of the interstitial is not the sum of its assets.",
                    measured: secondsText(sum),
                    limit: secondsText(declared)
                )
            }
        },
    ]
}

extension MeasuredPresentation {
    /// Calls a function for each asset that was loaded.
    fileprivate func forEachAsset(_ body: (MeasuredInterstitial, MeasuredPresentation) -> Void) {
        for interstitial in interstitials {
            for asset in interstitial.assets {
                if let presentation = asset.presentation { body(interstitial, presentation) }
            }
        }
    }

    /// The reason why a part of the presentation cannot be played; nil if all of it was read.
    fileprivate var firstFailure: String? {
        if let playlist = missing.first { return playlist.reason }
        for segment in renditions.lazy.flatMap(\.segments) {
            switch segment.outcome {
            case .missing(let reason), .unreadable(let reason), .undecryptable(let reason): return reason
            case .skipped, .measured, .sealed: continue
            }
        }
        return nil
    }

    /// The codecs of the media.
    fileprivate var families: Set<Codec.Family> {
        Set(renditions.flatMap(\.formats).map { Codec($0.codecs).family }).subtracting([.unknown])
    }

    /// The aspect ratio of the first variant with video.
    fileprivate var aspectRatio: Double? {
        let sizes = variants.lazy.flatMap(\.formats).compactMap(\.size)
        return sizes.first { $0.height > 0 }.map { Double($0.width) / Double($0.height) }
    }

    /// The highest constant frame rate of the variants.
    fileprivate var highestFrameRate: Double? {
        variants.flatMap(\.measured).flatMap { $0.measurement.tracks.compactMap(\.constantFrameRate) }.max()
    }

    /// The duration of the longest variant in seconds; nil for live playlists.
    fileprivate var duration: Double? {
        variants.contains(where: \.isLive) ? nil : variants.map(\.playlist.duration).max()
    }
}
