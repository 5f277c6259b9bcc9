import ArgumentParser
import KeyStore
import KeyStoreSQLite

/// `backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database as it is at one moment, while the server runs.",
        discussion: """
            The copy is one file of mode 0600, which appears whole or not at all. Its secrets stay sealed, and the \
            key-encryption key is not in it: keep that elsewhere, for without it the backup opens nothing.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("A new file.", valueName: "file"))
    var out: String

    func run() async throws {
        try await store.withSQLiteStore { store in
            try await store.backup(to: out)
            try await store.note("backup", "backup", "the database copied, its secrets sealed")
        }
        print("wrote \(out)")
        print("the key-encryption key is not in it: without \(keyPlace) it opens nothing")
    }

    private var keyPlace: String {
        switch store.keySource {
        case .dataFolder: "\(store.data)/kek"
        case .file(let path): path
        case .environment(let variable): "the key in \(variable)"
        case .command: "the key that the command prints"
        }
    }
}

/// `restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup into a data folder.",
        discussion: """
            The backup is checked first: that it is whole, of a version that this program knows, and that the \
            key-encryption key opens it. That key must be in the folder already, as `kek` with mode 0600, or be given. \
            Stop the server before.
            """
    )

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("What `keyway-server backup` wrote.", valueName: "file"))
    var file: String
    @Flag(help: "Replace the database in the folder. What it has and the backup has not is lost.")
    var replace = false

    func run() async throws {
        try store.requireSQLite()
        try SQLiteKeyStore.restore(from: file, dataFolder: store.data, key: store.keySource, replacing: replace)
        try await store.withStore { store in
            try await store.note("restore", "restore", "the database restored from a backup")
        }
        print("restored \(store.data)/keyway.sqlite")
    }
}
