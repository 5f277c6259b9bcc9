import HLSPlaylist
import TextCoding

/// The fingerprints of the last segments and Partial Segments of a playlist, and what they show.
struct SegmentContents {
    /// The Partial Segments of a segment that were loaded.
    private struct Parts {
        var count = 0
        /// The sum of their durations in seconds.
        var seconds = 0.0
        var fingerprint = ContentFingerprint()
        /// True while each part since the first one was loaded.
        var isComplete = true
    }

    /// The number of segments whose fingerprints are known.
    private static let capacity = 4096
    private var segments: [UInt64: (resource: SegmentReader.Resource, fingerprint: ContentFingerprint)] = [:]
    private var order: [UInt64] = []
    private var parts: [UInt64: Parts] = [:]
    /// The segments that could not be loaded.
    private var missing: Set<UInt64> = []

    /// Returns the fingerprint of the first load of a segment.
    func fingerprint(of segment: SegmentTracker.Segment) -> ContentFingerprint? {
        guard let known = segments[segment.measured.sequence], known.resource == segment.resource else { return nil }
        return known.fingerprint
    }

    /// Takes a loaded segment, and compares it with its Partial Segments.
    mutating func take(
        _ bytes: [UInt8],
        of segment: SegmentTracker.Segment,
        in playlist: String
    ) -> ValidationFinding? {
        let number = segment.measured.sequence
        let fingerprint = ContentFingerprint(bytes)
        if segments[number] == nil { order.append(number) }
        segments[number] = (segment.resource, fingerprint)
        if order.count > Self.capacity {
            for old in order.prefix(Self.capacity / 2) { segments[old] = nil }
            order.removeFirst(Self.capacity / 2)
        }
        defer { parts = parts.filter { $0.key > number } }
        guard let known = parts[number], known.isComplete, known.fingerprint != fingerprint,
            abs(known.seconds - segment.measured.duration) < 0.05
        else { return nil }
        var place = ValidationFinding.Place(playlist)
        (place.sequence, place.segment) = (number, segment.measured.uri)
        return ValidationFinding(
            observed: "part-differs-from-segment",
            place,
            "The Partial Segments together are not the bytes of their segment.",
            measured: "\(known.fingerprint.byteCount) bytes in \(counted(known.count, "part"))",
            limit: "\(fingerprint.byteCount) bytes"
        )
    }

    /// Takes a loaded Partial Segment.
    ///
    /// - Parameter age: The time since a playlist first listed it.
    mutating func take(
        _ result: SegmentReader.Result,
        of part: SegmentTracker.Part,
        in rendition: MeasuredRendition,
        age: Duration
    ) -> [ValidationFinding] {
        var known = parts[part.sequence] ?? Parts()
        defer { if parts[part.sequence] != nil || parts.count < 64 { parts[part.sequence] = known } }
        known.isComplete = known.isComplete && known.count == part.index && result.bytes != nil
        known.count = part.index + 1
        known.seconds += part.tag.duration
        if known.isComplete, let bytes = result.bytes { known.fingerprint.append(bytes) }
        let place = ValidationFinding.Place(rendition.name, part)
        switch result.outcome {
        case .missing(let reason):
            // Parts may be removed three target durations after they leave the playlist (RFC 8216bis, 6.2.2), which they
            // do three target durations after the end of their segment.
            let target = Duration.seconds(min(max(rendition.playlist.targetDuration, 1), 3600))
            guard age < target * 3 else { return [] }
            return [
                ValidationFinding(
                    observed: "part-missing",
                    place,
                    "The Partial Segment cannot be loaded \(PlaylistWatch.seconds(age)) after it was listed: \(reason)."
                )
            ]
        case .unreadable(let reason), .undecryptable(let reason):
            return [
                ValidationFinding(observed: "part-missing", place, "The Partial Segment cannot be read: \(reason).")
            ]
        case .skipped, .sealed: return []
        case .measured(let measurement): return Self.findings(measurement, part, place)
        }
    }

    /// Compares the media of a Partial Segment with the attributes of its tag.
    private static func findings(
        _ measurement: SegmentMeasurement,
        _ part: SegmentTracker.Part,
        _ place: ValidationFinding.Place
    ) -> [ValidationFinding] {
        guard let track = measurement.leadingTrack else { return [] }
        var findings: [ValidationFinding] = []
        if track.format.kind == .video {
            if part.tag.isIndependent, track.firstPicture == .other, track.keyFrames.isEmpty {
                findings.append(
                    ValidationFinding(
                        observed: "part-not-independent",
                        place,
                        "INDEPENDENT=YES, but the Partial Segment contains no key frame."
                    )
                )
            }
            if !part.tag.isIndependent, track.firstPicture == .idr {
                findings.append(
                    ValidationFinding(
                        observed: "part-independent-unmarked",
                        place,
                        "The Partial Segment starts with a key frame, but has no INDEPENDENT=YES."
                    )
                )
            }
        }
        guard let start = track.decodeStart, let end = track.decodeEnd, track.sampleCount > 0 else { return findings }
        let duration = Double(end.value - start.value) / Double(start.timescale)
        // A duration may be rounded to a frame.
        let tolerance = max(0.05, duration / Double(track.sampleCount))
        guard abs(duration - part.tag.duration) > tolerance else { return findings }
        findings.append(
            ValidationFinding(
                observed: "part-duration-wrong",
                place,
                "DURATION is not the duration of the media of the Partial Segment.",
                measured: ValidationRule.secondsText(duration),
                limit: ValidationRule.secondsText(part.tag.duration)
            )
        )
        return findings
    }

    /// Notes that a segment could not be loaded.
    mutating func noteMissing(_ segment: SegmentTracker.Segment) {
        if missing.count < Self.capacity { missing.insert(segment.measured.sequence) }
    }

    /// True if a segment could not be loaded when it was new.
    func isMissing(_ segment: SegmentTracker.Segment) -> Bool { missing.contains(segment.measured.sequence) }

    /// Notes that a Partial Segment is a gap.
    mutating func skip(_ part: SegmentTracker.Part) { parts[part.sequence] = Parts(isComplete: false) }
}
