import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about the times of segments.
    static let timingRules: [ValidationRule] = [
        .rendition(
            "timestamps-not-continuous",
            .must,
            "7.1",
            .media,
            "The timestamps of a segment continue those of the segment before it.",
            advice: "Write EXT-X-DISCONTINUITY where the timestamps of the source jump, or repair them in the packager."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for pair in rendition.continuousPairs {
                for (before, after) in pair.tracks where before.format.kind == .video || before.format.kind == .audio {
                    guard let gap = gap(before, after), let frame = before.frameDuration ?? after.frameDuration else {
                        continue
                    }
                    // The duration of the last picture of a transport stream is not in it.
                    let tolerance = max(before.format.container == .mp4 ? frame * 0.5 : frame * 1.5, 0.001)
                    guard abs(gap) > tolerance else { continue }
                    findings.report(
                        .init(rendition, pair.after),
                        "The \(before.format.kind.rawValue) \(gap > 0 ? "starts after" : "overlaps") the end of the segment "
                            + "before it, and there is no EXT-X-DISCONTINUITY.",
                        measured: secondsText(gap),
                        limit: "± \(secondsText(tolerance))"
                    )
                    break
                }
            }
        },
        .rendition(
            "extinf-drift",
            .must,
            "8.1",
            .media,
            "The sum of EXTINF differs from the real duration by less than a frame.",
            advice: "Write EXTINF with enough decimal digits, and round the sum instead of each duration."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for run in rendition.runs {
                guard let first = run.first, let origin = first.measurement.leadingTrack,
                    let start = origin.timelineStart?.seconds
                else { continue }
                var reference = origin.timelineStart
                for (segment, measurement) in run.dropFirst() {
                    guard let track = measurement.leadingTrack, track.format.kind == origin.format.kind,
                        let time = track.timelineSeconds(near: reference), let frame = track.frameDuration
                    else { break }
                    reference = track.timelineStart
                    let error = segment.start - first.segment.start - (time - start)
                    guard abs(error) > frame + 0.001 else { continue }
                    findings.report(
                        .init(rendition, segment),
                        "By EXTINF the segment starts at another time than its media.",
                        measured: secondsText(error),
                        limit: "± \(secondsText(frame)) (a frame)"
                    )
                }
            }
        },
        .rendition(
            "extinf-wrong",
            .should,
            "8216bis:4.4.4.1",
            .media,
            "EXTINF is the duration of the segment's media.",
            advice: "Write the duration of the media that the segment contains."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            // In an open group of pictures, the first pictures belong to the time of the segment before.
            let open = Set(
                rendition.measured.filter { $0.measurement.leadingTrack?.firstPicture == .cra }.map(\.segment.index)
            )
            for (segment, measurement) in rendition.measured
            where !open.contains(segment.index) && !open.contains(segment.index + 1) {
                guard let track = measurement.leadingTrack, let duration = track.duration, duration > 0,
                    let frame = track.frameDuration
                else { continue }
                // The last picture of a transport stream has no duration, and audio is cut at its own frames.
                let tolerance = (track.format.container == .transportStream ? 1.5 : 1) * frame + 0.001
                guard abs(duration - segment.duration) > tolerance else { continue }
                findings.report(
                    .init(rendition, segment),
                    "EXTINF is not the duration of the media.",
                    measured: secondsText(duration),
                    limit: "\(secondsText(segment.duration)) ± \(secondsText(tolerance))"
                )
            }
        },
        .rendition(
            "media-longer-than-target",
            .must,
            "7.7",
            .media,
            "The media of a segment last at most half a second longer than the Target Duration.",
            advice: "Raise EXT-X-TARGETDURATION, or cut shorter segments."
        ) { rendition, findings in
            let limit = Double(rendition.playlist.targetDuration) + 0.5
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                guard let duration = measurement.leadingTrack?.duration, duration > limit else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The segment is longer than the Target Duration allows.",
                    measured: secondsText(duration),
                    limit: secondsText(limit)
                )
            }
        },
        ValidationRule(
            "variants-not-in-step",
            .must,
            "8216bis:6.2.4",
            .media,
            "Segments with the same number have the same timestamps in all variants.",
            advice: "Encode all variants with one clock, and package them together."
        ) { presentation, findings in
            presentation.compareStarts { rendition, segment, difference, frame in
                guard abs(difference) > frame + 0.001 else { return }
                let target = Double(rendition.playlist.targetDuration)
                findings.report(
                    .init(rendition, segment),
                    "The segment starts at another time than that of the first variant with the same number: players "
                        + "show a jump when they switch.",
                    measured: secondsText(difference),
                    limit: "± \(secondsText(frame)) (a frame)",
                    level: abs(difference) > target ? .must : .should
                )
            }
        },
        ValidationRule(
            "boundaries-differ",
            .should,
            "8.22",
            .media,
            "Segments begin at the same times in all video variants.",
            advice: "Cut all variants at the same key frames."
        ) { presentation, findings in
            let variants = presentation.variants.filter { $0.kind == .video && !$0.isLive && $0.isComplete }
            guard let first = variants.first else { return }
            for rendition in variants.dropFirst() {
                let pairs = zip(first.segments, rendition.segments)
                if let different = pairs.first(where: { abs($0.start - $1.start) > 0.1 }) {
                    findings.report(
                        .init(rendition, different.1),
                        "The segment begins at another time than in the first variant.",
                        measured: secondsText(different.1.start),
                        limit: secondsText(different.0.start)
                    )
                } else if first.segments.count != rendition.segments.count {
                    findings.report(
                        .init(rendition.name),
                        "The number of segments is not that of the first variant.",
                        measured: "\(rendition.segments.count)",
                        limit: "\(first.segments.count)"
                    )
                }
            }
        },
        ValidationRule(
            "media-durations-differ",
            .must,
            "8.3",
            .media,
            "Audio and video last equally long in video on demand.",
            advice: "Fill the shorter stream with silence or black pictures, or cut the longer one."
        ) { presentation, findings in
            let measured = presentation.renditions.filter {
                !$0.isLive && !$0.isIFrames && $0.isComplete && ($0.kind == .video || $0.kind == .audio)
            }
            let durations = measured.map { ($0, $0.mediaDuration) }
            guard let longest = durations.max(by: { $0.1 < $1.1 }) else { return }
            for (rendition, duration) in durations {
                // Content may be missing at the ends by at most a Target Duration (RFC 8216bis, 6.2.4).
                let limit = Double(rendition.playlist.targetDuration)
                let difference = longest.1 - duration
                guard difference > min(1, limit) else { continue }
                findings.report(
                    .init(rendition.name),
                    "The media end earlier than those of another playlist.",
                    measured: secondsText(duration),
                    limit: secondsText(longest.1),
                    level: difference > limit ? .must : .should
                )
            }
        },
    ]

    /// Returns the time in seconds between the end of a track in one segment and its start in the next; negative if they
    /// overlap.
    private static func gap(_ before: TrackMeasurement, _ after: TrackMeasurement) -> Double? {
        if before.format.container == .mp4 {
            guard let end = before.decodeEnd, let start = after.decodeStart, end.timescale == start.timescale else {
                return nil
            }
            return Double(start.value - end.value) / Double(end.timescale)
        }
        guard let end = before.end, let start = after.startSeconds(near: end) else { return nil }
        return start - end.seconds
    }

    /// Returns a time in seconds with three decimal digits.
    package static func secondsText(_ seconds: Double) -> String {
        let milliseconds = Int(rounding: abs(seconds) * 1000)
        let digits = String(milliseconds % 1000)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return (seconds < 0 && milliseconds > 0 ? "-" : "") + "\(milliseconds / 1000).\(fraction) s"
    }
}

