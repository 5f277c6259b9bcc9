import ArgumentParser

/// `keyway offline`: what was downloaded.
struct OfflineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline",
        abstract: "Play downloads without a network; list, renew, report, give back and make room.",
        discussion: """
            A download is a folder that keyway download made. Its keys, and what is known of them, are in .keyway beside \
            it, encrypted, with what the virtual device remembers: every run of the tool is the same device there.

            Exit codes:
              0  all is well
              1  a key does not let it be played, renewed or given back, or there is not enough room
              2  the command line is wrong
              3  a file or a connection cannot be read or written
            """,
        subcommands: [
            OfflinePlayCommand.self, OfflineListCommand.self, OfflineRenewCommand.self, OfflineReportCommand.self,
            OfflineKeepCommand.self, OfflineDeleteCommand.self, OfflineEvictCommand.self,
        ]
    )
}
