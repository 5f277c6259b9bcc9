import FPSCrypto
import Foundation
import StreamPlayer
import TextCoding

/// Whether what was played is the film: every frame that ffmpeg decodes of it is compared with the frame of the film at that
/// place, in the quality that played then.
struct StoryProof {
    /// How many frames were compared, and a hash over all of their hashes.
    struct Track: Equatable {
        let frames: Int
        let digest: String
    }

    let pictures: Track
    let sound: Track

    /// Compares.
    ///
    /// - Throws: ``CommandFailure`` where a frame is another, or one is missing.
    init(_ programs: StoryPrograms, _ stretches: [StoryOutput.Stretch]) async throws(CommandFailure) {
        func hashes(_ file: String) async throws(CommandFailure) -> [Substring] {
            try await Self.hashes(of: file, programs)
        }
        var films: [[Substring]] = []
        for quality in StoryFilm.qualities { films.append(try await hashes(quality.file)) }
        var played: [Substring] = []
        for stretch in stretches where stretch.track == .main {
            let frames = try await hashes(stretch.name)
            let end = played.count + frames.count
            guard films.contains(where: { $0.count >= end && $0[played.count..<end].elementsEqual(frames) }) else {
                throw .input("frames \(played.count) to \(end - 1) are not those of the film: something is badly wrong")
            }
            played += frames
        }
        guard let first = films.first, played.count == first.count, !played.isEmpty else {
            throw .input("\(played.count) pictures were played of \(films.first?.count ?? 0)")
        }
        pictures = Self.track(played)
        var sounds: [Substring] = []
        for stretch in stretches where stretch.track == .audio { sounds += try await hashes(stretch.name) }
        guard sounds == (try await hashes(StoryFilm.language + ".m4a")), !sounds.isEmpty else {
            throw .input("the sound is not that of the film: something is badly wrong")
        }
        sound = Self.track(sounds)
    }

    /// A hash for each decoded frame.
    private static func hashes(of file: String, _ programs: StoryPrograms) async throws(CommandFailure) -> [Substring] {
        // An edit list may cut frames off that the segments have.
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