extension MeasuredRendition {
    /// The total duration of the media of all segments in seconds, that of EXTINF where nothing was measured.
    fileprivate var mediaDuration: Double {
        segments.reduce(0) { $0 + ($1.measurement?.leadingTrack?.duration ?? $1.duration) }
    }
}

extension MeasuredPresentation {
    /// Compares the start of each segment with that of the segment with the same number in the first variant.
    ///
    /// - Parameter body: Called with the rendition, the segment, the difference in seconds, and the duration of a frame.
    fileprivate func compareStarts(_ body: (MeasuredRendition, MeasuredSegment, Double, Double) -> Void) {
        let variants = variants.filter { $0.kind == .video }
        guard let first = variants.first else { return }
        var starts: [UInt64: (time: MediaTime, frame: Double)] = [:]
        for (segment, measurement) in first.measured {
            guard let track = measurement.leadingTrack, let start = track.start, let frame = track.frameDuration else {
                continue
            }
            starts[segment.sequence] = (start, frame)
        }
        for rendition in variants.dropFirst() {
            for (segment, measurement) in rendition.measured {
                guard let known = starts[segment.sequence], let track = measurement.leadingTrack,
                    let time = track.startSeconds(near: known.time)
                else { continue }
                body(rendition, segment, time - known.time.seconds, max(known.frame, track.frameDuration ?? 0))
            }
        }
    }
}
