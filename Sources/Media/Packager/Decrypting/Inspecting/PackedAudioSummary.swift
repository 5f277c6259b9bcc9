package import ByteCoding
package import MediaDecryption
import MediaFormats

/// A packed audio file with statistics about its frames.
package struct PackedAudioSummary: Sendable {
    /// The codec: AAC, AC-3 or E-AC-3; nil if no frame was found.
    package private(set) var codec: String?
    /// The sample rate in hertz.
    package private(set) var sampleRate: UInt32 = 0
    /// The number of frames; for E-AC-3, of access units.
    package private(set) var frames = 0
    /// The number of samples per channel.
    package private(set) var samples = 0
    /// The total size of the frames in bytes.
    package private(set) var byteCount = 0
    /// The first 16 ID3 tags.
    package private(set) var tags: [LocatedID3Tag] = []
    /// The number of ID3 tags, including those that are not in ``tags``.
    package private(set) var tagCount = 0
    /// The error that stopped the counting; nil if the file was read to its end.
    package private(set) var problem: ParseError?

    /// Counts the frames of a file.
    package init(_ file: RawSpan) {
        var position = 0
        do throws(ParseError) {
            while position < file.byteCount {
                if let tag = try LocatedID3Tag(file, at: position) {
                    tagCount += 1
                    if tags.count < 16 { tags.append(tag) }
                    position = tag.range.upperBound
                    continue
                }
                let size = try count(file, position)
                guard size <= file.byteCount - position else {
                    throw ParseError(
                        .truncated,
                        reading: "\(codec ?? "audio") frame",
                        offset: position,
                        reason: "\(size) bytes expected, \(file.byteCount - position) left"
                    )
                }
                byteCount += size
                position += size
            }
        } catch {
            problem = error
        }
    }

    /// The duration in seconds.
    package var seconds: Double { sampleRate > 0 ? Double(samples) / Double(sampleRate) : 0 }

    /// Counts a frame and returns its size in bytes.
    private mutating func count(_ file: RawSpan, _ position: Int) throws(ParseError) -> Int {
        let rest = file.extracting(position..<file.byteCount)
        if MediaFileKind.audio(rest) == .ac3 || MediaFileKind.audio(rest) == .enhancedAC3 {
            let header = try AC3Syncframe(rest, base: position)
            codec = codec ?? (header.isEnhanced ? "E-AC-3" : "AC-3")
            if sampleRate == 0 { sampleRate = header.sampleRate }
            if header.beginsAccessUnit {
                frames += 1
                samples += header.sampleCount
            }
            return header.size
        }
        let header = try ADTSHeader(rest, base: position)
        codec = codec ?? "AAC"
        if sampleRate == 0 { sampleRate = header.sampleRate }
        frames += 1
        samples += header.sampleCount
        return header.frameLength
    }
}
