public import ByteCoding
import MediaDecryption
import MediaFormats

/// A probe that measures the segments of one rendition, in their order. It needs no key: encrypted samples are counted,
/// and everything that stays clear in them is measured.
///
///     var probe = SegmentProbe()
///     try probe.initialize(map)
///     let measurement = try probe.measure(segment)
public struct SegmentProbe: Sendable {
    private var movie: MovieProbe?
    private var transport = TransportProbe()

    /// Creates a probe for a rendition from its start.
    public init() {}

    /// Reads the init segment (EXT-X-MAP) of the segments that follow.
    ///
    /// - Returns: The formats of its tracks; none for a transport stream, whose tables are repeated in each segment.
    /// - Throws: `ParseError`.
    public mutating func initialize(_ bytes: RawSpan) throws(ParseError) -> [TrackFormat] {
        guard MediaFileKind(bytes) == .mp4 else {
            movie = nil
            // The tables can be too few packets to be recognized.
            transport.initialization = bytes.withUnsafeBytes { [UInt8]($0) }
            return []
        }
        let probe = try MovieProbe(initialization: bytes)
        movie = probe
        return probe.formats
    }

    /// Measures the next segment.
    ///
    /// - Parameter isTruncated: Whether the end of the segment may be missing, as in the byte ranges of an I-frame
    ///   playlist.
    /// - Throws: `ParseError` if the segment cannot be read to its end; ``notMedia`` if it is neither MP4, a transport
    ///   stream, packed audio nor WebVTT.
    public mutating func measure(_ bytes: RawSpan, isTruncated: Bool = false) throws(ParseError) -> SegmentMeasurement {
        switch MediaFileKind(bytes) {
        case .mp4:
            // A segment with a moov box of its own needs no EXT-X-MAP.
            if (try? MP4Decryptor.hasMovie(bytes)) == true {
                return try MovieProbe(initialization: bytes).measure(bytes, isTruncated: isTruncated)
            }
            guard let movie else {
                throw ParseError(
                    .missingBox,
                    reading: "segment",
                    offset: 0,
                    reason: "it has no moov box, and no EXT-X-MAP applies"
                )
            }
            return try movie.measure(bytes, isTruncated: isTruncated)
        case .transportStream:
            var measurement = try transport.measure(bytes, isTruncated: isTruncated)
            measurement.clock = TransportClock(bytes)
            return measurement
        case .packedAudio: return try PackedAudioProbe().measure(bytes)
        case .webVTT:
            let document = try WebVTTDocument(parsing: bytes)
            var measurement = SegmentMeasurement(container: .webVTT, byteCount: bytes.byteCount)
            measurement.hasTimestampMap = document.timestampMap != nil
            measurement.damagedCues = document.droppedCount
            measurement.tracks = [
                TrackMeasurement(id: 0, format: TrackFormat(kind: .subtitles, container: .webVTT, sampleEntry: "wvtt"))
            ]
            return measurement
        case .playlist, .other:
            throw ParseError(
                .notMedia,
                reading: "segment",
                offset: 0,
                reason: "found \(SegmentContent.mismatch(bytes) ?? "data of an unknown format")"
            )
        }
    }
}

extension ParseError.Code {
    /// The bytes are not media.
    public static let notMedia = ParseError.Code(rawValue: "not-media")
}
