import ArgumentParser
import DRMSignaling
import KeyServer
import KeyStore
import TextCoding

/// Simultaneous streams.
struct LeasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leases",
        abstract: "List and end the streams that hold a key.",
        subcommands: [List.self, End.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the leases that have not run out.",
            discussion: "One line for each: account, place, asset, since when, until when, and when it was ended."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The leases of this account alone.")
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
                lease.account, AdminJSON.text(lease.place), assetName(lease.assetID), lease.purpose.rawValue,
                moment("since", lease.since), moment("until", lease.until), moment("ended", lease.ended),
            ])
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a stream: it gets no more keys.",
            discussion: "It counts until the key has run out that the device still has."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(help: "device: and 32 hexadecimal digits, or session: and 16, as `leases list` shows them.")
        var place: PlaceArgument

        func run() async throws {
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "leases end"))
                guard try await changes.endLease(account: account.name, place: place.place) else {
                    throw CommandFailure("there is no such lease")
                }
                print("ended the lease of \(account.name) at \(AdminJSON.text(place.place))")
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

/// What holds a key, on the command line.
struct PlaceArgument: ExpressibleByArgument {
    let place: PlaybackPlace

    init?(argument: String) {
        guard let place = AdminJSON.place(argument) else { return nil }
        self.place = place
    }
}

/// A line for people: what there is of some fields.
func fields(_ fields: [String?]) -> String { fields.compactMap { $0 }.joined(separator: "  ") }

/// A moment with a word before it; nil for none.
func moment(_ word: String, _ seconds: Int64?) -> String? { seconds.map { "\(word) \(Timestamp.text(seconds: $0))" } }
