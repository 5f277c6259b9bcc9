import FileWriting
import Foundation

/// The key server of the demonstration: one that is started for it, or an existing one.
struct StoryServer {
    /// The URL of the server.
    let url: String
    /// The admin token, or `@` and the name of a file that contains it.
    let adminToken: String
    /// The folder of the development credentials that the device and the server share.
    let credentials: String
    /// The playback token; nil if the server does not require one.
    let token: String?
    /// The license policy of the movie's keys; nil for the server's default.
    let policy: String?
    /// True if the server was started for the demonstration.
    var isOwn = false

    /// The lease of the server's policy, in seconds.
    static let lease = 60

    /// Starts a server on a free port of this machine, with a separate data folder and credentials.
    static func start(_ programs: StoryPrograms, _ printer: StoryPrinter) async throws(CommandFailure) -> StoryServer {
        func run(_ arguments: [String]) async throws(CommandFailure) {
            printer.command(arguments)
            try await programs.run(arguments[0], Array(arguments.dropFirst()))
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
        printer.command(["echo", "'\(document)'", ">policy.json"])
        try await run(["keyway-server", "policies", "add", "--data", "data", "--name", "story", "policy.json"])
        let arguments = ["serve", "--data", "data", "--dev", "--listen", "127.0.0.1:0"]
        printer.command(["keyway-server"] + arguments + ["&"])
        let process = try programs.start("keyway-server", arguments, output: "server.out", errors: "server.log")
        let server = StoryServer(
            url: try await address(of: process, programs),
            adminToken: "@" + programs.path("data/admin-token"),
            credentials: programs.path("dev"),
            token: nil,
            policy: "story",
            isOwn: true
        )
        printer.text("The server listens on \(server.url).")
        return server
    }

    /// Returns the URL that the server prints when it is ready.
    private static func address(
        of process: Process,
        _ programs: StoryPrograms
    ) async throws(CommandFailure) -> String {
        let mark = "listening for apps on "
        // The timeout is one minute, because startup is slow on a busy machine.
        for _ in 0..<600 {
            let lines = programs.text(of: "server.out").split(separator: "\n")
            if let line = lines.first(where: { $0.hasPrefix(mark) }) { return String(line.dropFirst(mark.count)) }
            guard process.isRunning else { break }
            try? await Task.sleep(for: .milliseconds(100))
        }
        let messages = programs.text(of: "server.log").split(separator: "\n").suffix(3).joined(separator: "; ")
        throw .file("the key server did not start: \(messages)")
    }
}
