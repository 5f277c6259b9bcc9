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
            discussion:
                "One line for each: `title:` or `asset:` and which, when it began, when it ends, where it began."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument

        func run() async throws {
            try await store.withStore { store in
                for rental in try await store.rentals(account: account.name) {
                    let end = rental.end == .max ? nil : rental.end
                    let times = [moment("from", rental.start), moment("until", end)]
                    print(fields([assetName(AdminJSON.bytes(rental.subject))] + times + [AdminJSON.text(rental.place)]))
                }
            }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a rental: the next license begins a new one."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(
            help: "What is rented, as `rentals list` shows it: title:NAME or asset:ID, or its bytes as 0x and digits."
        )
        var subject: RentalSubjectArgument

        func run() async throws {
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "rentals forget"))
                guard try await changes.forgetRental(account: account.name, subject: subject.subject) else {
                    throw CommandFailure("there is no such rental")
                }
                print("forgot the rental of \(assetName(AdminJSON.bytes(subject.subject))) by \(account.name)")
            }
        }
    }
}

/// What is rented, on the command line.
struct RentalSubjectArgument: ExpressibleByArgument {
    let subject: RentalSubject

    init?(argument: String) {
        guard let bytes = AssetArgument(argument: argument)?.bytes, let subject = AdminJSON.rentalSubject(bytes) else {
            return nil
        }
        self.subject = subject
    }
}
