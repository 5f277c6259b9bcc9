import ArgumentParser
import Foundation

/// `keyway demo story`.
struct DemoStoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Tell the story of a film: packaged, preloaded, played, renewed, switched, sent to AirPlay, cut off.",
        discussion: """
            A key server is started on a free port of this machine, with a data folder of its own below TMPDIR. ffmpeg makes \
            a film of three minutes in three qualities and two languages, keyway package encrypts it and registers its keys, \
            and a player with a virtual device plays it, while things happen. In the end ffmpeg decodes what was played, and \
            every frame is compared with the film's. The server ends with the story, and nothing is left behind.

            Server, requests, keys and decryption are real. The client's clock jumps: it stands still while a request is at \
            the server, and where the client would only wait, it is later at once. So three minutes take seconds.

              keyway demo story
              keyway demo story --film film.mp4
              keyway demo story --server http://127.0.0.1:8080 --admin-token @data/admin-token --credentials dev
            """
    )

    @Option(help: .init("Make the film of this one, again and again where it is short.", valueName: "file"))
    var film: String?

    @Option(help: .init("A key server that runs, in place of one of the story's own.", valueName: "url"))
    var server: String?

    @Option(help: .init("The token of its administration.", valueName: "text|@file"))
    var adminToken: String?

    @Option(help: .init("A folder made by keyway credentials new, whose ASk the server has.", valueName: "dir"))
    var credentials: String?

    @Option(
        help: .init(
            "The license policy of the film's keys on it; with a lease, which is then renewed.",
            valueName: "name"
        )
    )
    var policy: String?

    @Option(help: .init("The viewer's token that it wants.", valueName: "text|@file"))
    var token: String?

    func validate() throws {
        let given = [adminToken, credentials, policy, token].contains { $0 != nil }
        guard let server else {
            guard !given else { throw ValidationError("These options describe a server: name it by --server.") }
            return
        }
        guard KeyServerClient.url(server) != nil else {
            throw ValidationError("--server is a URL that begins with http:// or https://.")
        }
        guard adminToken != nil, credentials != nil else {
            throw ValidationError("--server needs --admin-token, to register keys, and --credentials, for the device.")
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
            try await Story(programs, film: film).tell(on: try givenServer())
        } catch {
            // What was ended by a signal has not failed.
            await interruption.letItFinish()
            throw error
        }
    }

    private func givenServer() throws -> StoryServer? {
        guard let server, let adminToken, let credentials else { return nil }
        return StoryServer(
            url: server.hasSuffix("/") ? String(server.dropLast()) : server,
            // Programs of the story run in another folder.
            adminToken: adminToken.hasPrefix("@")
                ? "@" + URL(filePath: String(adminToken.dropFirst())).path : adminToken,
            credentials: URL(filePath: credentials).path,
            token: try token.map { try PlayKeys.token($0) },
            policy: policy
        )
    }
}
