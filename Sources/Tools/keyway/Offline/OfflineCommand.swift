import ArgumentParser

/// `keyway offline`: commands for downloads.
struct OfflineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline",
        abstract: "Play downloads without a network; list, verify, renew, report, keep, delete, and evict them.",
        discussion: """
            A download is a folder created by keyway download. Its keys, and their state, are stored encrypted in \
            .keyway next to it (--state), together with the identity of the virtual device. Every run with the same \
            --state folder is therefore the same device, regardless of --profile and --credentials.

            Exit codes:
              0  success
              1  a key cannot be used, renewed, or returned, a file has changed, or not enough space can be freed
              2  the command line is invalid
              3  a file cannot be read or written, or a connection fails
            """,
        subcommands: [
            OfflinePlayCommand.self, OfflineListCommand.self, OfflineVerifyCommand.self, OfflineRenewCommand.self,
            OfflineReportCommand.self, OfflineKeepCommand.self, OfflineDeleteCommand.self, OfflineReturnCommand.self,
            OfflineEvictCommand.self, OfflineClockCommand.self,
        ]
    )
}
