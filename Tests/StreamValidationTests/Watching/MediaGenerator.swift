import Foundation

/// Segments of any number: a second of video that Shaka Packager encrypted with cbcs, with the times of each fragment,
/// and packed audio.
struct MediaGenerator: Sendable {
    private let initialization: [UInt8]
    private let fragment: [UInt8]

    /// The number of units per second, and the number of samples in a fragment.
    private static let (timescale, samples) = (10_240, 10)
    /// The offsets in the fragment of the default duration of a sample, and of the decode time.
    private static let (durationOffset, timeOffset) = (52, 68)
    /// The offset in the fragment of its samples, and its size.
    static let (mediaOffset, fragmentSize) = (353, 2309)

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "PackagerTests/Fixtures/Decrypting")
        let file = [UInt8](try Data(contentsOf: folder.appending(path: "cbcs-video.mp4")))
        initialization = Array(file[..<1034])
        fragment = Array(file[1102..<3411])
    }

    /// Returns the init segment of a key period.
    func map(period: Int) -> [UInt8] {
        var bytes = initialization
        guard let box = bytes.indices.first(where: { bytes[$0...].starts(with: "tenc".utf8) }) else { return bytes }
        // The key ID is in the pssh boxes, too.
        let keyID = Array(bytes[(box + 12)..<(box + 28)])
        for start in bytes.indices where bytes[start...].starts(with: keyID) {
            bytes[start + 15] ^= UInt8(truncatingIfNeeded: period)
        }
        return bytes
    }

    /// Returns fragments of video.
    ///
    /// - Parameters:
    ///   - start: The start in seconds.
    ///   - duration: The duration of each fragment in seconds.
    func video(start: Int, count: Int, duration: Int) -> [UInt8] {
        (0..<count).flatMap { index in
            var bytes = fragment
            let time = (start + index * duration) * Self.timescale
            Self.write(duration * Self.timescale / Self.samples, to: &bytes, at: Self.durationOffset)
            Self.write(time, to: &bytes, at: Self.timeOffset)
            return bytes
        }
    }

    /// Makes the key frame of a fragment a picture that depends on others.
    static func removeKeyFrame(from bytes: inout [UInt8], fragment: Int) {
        let start = fragment * fragmentSize
        // The flags of the first sample in trun: not a sync sample.
        bytes[start + 97] = 1
        var offset = start + mediaOffset
        // An access unit has few NAL units before its slice.
        for _ in 0..<8 {
            if bytes[offset + 4] & 0x1F == 5 { bytes[offset + 4] = bytes[offset + 4] & 0xE0 | 1 }
            offset += 4 + (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
    }

    private static func write(_ value: Int, to bytes: inout [UInt8], at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }

    /// The frames of audio, of 1024 samples at 48 kHz, that begin in a segment.
    static func audioFrames(_ number: Int, duration: Int) -> Range<Int> {
        func first(_ number: Int) -> Int { (number * duration * 48_000 + 1023) / 1024 }
        return first(number)..<first(number + 1)
    }

    /// Returns packed AAC.
    static func audio(_ frames: Range<Int>) -> [UInt8] {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let time = frames.lowerBound * 1920
        let timestamp = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        let content = owner + timestamp
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        var bytes = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
        // A header of 7 bytes, AAC-LC, 48 kHz, two channels; the content does not matter.
        let size = 40
        let header: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, UInt8(size >> 3), UInt8(size & 7) << 5 | 0x1F, 0xFC]
        for _ in frames { bytes += header + [UInt8](repeating: 0x21, count: size - 7) }
        return bytes
    }
}
