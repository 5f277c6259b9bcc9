import ArgumentParser
import KeyServer
import KeyStore
import ToolSupport

/// `rentals`.
struct RentalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rentals",
        abstract: "List and delete the rentals of an account.",
        subcommands: [List.self, Delete.self]
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
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                for rental in try await store.rentals(account: account.name) {
                    let end = rental.end == .max ? nil : rental.end
                    let times = [timestamp("from", rental.start), timestamp("until", end)]
                    let subject = assetName(AdminJSON.bytes(rental.subject))
                    let line = fields([subject] + times + [AdminJSON.text(rental.client)])
                    try list.append(rental.administrationJSON, or: [line])
                }
                try list.finish()
            }
        }
    }

    struct Delete: AsyncParsableCommand {
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
                let changes = AccountChanges(store: store, actor: AdminActor(command: "rentals delete"))
                guard try await changes.deleteRental(account: account.name, subject: subject.subject) else {
                    throw CommandFailure.input("there is no such rental", next: "see `keyway-server rentals list`")
                }
                let subject = assetName(AdminJSON.bytes(subject.subject))
                try printLine("deleted the rental of \(subject) by \(account.name)")
            }
        }
    }
}
