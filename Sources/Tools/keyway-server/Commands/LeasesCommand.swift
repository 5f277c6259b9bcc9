import ArgumentParser
import DRMSignaling
import KeyServer
import KeyStore
import TextCoding

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

        func run() async throws {
            try await store.withStore { store in
                let now = systemMilliseconds() / 1000
                var last: LeaseRecord?
                repeat {
                    let page = try await store.leases(account: account?.name, at: now, after: last, limit: 500)
                    for lease in page { print(line(lease)) }
                    last = page.last
                } while last != nil
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
            name: .customLong("place"),
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
                    throw CommandFailure("there is no such lease; see `keyway-server leases list`")
                }
                print("ended the lease of \(account.name) at \(AdminJSON.text(client.client))")
            }
        }
    }
}

/// An account on the command line.
struct AccountArgument: ExpressibleByArgument {
    let name: String

    init?(argument: String) {
        guard 1...200 ~= argument.utf8.count else { return nil }
        name = argument
    }
}

/// The device or session that has a lease, on the command line.
struct PlaybackClientArgument: ExpressibleByArgument {
    let client: PlaybackClient

    init?(argument: String) {
        guard let client = AdminJSON.client(argument) else { return nil }
        self.client = client
    }
}

/// Returns one line of output with the fields that are not nil, separated by two spaces.
func fields(_ fields: [String?]) -> String { fields.compactMap { $0 }.joined(separator: "  ") }

/// Returns a timestamp after a label, or nil if there is no timestamp.
func timestamp(_ word: String, _ seconds: Int64?) -> String? {
    seconds.map { "\(word) \(Timestamp.text(seconds: $0))" }
}
