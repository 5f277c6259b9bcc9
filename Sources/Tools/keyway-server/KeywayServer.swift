import ArgumentParser
import FPSCrypto
import Foundation
import KeyStore

/// The server's executable: serves, and keeps what the server serves from.
@main
struct KeywayServer: AsyncParsableCommand {
    /// The program's version, which `--version` and the metrics tell.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "keyway-server",
        abstract: "A FairPlay Streaming key server.",
        discussion: """
            Everything is kept in one data folder: an SQLite database, and beside it the key that seals the secrets in it. \
            It is created by init, serve, restore, and by the first certificates, keys, policies, titles or tokens add; \
            other commands fail where there is none. \
            Keys, policies and certificates can be added while the server runs. What \
            a command changes is in the audit log, with the system's user.

              keyway credentials new --out dev
              keyway-server certificates add --data data --name app --kind development \\
                  --certificate dev/certificate.der --private-key dev/private-key.pem --ask @dev/ask.hex
              keyway-server keys add --data data --asset movie --key HEX --iv HEX
              keyway-server serve --data data --dev

            Files with secrets are used when they belong to you or to root and others have no access: chmod 600.

            Exit codes: 0 done, 1 the input is wrong or a check failed, 2 wrong usage, 3 a file or a connection cannot be used.
            """,
        version: version,
        subcommands: [
            InitCommand.self, ServeCommand.self, TitlesCommand.self, TracksCommand.self, ChannelsCommand.self,
            KeysCommand.self,
            PoliciesCommand.self,
            CertificatesCommand.self, LeasesCommand.self, DevicesCommand.self, LicensesCommand.self,
            RentalsCommand.self, TokensCommand.self, AuditCommand.self, BackupCommand.self, RestoreCommand.self,
            StoreCommand.self,
            ConfigCommand.self,
        ]
    )
    static func main() async {
        Foundation.exit(await exitCode())
    }

    /// Runs the command that the arguments name, and tells on standard error why it failed.
    private static func exitCode() async -> Int32 {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            let failure: CommandFailure? =
                switch error {
                case let error as CommandFailure: error
                case let error as KeyStoreError: CommandFailure(error)
                case let error as SecretFileError: CommandFailure(error)
                default: nil
                }
            guard let failure else { return report(error) }
            tell("error: \(failure)")
            return failure.kind.rawValue
        }
    }

    /// What the argument parser throws (a request for help, or a mistake in the command line), or another library.
    private static func report(_ error: any Error) -> Int32 {
        let message = fullMessage(for: error)
        let code = exitCode(for: error)
        guard code != .success else {
            if !message.isEmpty { print(message) }
            return 0
        }
        // A command that has told everything already throws its code alone.
        if !message.isEmpty { tell(message.hasPrefix("Error: ") ? "error: " + message.dropFirst(7) : message) }
        // The argument parser's own code is 64.
        return code == .validationFailure ? CommandFailure.Kind.usage.rawValue : code.rawValue
    }
}
