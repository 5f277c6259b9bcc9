import HLSPlaylist

extension ValidationRule {
    /// Rules about pictures.
    static let pictureRules: [ValidationRule] = [
        .rendition(
            "segment-without-idr",
            .must,
            "7.4",
            .media,
            "A video segment starts with an IDR picture.",
            advice: "Let the encoder write closed GOPs with a key frame at each segment boundary."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                guard let track = measurement.tracks.first(where: { $0.format.kind == .video }), track.sampleCount > 0
                else { continue }
                switch track.firstPicture {
                case .idr, .unknown: continue
                case .cra:
                    findings.report(
                        .init(rendition, segment),
                        "The segment starts with a CRA picture and not with an IDR picture: leading pictures cannot be decoded.",
                        level: .should
                    )
                case .other:
                    findings.report(
                        .init(rendition, segment),
                        track.keyFrames.isEmpty
                            ? "The segment has no IDR picture: playback cannot start in it."
                            : "The segment has an IDR picture, but does not start with it.",
                        level: track.keyFrames.isEmpty ? .must : .should
                    )
                }
            }
        },
        .rendition(
            "idr-interval-long",
            .should,
            "1.13",
            .media,
            "There is an IDR picture every two seconds.",
            advice: "Set the encoder's key frame interval to two seconds."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for run in rendition.runs {
                var last: Double?
                var end: Double?
                for (segment, measurement) in run {
                    guard let track = measurement.tracks.first(where: { $0.format.kind == .video }) else { continue }
                    // A jump of the timestamps is a finding of its own.
                    if let end, abs((track.start?.seconds ?? end) - end) > 1 { last = nil }
                    end = track.end?.seconds
                    for time in track.keyFrames {
                        let tolerance = (track.frameDuration ?? 0) + 0.001
                        if let last, time - last > 2 + tolerance {
                            findings.report(
                                .init(rendition, segment),
                                "Two IDR pictures are more than two seconds apart.",
                                measured: secondsText(time - last),
                                limit: "2.000 s"
                            )
                        }
                        last = time
                    }
                }
            }
        },
        .rendition(
            "interlaced",
            .must,
            "1.14",
            .media,
            "Video is not interlaced.",
            advice: "Deinterlace the source before encoding."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                if measurement.tracks.contains(where: \.hasFields) {
                    findings.report(.init(rendition, segment), "Pictures are coded as two fields.")
                } else if measurement.tracks.contains(where: \.format.details.mayBeInterlaced) {
                    // Macroblocks of frames can be coded as fields, too, which only a decoder sees.
                    findings.report(
                        .init(rendition, segment),
                        "The sequence parameter set is that of interlaced video (frame_mbs_only_flag is 0).",
                        level: .should
                    )
                }
            }
        },
        .rendition(
            "sync-flags-wrong",
            .must,
            "8216bis:3.1.2",
            .media,
            "The sync samples of MP4 are the pictures at which decoding can start.",
            advice: "Repair the flags in the packager: players seek to the wrong pictures."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured
            where measurement.tracks.contains(where: \.hasWrongSyncFlags) {
                findings.report(
                    .init(rendition, segment),
                    "A sample is marked as a sync sample although decoding cannot start at it, or the other way around."
                )
            }
        },
        .rendition(
            "frame-rate-changes",
            .must,
            "8.14",
            .media,
            "The frame rate changes only at a discontinuity.",
            advice: "Write EXT-X-DISCONTINUITY where the frame rate changes."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for pair in rendition.continuousPairs {
                for (before, after) in pair.tracks where before.format.kind == .video {
                    guard let first = before.constantFrameRate, let second = after.constantFrameRate,
                        abs(first - second) > first * 0.02
                    else { continue }
                    findings.report(
                        .init(rendition, pair.after),
                        "The frame rate changes without EXT-X-DISCONTINUITY.",
                        measured: "\(frameRateText(second)) after \(frameRateText(first))"
                    )
                }
            }
        },
        .rendition(
            "frame-rate-high",
            .must,
            "1.19",
            .media,
            "Video has at most 60 frames per second.",
            advice: "Encode with 60 frames per second or fewer."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                for track in measurement.tracks where track.format.kind == .video {
                    guard let rate = track.constantFrameRate, rate > 60.5 else { continue }
                    findings.report(
                        .init(rendition, segment),
                        "The frame rate is above 60.",
                        measured: frameRateText(rate),
                        limit: "60"
                    )
                }
            }
        },
    ]

    /// Returns a frame rate with at most three decimal digits.
    static func frameRateText(_ rate: Double) -> String {
        let thousandths = Int(rounding: rate * 1000)
        guard thousandths % 1000 != 0 else { return "\(thousandths / 1000)" }
        let digits = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension TrackMeasurement {
    /// The frame rate in frames per second if all pictures of the segment last equally long, within the rounding of
    /// timestamps; otherwise nil.
    var constantFrameRate: Double? {
        guard let durations = sampleDurations, let rate = frameRate, sampleCount >= 5, let timescale = start?.timescale
        else { return nil }
        let frame = Double(timescale) / rate
        // Timestamps in milliseconds, as many sources have them, vary by one of them.
        let rounding = max(2, Double(timescale) / 1000 * 1.5)
        guard abs(Double(durations.lowerBound) - frame) <= rounding,
            abs(Double(durations.upperBound) - frame) <= rounding
        else { return nil }
        return rate
    }
}
