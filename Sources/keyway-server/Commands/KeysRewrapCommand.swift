import ArgumentParser
import KeyStore
import KeyStoreSQLite

/// `keys rewrap`.
struct KeysRewrapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewrap",
        abstract: "Seal every secret anew, under another key-encryption key.",
        discussion: """
            --new-kek-file is a file with the new key, 64 hexadecimal digits, mode 0600; where there is none, a key is made. \
            If the key is in the data folder, the new one takes its place there, and the former is kept beside it as \
            kek.ID, since earlier backups open with nothing else. Content keys do not change. A running server refuses \
            requests until it is started again. If this is cut off, run it again with the same options.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("A file with the new key-encryption key; made where there is none.", valueName: "file"))
    var newKekFile: String

    func run() async throws {
        try store.requireSQLite()
        try await StoreOptions.explainingErrors {
            let outcome = try await SQLiteKeyStore.rewrap(
                dataFolder: store.data,
                key: store.keySource,
                newKeyFile: newKekFile
            )
            let source = store.keySource == .dataFolder ? store.keySource : .file(newKekFile)
            let opened = try SQLiteKeyStore(dataFolder: store.data, key: source)
            defer { try? opened.close() }
            try await opened.note("keys rewrap", "keys-rewrap", "every secret sealed under another key-encryption key")
            if outcome.madeKey { print("made a new key-encryption key in \(newKekFile)") }
            print(outcome.resealed ? "sealed every secret anew" : "every secret was sealed under that key already")
            if let former = outcome.formerKeyFile { print("\(former) has the former key: earlier backups need it") }
            if store.keySource == .dataFolder {
                print("the data folder has the new key; start the server again")
            } else {
                print("start the server again, with the new key")
            }
        }
    }
}
