import FPSCrypto
import Foundation
import StreamPlayer
import TextCoding

/// The verification that the output matches the source: every frame that ffmpeg decodes from it is compared with the
/// frame of the source at the same position, in the quality that was played.
struct StoryVerification {
    /// The number of frames that were compared, and a hash of all their hashes.
    struct Track: Equatable {
        let frames: Int
        let digest: String
    }

    let video: Track
    let audio: Track

    /// Compares all frames.
    ///
    /// - Throws: ``StoryFailure`` if a frame differs or is missing.
    init(_ programs: StoryPrograms, _ sections: [StoryOutput.Section]) async throws(StoryFailure) {
        func hashes(_ file: String) async throws(StoryFailure) -> [Substring] {
            try await Self.hashes(of: file, programs)
        }
        var sources: [[Substring]] = []
        for quality in StoryMovie.qualities { sources.append(try await hashes(quality.file)) }
        var played: [Substring] = []
        for section in sections where section.track == .main {
            let frames = try await hashes(section.name)
            let end = played.count + frames.count
            guard sources.contains(where: { $0.count >= end && $0[played.count..<end].elementsEqual(frames) }) else {
                throw StoryFailure("video frames \(played.count) to \(end - 1) differ from the source")
            }
            played += frames
        }
        guard let first = sources.first, played.count == first.count, !played.isEmpty else {
            throw StoryFailure("\(played.count) of \(sources.first?.count ?? 0) video frames were played")
        }
        video = Self.track(played)
        var audioFrames: [Substring] = []
        for section in sections where section.track == .audio { audioFrames += try await hashes(section.name) }
        guard audioFrames == (try await hashes(StoryMovie.language + ".m4a")), !audioFrames.isEmpty else {
            throw StoryFailure("the audio frames differ from the source")
        }
        audio = Self.track(audioFrames)
    }

    /// Returns the hash of each decoded frame.
    private static func hashes(of file: String, _ programs: StoryPrograms) async throws(StoryFailure) -> [Substring] {
        // The edit list is ignored, because it may remove frames that the segments contain.
        let text = try await programs.run(
            "ffmpeg",
            ["-nostdin", "-loglevel", "error", "-ignore_editlist", "1", "-i", file, "-map", "0:0"]
                + ["-fps_mode", "passthrough", "-f", "framehash", "-hash", "sha256", "-"]
        )
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last?.drop { $0 == " " } }
    }

    private static func track(_ hashes: [Substring]) -> Track {
        let digest = SHA256.hash(Array(hashes.joined(separator: "\n").utf8))
        return Track(frames: hashes.count, digest: Hexadecimal.encode(Array(digest.prefix(8))))
    }
}
