import ContentKeySession
import StreamPlayer

/// The demonstration: packaging, key delivery, playback, and verification.
struct Story {
    private let programs: StoryPrograms
    private let film: String?
    private let printer = StoryPrinter()

    /// - Parameter film: The path of a movie to use; nil for a test pattern and tones.
    init(_ programs: StoryPrograms, film: String?) { (self.programs, self.film) = (programs, film) }

    /// Runs the demonstration.
    ///
    /// - Throws: ``StoryFailure`` if a step fails, or if the output differs from the source.
    func run() async throws {
        let begin = ContinuousClock.now
        explain()
        printer.chapter("Content")
        let film = try await StoryMovie(programs, film: film)
        let sizes = StoryMovie.qualities.map { "\($0.width)x\($0.height)" }.joined(separator: ", ")
        let languages = StoryMovie.languages.map(\.code).joined(separator: " and ")
        printer.text("ffmpeg generated a movie of \(StoryMovie.seconds) s in \(sizes), with audio in \(languages).")
        printer.chapter("Key server")
        let server = try await StoryServer(programs, printer)
        printer.chapter("Packaging")
        let url = try await film.package(for: server, printer)
        printer.text("Each video quality and the audio have separate keys. All four are registered with the server.")
        let output = StoryOutput(programs)
        let outcome: StoryPlayback.Outcome
        do {
            outcome = try await StoryPlayback(server, printer).run(url, to: output)
        } catch let error as PlayerError {
            throw StoryFailure("playback failed: \(error)")
        }
        printer.chapter("Verification")
        let verification = try await StoryVerification(programs, outcome.sections)
        try check(outcome)
        summarize(outcome, verification, took: ContinuousClock.now - begin)
    }

    private func explain() {
        printer.write("A movie and its keys, from packaging to playback")
        printer.text("Real: the key server, the requests and responses, the keys, and the decryption.")
        printer.text(
            "Simulated: the device, the bandwidth of its network, and its clock, which is paused while a request is in"
        )
        printer.text("flight and skips ahead where the client would wait. So three minutes take seconds.")
    }

    /// Checks that the events that the demonstration is about have happened.
    private func check(_ outcome: StoryPlayback.Outcome) throws(StoryFailure) {
        guard outcome.report.switches.up > 0 else {
            throw StoryFailure("the player never switched to a higher quality")
        }
        guard outcome.accesses.contains(where: { $0.kind == .renewal }) else {
            throw StoryFailure("no lease was renewed")
        }
        guard outcome.report.retries > 0 else { throw StoryFailure("no request failed during the network outage") }
        guard outcome.requests.persistable == 0 else {
            throw StoryFailure("a persistent key was requested during AirPlay")
        }
    }

    private func summarize(_ outcome: StoryPlayback.Outcome, _ verification: StoryVerification, took: Duration) {
        let (report, requests) = (outcome.report, outcome.requests)
        func count(_ kind: KeyAccess.Kind) -> Int { outcome.accesses.count { $0.kind == kind } }
        printer.row("media and elapsed time", "\(Int(report.duration)) s in \(took.components.seconds) s")
        printer.row(
            "requests to the key server",
            "\(requests.all): \(requests.certificates) for the certificate, \(requests.batches) for several keys,"
                + " \(requests.singles) for one key"
        )
        printer.row(
            "keys received",
            "\(count(.preload)) preloaded, \(count(.renewal)) renewed, \(count(.onDemand)) on demand"
        )
        printer.row("variant switches", "\(report.switches.up) up, \(report.switches.down) down")
        printer.row("segment requests retried", "\(report.retries)")
        printer.row("stalls", "\(report.stalls.count)")
        let (video, audio) = (verification.video, verification.audio)
        printer.row("video frames", "\(video.frames), SHA-256 of all \(video.digest)...")
        printer.row("audio frames", "\(audio.frames), SHA-256 of all \(audio.digest)...")
        printer.write("\nEvery frame matches the source.")
    }
}
