import MediaFormats

/// Two successive segments of a rendition that were both measured.
struct SegmentPair {
    let before: MeasuredSegment
    let first: SegmentMeasurement
    let after: MeasuredSegment
    let second: SegmentMeasurement

    /// The tracks with the same ID in both segments.
    var tracks: [(before: TrackMeasurement, after: TrackMeasurement)] {
        first.tracks.compactMap { track in
            second.tracks.first { $0.id == track.id && $0.format.kind == track.format.kind }.map { (track, $0) }
        }
    }
}

extension MeasuredRendition {
    /// The pairs of successive measured segments without a discontinuity between them.
    var continuousPairs: [SegmentPair] {
        zip(segments, segments.dropFirst()).compactMap { before, after in
            guard let first = before.measurement, let second = after.measurement,
                !after.isDiscontinuity, before.discontinuity == after.discontinuity
            else { return nil }
            return SegmentPair(before: before, first: first, after: after, second: second)
        }
    }

    /// The measured segments without gaps between them in one discontinuity domain, as runs of successive segments.
    var runs: [[(segment: MeasuredSegment, measurement: SegmentMeasurement)]] {
        var runs: [[(segment: MeasuredSegment, measurement: SegmentMeasurement)]] = []
        var run: [(segment: MeasuredSegment, measurement: SegmentMeasurement)] = []
        for segment in segments {
            guard let measurement = segment.measurement else {
                if !run.isEmpty { runs.append(run) }
                run = []
                continue
            }
            if let last = run.last, segment.isDiscontinuity || last.segment.discontinuity != segment.discontinuity {
                runs.append(run)
                run = []
            }
            run.append((segment, measurement))
        }
        if !run.isEmpty { runs.append(run) }
        return runs
    }
}

extension TrackMeasurement {
    /// The duration of a sample in seconds: the longest of video, a frame of audio; nil if it is unknown.
    var frameDuration: Double? {
        if format.kind == .audio, let length = format.frameLength, let rate = format.sampleRate, rate > 0 {
            return Double(length) / Double(rate)
        }
        guard let longest = sampleDurations?.upperBound, let timescale = start?.timescale else { return nil }
        return Double(longest) / Double(timescale)
    }

    /// The presentation time of the first sample in decode order: with open groups of pictures, the pictures before it
    /// belong to the segment before.
    var timelineStart: MediaTime? { firstTime ?? start }

    /// Returns ``timelineStart`` in seconds, as ``startSeconds(near:)``.
    func timelineSeconds(near other: MediaTime?) -> Double? {
        Self.seconds(timelineStart, near: other, format.container)
    }

    /// Returns the presentation time of the start in seconds. Timestamps with a wraparound are those nearest to another
    /// time.
    func startSeconds(near other: MediaTime?) -> Double? { Self.seconds(start, near: other, format.container) }

    static func seconds(_ time: MediaTime?, near other: MediaTime?, _ container: TrackFormat.Container) -> Double? {
        guard let time else { return nil }
        guard container != .mp4, let other, other.timescale == time.timescale else { return time.seconds }
        return MediaTime(MediaTime.unwrapped(time.value, near: other.value), timescale: time.timescale).seconds
    }
}
