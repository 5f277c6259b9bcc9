import ArgumentParser
import KeyStore
import ToolSupport

/// The server's executable: runs the server and administers its data.
@main
struct KeywayServer: CommandRoot {
    /// The program's version, which `--version` prints and the metrics report.
    static let version = KeywayVersion.current

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
              keyway-server keys add --data data --asset movie \\
                  --key 3c3d3e3f404142434445464748494a4b --iv 0f0e0d0c0b0a09080706050403020100
              keyway-server serve --data data --dev

            A file with a secret of the server (private key, passphrase, password, key-encryption key, or another \
            key that @FILE reads) must be owned by the account that runs the command or by root, and must not be \
            accessible to others: chmod 600. If root owns the file, its group may read it.

            Paths such as docs/server.md are in Keyway's source repository.

            With --json, a command prints the JSON of the administration API, and lists as {"items": [...]}.

            Exit codes: 0 success, 1 invalid input or a failed check, 2 usage error, 3 unusable file or connection.
            """,
        version: version,
        subcommands: [
            InitCommand.self, ServeCommand.self, HealthCommand.self, TitlesCommand.self, TracksCommand.self,
            ChannelsCommand.self,
            KeysCommand.self,
            PoliciesCommand.self,
            CertificatesCommand.self, LeasesCommand.self, DevicesCommand.self, LicensesCommand.self,
            RentalsCommand.self, TokensCommand.self, AuditCommand.self, BackupCommand.self, RestoreCommand.self,
            StoreCommand.self,
            ConfigCommand.self, DoctorCommand.self,
        ]
    )

    static func main() async {
        PluginProcessCommand.runIfRequested()
        await runAndExit()
    }

    static func failure(for error: any Error) -> CommandFailure? { (error as? KeyStoreError).map(CommandFailure.init) }
}
