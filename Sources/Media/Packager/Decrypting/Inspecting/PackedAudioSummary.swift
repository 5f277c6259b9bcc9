package import ByteCoding
package import MediaDecryption
import MediaFormats

/// What is in a file of packed audio, its frames counted.
package struct PackedAudioSummary: Sendable {
    /// AAC, AC-3 or E-AC-3; nil when no frame was found.
    package private(set) var codec: String?
    /// Samples a second.
    package private(set) var sampleRate: UInt32 = 0
    /// How many frames there are; of E-AC-3, syncframes that begin an access unit.
    package private(set) var frames = 0
    /// How many samples they have, for each channel.
    package private(set) var samples = 0
    /// How many bytes they have.
    package private(set) var byteCount = 0
    /// The ID3 tags.
    package private(set) var tags: [ID3TagPlace] = []
    /// How many tags there are; ``tags`` has the first 16.
    package private(set) var tagCount = 0
    /// Why it could not be read to its end.
    package private(set) var problem: ParseError?

    /// Counts the frames of a file.
    package init(_ file: RawSpan) {
        var position = 0
        do throws(ParseError) {
            while position < file.byteCount {
                if let tag = try ID3TagPlace(file, at: position) {
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

    /// How long it is, in seconds.
    package var seconds: Double { sampleRate > 0 ? Double(samples) / Double(sampleRate) : 0 }

    /// Counts a frame and says how large it is.
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
