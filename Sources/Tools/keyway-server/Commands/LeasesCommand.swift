import ArgumentParser
import DRMSignaling
import KeyServer
import KeyStore
import ToolSupport

/// `leases`.
struct LeasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leases",
        abstract: "List and end the leases of simultaneous streams.",
        discussion: """
            A lease is the permission of a device or session to use a key for a limited time. Each lease counts as \
            one stream against the account's limit.
            """,
        subcommands: [List.self, End.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the leases that have not expired.",
            discussion: """
                One line per lease: account, device or session, asset, purpose, start, expiry, and, if it was ended, \
                the time. The purpose is reservation (the key was preloaded), playback (playback started), or \
                renewal (playback continues).
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(
            help: ArgumentHelp(
                "List only the leases of this account. (default: all accounts)",
                valueName: "account"
            )
        )
        var account: AccountArgument?
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                let now = systemMilliseconds() / 1000
                var list = RecordList(output)
                var last: LeaseRecord?
                repeat {
                    let page = try await store.leases(account: account?.name, at: now, after: last, limit: 500)
                    for lease in page { try list.append(lease.administrationJSON, or: [line(lease)]) }
                    last = page.last
                } while last != nil
                try list.finish()
            }
        }

        private func line(_ lease: LeaseRecord) -> String {
            fields([
                lease.account, AdminJSON.text(lease.client), assetName(lease.assetID), lease.purpose.rawValue,
                timestamp("since", lease.since), timestamp("until", lease.until), timestamp("ended", lease.ended),
            ])
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a lease: its stream gets no more keys.",
            discussion: "The lease counts against the account's limit until the device's current key expires."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(
            help: ArgumentHelp(
                """
                The device or session, as `leases list` prints it: device: followed by 32 hexadecimal digits, or \
                session: followed by 16.
                """,
                valueName: "client"
            )
        )
        var client: PlaybackClientArgument

        func run() async throws {
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "leases end"))
                guard try await changes.endLease(account: account.name, client: client.client) else {
                    throw CommandFailure.input("there is no such lease", next: "see `keyway-server leases list`")
                }
                try printLine(
                    "ended the lease of \(account.name) at \(AdminJSON.text(client.client)): it gets no more keys, and counts "
                        + "against the limit of streams until its current key expires"
                )
            }
        }
    }
}
