import ArgumentParser
import KeyStore

/// `init`.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create the data folder, the database and the key-encryption key.",
        discussion: """
            Refuses where there is key server data already, and changes nothing there. With --kek-file, --kek-variable or \
            --kek-command that key is used, and none is created.
            """
    )

    @OptionGroup var store: StoreOptions

    func run() async throws {
        let place = store.place
        do {
            try await place.withStore(creating: .always) { _ in }
        } catch let error as KeyStoreError where error.code == .conflict {
            throw CommandFailure("there is key server data in \(error.place) already; nothing was changed")
        }
        for line in place.contents { print("created \(line)") }
        let option = store.store.map { "--store \($0)" } ?? "--data \(store.data)"
        print(
            "next: keyway-server certificates add \(option) ..., then keyway-server serve \(option); see docs/server.md"
        )
    }
}
