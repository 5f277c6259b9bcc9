import ArgumentParser
import Foundation

/// `keyway demo story`.
struct DemoStoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract:
            "Demonstrate FairPlay end to end: package a movie, deliver its keys, play it, and verify every frame.",
        discussion: """
            The demonstration starts a key server on a free port of this machine, with a temporary data folder in \
            $TMPDIR (/tmp if it is not set). ffmpeg generates a three-minute movie with three video qualities and two \
            languages. The command keyway package encrypts it and registers its keys. A player with a virtual device \
            then plays it through key preloading, lease renewal, variant switches, AirPlay, and a network outage. \
            Finally, ffmpeg decodes the output, and every frame is compared with the original movie. At the end, the \
            server is stopped, and all temporary files are deleted.

            The server, the requests, the keys, and the decryption are real. The client's clock is simulated: it is \
            paused while a request is in flight, and where the client would only wait, it skips ahead. Playback of \
            three minutes therefore takes seconds.

              keyway demo story
              keyway demo story --film movie.mp4
              keyway demo story --server http://127.0.0.1:8080 \\
                  --admin-token @data/admin-token --credentials dev
            """
    )

    @Option(
        help: .init(
            "A movie with video and audio to use as the source; repeated if it is shorter than three "
                + "minutes, and cut to three minutes. (default: a test pattern and tones)",
            valueName: "file"
        )
    )
    var film: String?

    @Option(
        help: .init(
            "The URL of a running key server to use instead of starting one; it requires "
                + "--admin-token and --credentials.",
            valueName: "url"
        )
    )
    var server: String?

    @Option(help: .init("The admin token of the server at --server.", valueName: "text|@file"))
    var adminToken: String?

    @Option(
        help: .init(
            "A folder created by keyway credentials new, with the ASk of the server at --server.",
            valueName: "dir"
        )
    )
    var credentials: String?

    @Option(
        help: .init(
            "The name of the license policy on the server at --server for the movie's keys; it must "
                + "specify a lease, which is then renewed. (default: the server's default policy)",
            valueName: "name"
        )
    )
    var policy: String?

    @Option(
        help: .init(
            "The playback token that the server at --server requires. (default: no token)",
            valueName: "text|@file"
        )
    )
    var token: String?

    func validate() throws {
        let given = [adminToken, credentials, policy, token].contains { $0 != nil }
        guard let server else {
            guard !given else {
                throw ValidationError("--admin-token, --credentials, --policy, and --token require --server.")
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
