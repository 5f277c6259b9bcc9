import Foundation

/// The key server of the demonstration, with a separate data folder and credentials.
struct StoryServer {
    /// The URL of the server.
    let url: String
    /// The folder of the development credentials that the device and the server share.
    let credentials: String

    /// The name of the license policy of the movie's keys.
    static let policy = "story"
    /// The lease of the policy, in seconds.
    private static let lease = 60

    /// Starts a server on a free port of this machine.
    init(_ programs: StoryPrograms, _ printer: StoryPrinter) async throws(StoryFailure) {
        func run(_ arguments: [String]) async throws(StoryFailure) {
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
        let document = #"{"lease": "PT\#(Self.lease)S", "virtualMachines": "deny"}"#
        try programs.write(document, to: "policy.json")
        printer.command(["echo", "'\(document)'", ">policy.json"])
        try await run(["keyway-server", "policies", "add", "--data", "data", "--name", Self.policy, "policy.json"])
        let arguments = ["serve", "--data", "data", "--dev", "--listen", "127.0.0.1:0"]
        printer.command(["keyway-server"] + arguments + ["&"])
        let process = try programs.start("keyway-server", arguments, output: "server.out", errors: "server.log")
        url = try await Self.address(of: process, programs)
        credentials = programs.path("dev")
        printer.text("The server listens on \(url).")
    }

    /// Returns the URL that the server prints when it is ready.
    private static func address(
        of process: Process,
        _ programs: StoryPrograms
    ) async throws(StoryFailure) -> String {
        let mark = "listening for apps on "
        // The timeout is one minute, because startup is slow on a busy machine.
        for _ in 0..<600 {
            let lines = programs.text(of: "server.out").split(separator: "\n")
            if let line = lines.first(where: { $0.hasPrefix(mark) }) { return String(line.dropFirst(mark.count)) }
            guard process.isRunning else { break }
            try? await Task.sleep(for: .milliseconds(100))
        }
        let messages = programs.text(of: "server.log").split(separator: "\n").suffix(3).joined(separator: "; ")
        throw StoryFailure("the key server did not start: \(messages)")
    }
}
