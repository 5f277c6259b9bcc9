import ByteCoding
import MediaDecryption
import MediaFormats

/// Measures a segment of packed audio: ID3 tags, and frames of AAC, AC-3 or E-AC-3.
struct PackedAudioProbe {
    private var format: TrackFormat?
    private var timestamp: Int64?
    private var isEncrypted = false
    private var frames = 0
    private var samples: Int64 = 0
    private var frameBytes = 0
    private var loudness = StreamLoudness()

    /// Measures a segment.
    ///
    /// - Throws: `ParseError` if a frame is damaged.
    consuming func measure(_ segment: RawSpan) throws(ParseError) -> SegmentMeasurement {
        var position = 0
        while position < segment.byteCount {
            if let tag = try LocatedID3Tag(segment, at: position) {
                if timestamp == nil { timestamp = try tag.tag.timestamp().map { Int64(clamping: $0) } }
                if try tag.tag.audioSetup() != nil { isEncrypted = true }
                position = tag.range.upperBound
                continue
            }
            position += try readFrame(segment, position)
        }
        return measurement(of: segment.byteCount)
    }

    /// Reads a frame, and returns its size in bytes.
    private mutating func readFrame(_ segment: RawSpan, _ position: Int) throws(ParseError) -> Int {
        let rest = segment.extracting(position..<segment.byteCount)
        let size: Int
        if rest.byteCount >= 2,
            UInt16(bigEndian: rest.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt16.self)) == 0x0B77
        {
            let header = try AC3Syncframe(rest, base: position)
            size = header.size
            if format == nil { format = Self.format(header, rest, position) }
            if header.beginsAccessUnit {
                frames += 1
                samples += Int64(header.sampleCount)
                loudness.inspect(ac3: rest)
            }
        } else {
            let header = try ADTSHeader(rest, base: position)
            size = header.frameLength
            if format == nil { format = Self.format(header) }
            frames += 1
            samples += Int64(header.sampleCount)
            if !isEncrypted { loudness.inspect(adts: rest) }
        }
        guard size <= rest.byteCount else {
            throw ParseError(
                .truncated,
                reading: "audio frame",
                offset: position,
                reason: "\(size) bytes expected, \(rest.byteCount) left"
            )
        }
        frameBytes += size
        return size
    }

    static func format(_ header: AC3Syncframe, _ bytes: RawSpan, _ base: Int) -> TrackFormat {
        let entry = header.isEnhanced ? "ec-3" : "ac-3"
        var format = TrackFormat(kind: .audio, container: .packedAudio, sampleEntry: entry)
        format.sampleRate = header.sampleRate
        format.channels = "\(header.channelCount)"
        format.frameLength = 1536
        if header.isEnhanced, let configuration = try? EnhancedAC3ConfigurationBox(accessUnit: bytes, base: base) {
            format.channels = configuration.channelsAttribute
        }
        return format
    }

    static func format(_ header: ADTSHeader) -> TrackFormat {
        var format = TrackFormat(kind: .audio, container: .packedAudio, sampleEntry: "mp4a")
        format.codecs = "mp4a.40.\(header.objectType.rawValue)"
        format.sampleRate = header.sampleRate
        format.channels =
            header.channelConfiguration > 0
            ? "\(header.channelConfiguration == 7 ? 8 : header.channelConfiguration)" : nil
        format.frameLength = 1024
        return format
    }

    private func measurement(of size: Int) -> SegmentMeasurement {
        var result = SegmentMeasurement(container: .packedAudio, byteCount: size)
        guard var format else { return result }
        if isEncrypted { format.protection = TrackFormat.Protection(scheme: "SAMPLE-AES") }
        var track = TrackMeasurement(id: 0, format: format)
        track.sampleCount = frames
        track.encryptedSampleCount = isEncrypted ? frames : 0
        track.byteCount = frameBytes
        track.loudness = loudness
        if let timestamp, let rate = format.sampleRate, rate > 0 {
            let duration = samples * Int64(MediaTime.transportTimescale) / Int64(rate)
            track.start = MediaTime(timestamp, timescale: MediaTime.transportTimescale)
            track.end = MediaTime(timestamp + duration, timescale: MediaTime.transportTimescale)
            (track.decodeStart, track.decodeEnd) = (track.start, track.end)
        }
        result.tracks = [track]
        return result
    }
}
