import ArgumentParser
import KeyServer
import KeyStore

/// `rentals`.
struct RentalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rentals",
        abstract: "List and delete the rentals of an account.",
        subcommands: [List.self, Forget.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an account's rentals.",
            discussion: """
                One line per rental: `title:NAME` or `asset:ID`, start, end if there is one, and the device or \
                session that started it. If a name or an ID contains other characters than printable ASCII, all of \
                it is printed as 0x followed by hexadecimal digits.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument

        func run() async throws {
            try await store.withStore { store in
                for rental in try await store.rentals(account: account.name) {
                    let end = rental.end == .max ? nil : rental.end
                    let times = [timestamp("from", rental.start), timestamp("until", end)]
                    print(
                        fields([assetName(AdminJSON.bytes(rental.subject))] + times + [AdminJSON.text(rental.client)])
                    )
                }
            }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a rental: the next license starts a new one."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(
            help: ArgumentHelp(
                """
                The rented title or asset, as `rentals list` prints it: title:NAME, asset:ID, or 0x followed by the \
                hexadecimal digits of either.
                """,
                valueName: "subject"
            )
        )
        var subject: RentalSubjectArgument

        func run() async throws {
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "rentals forget"))
                guard try await changes.deleteRental(account: account.name, subject: subject.subject) else {
                    throw CommandFailure("there is no such rental; see `keyway-server rentals list`")
                }
                print("deleted the rental of \(assetName(AdminJSON.bytes(subject.subject))) by \(account.name)")
            }
        }
    }
}

/// The rented title or asset on the command line.
struct RentalSubjectArgument: ExpressibleByArgument {
    let subject: RentalSubject

    init?(argument: String) {
        guard let bytes = AssetArgument(argument: argument)?.bytes, let subject = AdminJSON.rentalSubject(bytes) else {
            return nil
        }
        self.subject = subject
    }
}
