import ArgumentParser
import KeyStore
import ToolSupport

/// `init`.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create the data folder, the database, and the key-encryption key.",
        discussion: """
            Fails, without changing anything, if the data folder already contains a database or, with --store, if \
            the PostgreSQL database already contains key server data. By default, a key is created in the data \
            folder. With --kek-file, --kek-variable, or --kek-command, that key is used; it must exist, and no key \
            is created.
            """
    )

    @OptionGroup var store: StoreOptions

    func run() async throws {
        let location = try store.location()
        do {
            try await location.withStore(creating: .always) { _ in }
        } catch let error as KeyStoreError where error.code == .conflict {
            throw CommandFailure.input("\(error.place) already contains key server data; nothing was changed")
        }
        for line in location.contents { try printLine("created \(line)") }
        try printLine(
            "next: add a certificate: keyway-server certificates add, with the same options; see docs/server.md"
        )
    }
}
