import ByteCoding
import MediaFormats

/// A segment of packed audio: the frames of an elementary stream, with ID3 tags before and between them (RFC 8216bis,
/// section 3.1.4).
package struct PackedAudio {
    /// The format of the frames.
    package enum Format: String, Sendable {
        case aac, mp3, ac3
        case enhancedAC3 = "ec3"

        /// The usual extension of a file with such frames, without a dot.
        package var fileExtension: String { rawValue }
    }

    /// The format of the first frame; nil if it is not known.
    package let format: Format?
    /// The segment without its ID3 tags. In a file, a decoder would take the tag of each segment for damaged audio.
    package let frames: [UInt8]

    /// Parses a segment. Bytes after a frame that is not recognized are kept.
    ///
    /// - Returns: nil if the bytes begin neither with an ID3 tag nor with a frame.
    package init?(_ segment: [UInt8]) {
        let bytes = segment.span.bytes
        var frames: [UInt8] = []
        frames.reserveCapacity(segment.count)
        var format: Format?
        var hasTag = false
        var position = 0
        while position < segment.count {
            let rest = bytes.extracting(position..<segment.count)
            if let tag = ID3Header(rest) {
                hasTag = true
                position += tag.tagSize
                continue
            }
            let frame = Self.frame(rest)
            guard frame != nil || hasTag || format != nil else { return nil }
            format = format ?? frame?.format
            let end = min(position + (frame?.size ?? segment.count), segment.count)
            frames += segment[position..<end]
            position = end
        }
        guard hasTag || format != nil else { return nil }
        (self.format, self.frames) = (format, frames)
    }

    /// Returns the size in bytes, at least 1, and the format of the frame at the start of the bytes; nil if there is none.
    private static func frame(_ bytes: RawSpan) -> (size: Int, format: Format)? {
        switch MediaFileKind.audio(bytes) {
        case .aac: return (try? ADTSHeader(bytes, base: 0)).map { ($0.frameLength, .aac) }
        case .ac3: return (try? AC3Syncframe(bytes, base: 0)).map { ($0.size, .ac3) }
        case .enhancedAC3: return (try? AC3Syncframe(bytes, base: 0)).map { ($0.size, .enhancedAC3) }
        case .h264: return nil
        case nil: break
        }
        guard bytes.byteCount >= 4 else { return nil }
        let header = MPEGAudioHeader(bytes.extracting(0..<4).withUnsafeBytes { [UInt8]($0) }[...])
        return header?.frameSize.map { ($0, .mp3) }
    }
}
