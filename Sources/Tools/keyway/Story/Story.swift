import ContentKeySession
import StreamPlayer

/// The story of `keyway demo story`, from the film that is made to the proof that it was played.
struct Story {
    private let programs: StoryPrograms
    private let film: String?
    private let teller = StoryTeller()

    /// - Parameter film: what the film is made of; nil: a test picture and tones.
    init(_ programs: StoryPrograms, film: String?) { (self.programs, self.film) = (programs, film) }

    /// Tells it.
    ///
    /// - Parameter server: the key server; nil: one is started.
    /// - Throws: ``CommandFailure`` where something failed, or where what was played is not the film.
    func tell(on given: StoryServer?) async throws {
        let begin = ContinuousClock.now
        explain()
        teller.chapter("A film")
        let film = try await StoryFilm(programs, film: film)
        let sizes = StoryFilm.qualities.map { "\($0.width)x\($0.height)" }.joined(separator: ", ")
        let languages = StoryFilm.languages.map(\.code).joined(separator: " and ")
        teller.say("ffmpeg has made \(StoryFilm.seconds) s of film in \(sizes), with sound in \(languages).")
        teller.chapter("A key server")
        let server: StoryServer
        if let given {
            server = given
            teller.say("\(given.url) was named.")
        } else {
            server = try await StoryServer.start(programs, teller)
        }
        teller.chapter("Packaging")
        let url = try await film.package(for: server, teller)
        teller.say("Each quality has a key of its own, and the sound has one. The server has all four.")
        let output = StoryOutput(programs)
        let outcome: StoryPlayback.Outcome
        do {
            outcome = try await StoryPlayback(server, teller).run(url, to: output)
        } catch let error as PlayerError {
            throw CommandFailure.input("the player ended: \(error)")
        }
        teller.chapter("The end")
        let proof = try await StoryProof(programs, outcome.stretches)
        try check(outcome, on: server)
        summarize(outcome, proof, took: ContinuousClock.now - begin)
    }

    private func explain() {
        teller.write("The story of a film and its keys")
        teller.say("Real: the server, what is sent to it and what it answers, the keys, the decryption.")
        teller.say(
            "Pretended: the device; the speed of its network; and its clock, which stands still while the server"
        )
        teller.say("works and jumps where the client would wait, so that three minutes take seconds.")
    }

    /// A story without its turns is none.
    private func check(_ outcome: StoryPlayback.Outcome, on server: StoryServer) throws(CommandFailure) {
        guard outcome.report.switches.up > 0 else { throw .input("the quality was never changed") }
        guard outcome.accesses.contains(where: { $0.kind == .renewal }) || !server.isOwn else {
            throw .input("no lease was renewed")
        }
        guard outcome.report.retries > 0 else { throw .input("the network was never missed") }
        guard outcome.requests.persistable == 0 else { throw .input("a key to keep was asked for over AirPlay") }
    }

    private func summarize(_ outcome: StoryPlayback.Outcome, _ proof: StoryProof, took: Duration) {
        let (report, requests) = (outcome.report, outcome.requests)
        func count(_ kind: KeyAccess.Kind) -> Int { outcome.accesses.count { $0.kind == kind } }
        teller.row("film, and how long it took", "\(Int(report.duration)) s in \(took.components.seconds) s")
        teller.row(
            "requests to the key server",
            "\(requests.all): \(requests.certificates) for the certificate, \(requests.batches) for several keys,"
                + " \(requests.singles) for one"
        )
        teller.row(
            "keys that came",
            "\(count(.preload)) ahead, \(count(.renewal)) renewed, \(count(.onDemand)) when they were needed"
        )
        teller.row("changes of quality", "\(report.switches.up) up, \(report.switches.down) down")
        teller.row("failures made good", "\(report.retries) of segments")
        teller.row("stalls", "\(report.stalls.count)")
        teller.row("pictures", "\(proof.pictures.frames), SHA-256 of all \(proof.pictures.digest)...")
        teller.row("frames of sound", "\(proof.sound.frames), SHA-256 of all \(proof.sound.digest)...")
        teller.write("\nEvery frame is the film's.")
    }
}
