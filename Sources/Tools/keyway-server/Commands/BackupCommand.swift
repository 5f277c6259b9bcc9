import ArgumentParser
import KeyStore
import KeyStoreSQLite
import ToolSupport

/// `backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a consistent copy of an SQLite database; the server may be running.",
        discussion: """
            The copy is one file of mode 0600, written completely or not at all. Its secrets stay encrypted, and it \
            does not contain the key-encryption key: store a copy of that key elsewhere, because the backup is \
            useless without it. The command rejects --store: back up PostgreSQL with its own tools, such as pg_dump.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("The backup file; it must not exist yet.", valueName: "file"))
    var out: OutputPath

    func run() async throws {
        try await store.withSQLiteStore { store in
            try await store.backup(to: out.path)
            try await store.appendAudit("backup", "backup", "database copied, its secrets encrypted")
        }
        try printLine("wrote \(out)")
        try printLine("it does not contain the key-encryption key: without \(try keyLocation()) it cannot be decrypted")
    }

    private func keyLocation() throws -> String {
        let (folder, key) = try store.sqlite()
        return switch key {
        case .dataFolder: "\(folder)/kek"
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
        abstract: "Restore a backup into a data folder.",
        discussion: """
            The backup is checked first: it must be intact, its version must be supported, and the key-encryption \
            key must decrypt it. That key must already be in the folder, as kek with mode 0600, or be given with a \
            --kek-* option. Stop the server first. The command rejects --store: restore PostgreSQL with its own \
            tools.
            """
    )

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("A file written by `keyway-server backup`.", valueName: "file"))
    var file: InputPath
    @Flag(
        help:
            """
            Replace the database in the folder. Data that is not in the backup is lost. Without it, an existing \
            database is an error.
            """
    )
    var replace = false

    func run() async throws {
        let (folder, key) = try store.sqlite()
        try SQLiteKeyStore.restore(from: file.path, dataFolder: folder, key: key, replacing: replace)
        try await store.withStore { store in
            try await store.appendAudit("restore", "restore", "database restored from a backup")
        }
        try printLine("restored \(folder)/keyway.sqlite")
    }
}
