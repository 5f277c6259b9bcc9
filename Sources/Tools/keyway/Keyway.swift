import ArgumentParser
import Foundation

/// The command line.
@main
struct Keyway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyway",
        abstract: "FairPlay Streaming on Linux: package films; look into SPCs, CKCs and playlists, and find faults.",
        discussion: """
            Files are given by name, or as - for standard input. SPCs and CKCs are taken in binary or in base64, and are \
            written in binary. Output holds no secret unless --reveal is given.

            Secrets on a command line can be seen by everybody on the machine in its list of processes: for --key, \
            --dask and --ask, write @FILE to have the value read from a file, in hexadecimal or as it is.

            Exit codes:
              0  all is well
              1  the input is not what it should be, or a check has failed
              2  the command line is wrong
              3  a file or a connection cannot be read or written
            """,
        version: "0.1.0",
        subcommands: [
            SPCCommand.self, CKCCommand.self, PolicyCommand.self, CertificateCommand.self, CredentialsCommand.self,
            DeviceCommand.self, PlayCommand.self, DownloadCommand.self, OfflineCommand.self, PlaylistCommand.self,
            PackageCommand.self,
            MediaFileSegmenterCommand.self, DecryptCommand.self, MediaCommand.self, LoadCommand.self,
            SimulateCommand.self, TokenCommand.self, ExplainCommand.self, DemoCommand.self,
        ]
    )

    static func main() async {
        Foundation.exit(await exitCode(arguments: nil))
    }

    /// Runs the command that the arguments name, and says on standard error why it failed.
    private static func exitCode(arguments: [String]?) async -> Int32 {
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch let failure as CommandFailure {
            Terminal.complain("error: \(escaped(failure.description))")
            return failure.kind.rawValue
        } catch {
            return report(error)
        }
    }

    /// What the argument parser throws: a request for help, or a mistake in the command line.
    private static func report(_ error: any Error) -> Int32 {
        let message = fullMessage(for: error)
        let code = exitCode(for: error)
        guard code != .success else {
            try? Terminal.write(message + "\n")
            return 0
        }
        let isCapitalized = message.hasPrefix("Error: ")
        Terminal.complain(isCapitalized ? "error: " + message.dropFirst(7) : message)
        // The argument parser's own code is 64.
        return (code == .validationFailure ? CommandFailure.Kind.usage : .input).rawValue
    }
}
