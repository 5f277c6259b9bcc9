import FileWriting
import Foundation

/// The key server of the story: one that is started for it, or one that was named.
struct StoryServer {
    /// Its address.
    let url: String
    /// The token of its administration, or `@` and a file that holds it.
    let adminToken: String
    /// The folder whose ASk the device and the server share.
    let credentials: String
    /// The token of the viewer; nil where the server wants none.
    let token: String?
    /// The license policy of the film's keys; nil leaves the server's own.
    let policy: String?
    /// Whether it is the story's own.
    var isOwn = false

    /// How long the leases are that the story's own server grants, in seconds.
    static let lease = 60

    /// Starts a server on a free port of this machine, with a data folder and credentials of its own.
    static func start(_ programs: StoryPrograms, _ teller: StoryTeller) async throws(CommandFailure) -> StoryServer {
        func run(_ words: [String]) async throws(CommandFailure) {
            teller.command(words)
            try await programs.run(words[0], Array(words.dropFirst()))
        }
        try await run(["keyway", "credentials", "new", "--out", "dev"])
        try await run(
            ["keyway-server", "certificates", "add", "--data", "data", "--name", "app", "--kind", "development"]
                + [
                    "--certificate", "dev/certificate.der", "--private-key", "dev/private-key.pem", "--ask",
                    "@dev/ask.hex",
                ]
        )
        let document = #"{"lease": "PT\#(lease)S", "virtualMachines": "deny"}"#
        try OutputFile.write(Array(document.utf8), to: programs.path("policy.json"), access: .owner)
        teller.command(["echo", "'\(document)'", ">policy.json"])
        try await run(["keyway-server", "policies", "add", "--data", "data", "--name", "story", "policy.json"])
        let words = ["serve", "--data", "data", "--dev", "--listen", "127.0.0.1:0"]
        teller.command(["keyway-server"] + words + ["&"])
        let process = try programs.start("keyway-server", words, output: "server.out", errors: "server.log")
        let server = StoryServer(
            url: try await address(of: process, programs),
            adminToken: "@" + programs.path("data/admin-token"),
            credentials: programs.path("dev"),
            token: nil,
            policy: "story",
            isOwn: true
        )
        teller.say("It listens on \(server.url).")
        return server
    }

    /// Waits until the server says where it listens.
    private static func address(
        of process: Process,
        _ programs: StoryPrograms
    ) async throws(CommandFailure) -> String {
        let mark = "listening for apps on "
        // A minute: a busy machine may take its time.
        for _ in 0..<600 {
            let lines = programs.text(of: "server.out").split(separator: "\n")
            if let line = lines.first(where: { $0.hasPrefix(mark) }) { return String(line.dropFirst(mark.count)) }
            guard process.isRunning else { break }
            try? await Task.sleep(for: .milliseconds(100))
        }
        let said = programs.text(of: "server.log").split(separator: "\n").suffix(3).joined(separator: "; ")
        throw .file("the key server does not listen: \(said)")
    }
}
