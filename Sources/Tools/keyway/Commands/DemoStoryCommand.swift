import ArgumentParser
import Foundation

/// `keyway demo story`.
struct DemoStoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract:
            "Demonstrate FairPlay end to end: package a movie, deliver its keys, play it, and verify every frame.",
        discussion: """
            The demonstration starts a key server on a free port of this machine, with a temporary data folder below \
            TMPDIR. ffmpeg generates a three-minute movie with three video qualities and two languages. keyway package \
            encrypts it and registers its keys. A player with a virtual device then plays it through key preloading, \
            lease renewal, variant switches, AirPlay and a revoked license. Finally, ffmpeg decodes the output, and \
            every frame is compared with the original movie. At the end the server is stopped, and all temporary files \
            are deleted.

            Server, requests, keys and decryption are real. The client's clock is simulated: it is paused while a \
            request is in flight, and where the client would only wait, it skips ahead. Playback of three minutes \
            therefore takes seconds.

              keyway demo story
              keyway demo story --film film.mp4
              keyway demo story --server http://127.0.0.1:8080 --admin-token @data/admin-token --credentials dev
            """
    )

    @Option(help: .init("A movie to use as the source; repeated if it is too short.", valueName: "file"))
    var film: String?

    @Option(help: .init("A running key server to use instead of starting one.", valueName: "url"))
    var server: String?

    @Option(help: .init("The admin token of that server.", valueName: "text|@file"))
    var adminToken: String?

    @Option(help: .init("A folder created by keyway credentials new, with the ASk of that server.", valueName: "dir"))
    var credentials: String?

    @Option(
        help: .init(
            "The license policy on that server for the movie's keys; it must specify a lease, which is then renewed.",
            valueName: "name"
        )
    )
    var policy: String?

    @Option(help: .init("The playback token that the server requires.", valueName: "text|@file"))
    var token: String?

    func validate() throws {
        let given = [adminToken, credentials, policy, token].contains { $0 != nil }
        guard let server else {
            guard !given else {
                throw ValidationError("--admin-token, --credentials, --policy and --token require --server.")
            }
            return
        }
        guard KeyServerClient.url(server) != nil else {
            throw ValidationError("--server: expected an http:// or https:// URL.")
        }
        guard adminToken != nil, credentials != nil else {
            throw ValidationError(
                "--server requires --admin-token, to register keys, and --credentials, for the device."
            )
        }
    }

    func run() async throws {
        let programs = try StoryPrograms()
        let interruption = StoryInterruption(programs)
        defer {
            interruption.end()
            programs.end()
        }
        do {
            try await Story(programs, film: film).run(on: try givenServer())
        } catch {
            // A demonstration that a signal interrupted has not failed.
            await interruption.waitForExit()
            throw error
        }
    }

    private func givenServer() throws -> StoryServer? {
        guard let server, let adminToken, let credentials else { return nil }
        return StoryServer(
            url: server.hasSuffix("/") ? String(server.dropLast()) : server,
            // The child processes run in another folder, so relative paths are resolved here.
            adminToken: adminToken.hasPrefix("@")
                ? "@" + URL(filePath: String(adminToken.dropFirst())).path : adminToken,
            credentials: URL(filePath: credentials).path,
            token: try token.map { try PlayKeys.token($0) },
            policy: policy
        )
    }
}
