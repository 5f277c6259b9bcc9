import Foundation

/// A demonstration of FairPlay from end to end, which is also a test of all parts together:
///
///     swift build && .build/debug/fairplay-story [MOVIE]
///
/// It starts a key server on a free port of this machine, with a temporary data folder in $TMPDIR. ffmpeg generates a
/// movie of three minutes with three video qualities and two languages, from MOVIE if it is given, otherwise a test
/// pattern and tones. `keyway package` encrypts it and registers its keys. A player with a virtual device then plays it
/// through key preloading, lease renewal, variant switches, AirPlay, and a network outage. Finally, ffmpeg decodes the
/// output, and every frame is compared with the movie. At the end, the server is stopped, and all temporary files are
/// deleted.
///
/// The server, the requests, the keys, and the decryption are real. The client's clock is simulated: it is paused while
/// a request is in flight, and where the client would only wait, it skips ahead. Playback of three minutes therefore
/// takes seconds.
@main
struct FairPlayStory {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            writeError("error: unexpected arguments; usage: fairplay-story [MOVIE]")
            exit(2)
        }
        do {
            try await run(film: arguments.first)
        } catch {
            writeError("error: \(error)")
            exit(1)
        }
    }

    private static func run(film: String?) async throws {
        let programs = try StoryPrograms()
        let interruption = StoryInterruption(programs)
        defer {
            interruption.end()
            programs.end()
        }
        do {
            try await Story(programs, film: film).run()
        } catch {
            // A demonstration that a signal interrupted has not failed.
            await interruption.waitForExit()
            throw error
        }
    }

    private static func writeError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// The error that ends the demonstration.
struct StoryFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
