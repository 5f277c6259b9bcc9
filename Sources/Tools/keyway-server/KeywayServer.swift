import ArgumentParser
import FPSCrypto
import Foundation
import KeyStore

/// The server's executable: runs the server and administers its data.
@main
struct KeywayServer: AsyncParsableCommand {
    /// The program's version, which `--version` prints and the metrics report.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "keyway-server",
        abstract: "A FairPlay Streaming key server.",
        discussion: """
            By default, everything is stored in one data folder: an SQLite database (keyway.sqlite), the key that \
            encrypts the secrets in it (kek), and a token for administration (admin-token). With --store, the \
            database is in PostgreSQL. The folder is created by init, serve, restore, keys import, and store copy, \
            and by the first certificates, keys, policies, titles, or tokens add; other commands fail if it does not \
            exist. Keys, policies, and certificates can be added while the server runs. The audit log records every \
            change that a command makes, with the name of the operating-system user who ran it.

              keyway credentials new --out dev
              keyway-server certificates add --data data --name app --kind development \\
                  --certificate dev/certificate.der --private-key dev/private-key.pem \\
                  --ask @dev/ask.hex
              keyway-server keys add --data data --asset movie --key HEX --iv HEX
              keyway-server serve --data data --dev

            A file with a secret of the server (private key, passphrase, password, key-encryption key, or another \
            key that @FILE reads) must be owned by the account that runs the command or by root, and must not be \
            accessible to others: chmod 600. If root owns the file, its group may read it.

            Paths such as docs/server.md are in Keyway's source repository.

            Exit status: 0 success, 1 invalid input or a failed check, 2 usage error, 3 unusable file or connection.
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

    /// Runs the command that the arguments select and prints the reason of a failure to standard error.
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
            printToStandardError("error: \(failure)")
            return failure.kind.rawValue
        }
    }

    /// Prints an error of the argument parser (a request for help or a usage error) or of another library, and returns
    /// the exit code.
    private static func report(_ error: any Error) -> Int32 {
        let message = fullMessage(for: error)
        let code = exitCode(for: error)
        guard code != .success else {
            if !message.isEmpty { print(message) }
            return 0
        }
        // A command that has already printed its errors throws only an exit code.
        if !message.isEmpty {
            printToStandardError(message.hasPrefix("Error: ") ? "error: " + message.dropFirst(7) : message)
        }
        // The argument parser's own exit code for usage errors is 64.
        return code == .validationFailure ? CommandFailure.Kind.usage.rawValue : code.rawValue
    }
}
