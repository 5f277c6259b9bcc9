import ArgumentParser
import KeyServer
import KeyStore

/// The rentals of accounts.
struct RentalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rentals",
        abstract: "List and forget the rentals of an account.",
        subcommands: [List.self, Forget.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an account's rentals.",
            discussion: "One line for each: the title or the asset, when it began, when it ends, where it began."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument

        func run() async throws {
            try await store.withStore { store in
                for rental in try await store.rentals(account: account.name) {
                    let times = [moment("from", rental.start), moment("until", rental.end)]
                    print(fields([assetName(rental.subject)] + times + [AdminJSON.text(rental.place)]))
                }
            }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a rental: the next licence begins a new one."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(help: "A title's name or an asset ID, as `rentals list` shows it: text, or 0x and hexadecimal digits.")
        var subject: AssetArgument

        func run() async throws {
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "rentals forget"))
                guard try await changes.forgetRental(account: account.name, subject: subject.bytes) else {
                    throw CommandFailure("there is no such rental")
                }
                print("forgot the rental of \(assetName(subject.bytes)) by \(account.name)")
            }
        }
    }
}
