import ArgumentParser

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
            Keys, policies and certificates can be added while the server runs. What \
            a command changes is in the audit log, with the system's user.

              keyway credentials new --out dev
              keyway-server certificates add --data data --name app --kind development \\
                  --certificate dev/certificate.der --private-key dev/private-key.pem --ask @dev/ask.hex
              keyway-server keys add --data data --asset movie --key HEX --iv HEX
              keyway-server serve --data data --dev

            Exit codes: 0 done, 1 refused or failed, 64 wrong usage.
            """,
        version: version,
        subcommands: [
            ServeCommand.self, TitlesCommand.self, TracksCommand.self, ChannelsCommand.self, KeysCommand.self,
            PoliciesCommand.self,
            CertificatesCommand.self, LeasesCommand.self, DevicesCommand.self, LicencesCommand.self,
            RentalsCommand.self, TokensCommand.self, AuditCommand.self, BackupCommand.self, RestoreCommand.self,
            StoreCommand.self,
            ConfigCommand.self,
        ]
    )
}
