import ArgumentParser
import KeyServer
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite
import TextCoding
import ToolSupport

/// `store`.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Copy all data between SQLite and PostgreSQL.",
        subcommands: [StoreCopyCommand.self]
    )
}

/// `store copy`.
struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract:
            "Copy all data into an empty store of the other kind: SQLite to PostgreSQL, or PostgreSQL to SQLite.",
        discussion: """
            Stop all servers first: what they grant during the copy would be lost, and the copy fails while a server \
            is running. The copy is one transaction; every row is read back and compared before it is committed, and \
            the audit log's hash chains are verified at the end.

            Give exactly one of --to-store (with --data) and --to-data (with --store). Secrets stay encrypted with \
            the same key-encryption key, which is not copied. After a copy to PostgreSQL, give the servers that key \
            with `kek.file` or another `kek` setting. A copy to SQLite requires --kek-file, --kek-variable, or \
            --kek-command; use the same key with the new data folder, or store it there as kek with mode 0600.

              keyway-server store copy --data data \\
                  --to-store postgres://keyway@db/keyway --to-store-password-file pw
              keyway-server store copy --store postgres://keyway@db/keyway \\
                  --store-password-file pw --kek-file kek --to-data data
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(
        help: ArgumentHelp(
            """
            The address of the PostgreSQL database to copy to, in the format of --store. It must contain no key \
            server data.
            """,
            valueName: "address"
        )
    )
    var toStore: String?
    @Option(
        help: ArgumentHelp(
            """
            A file with the password of the target database, mode 0600. (default: the password that libpq finds, \
            such as in PGPASSFILE)
            """,
            valueName: "file"
        )
    )
    var toStorePasswordFile: InputPath?
    @Option(help: ArgumentHelp("The data folder to copy to, which must contain no database.", valueName: "folder"))
    var toData: FolderPath?
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (toStore == nil) != (toData == nil) else { throw ValidationError("Use either --to-store or --to-data.") }
        guard store.config == nil else { throw ValidationError("Give the source with --data or --store.") }
        guard (store.store == nil) == (toStore != nil) else {
            throw ValidationError(
                "--data requires --to-store, and --store requires --to-data. To copy between stores of the "
                    + "same kind, use pg_dump for PostgreSQL and `keyway-server backup` for SQLite."
            )
        }
        guard toData == nil || store.kek.source != .dataFolder else {
            throw ValidationError("--to-data requires --kek-file, --kek-variable or --kek-command.")
        }
    }

    func run() async throws {
        // Opening the store verifies the key and migrates the schema, so that the copy can be decrypted and read.
        let source = try store.location()
        try await source.withStore { _ in }
        let target = target(of: source)
        let copy = try await copy(source, to: target)
        if !output.json {
            for count in copy.counts where count.rows > 0 { try printLine("\(count.table)  \(count.rows)") }
            try printLine("copied and verified \(counted(copy.rows, "row"))")
        }
        try await target.withStore { opened in
            let found = try await opened.store.verifyAudit()
            if let fault = found.firstBreak {
                let location = fault.number.map { "entry \($0)" } ?? "the end"
                throw CommandFailure.input(
                    "the copy is complete, but its audit log is broken at \(location): \(fault.fault.rawValue)",
                    next: "the source store's log has the same break: see `keyway-server audit verify`"
                )
            }
            try output.print(json(copy, found)) {
                let entries = counted(found.entries, "entry", "entries")
                return (["the audit log is intact: \(entries)"] + found.heads.map { "head \($0)" })
                    .joined(separator: "\n")
            }
            try await opened.store.appendAudit(
                "store copy",
                "store-copy",
                "all data copied from \(source.isPostgres ? "PostgreSQL" : "SQLite")"
            )
        }
        guard !output.json else { return }
        try printLine("do not start a server on the source store again: the new store would not contain what it grants")
        if toStore != nil, case .dataFolder = source.key {
            try printLine("the servers need the key-encryption key, which is stored in \(source.folder)/kek")
        }
    }

    private func json(_ copy: StoreCopy, _ audit: AuditVerification) -> JSONValue {
        let tables = copy.counts.map { count in
            JSONValue.object(["name": .string(count.table), "rows": .integer(count.rows)])
        }
        return .object([
            "tables": .array(tables), "rows": .integer(copy.rows), "audit": audit.administrationJSON,
        ])
    }

    private func target(of source: StoreLocation) -> StoreLocation {
        guard let toStore else { return .dataFolder(toData?.path ?? "", key: source.key) }
        var location = StoreLocation.Postgres(url: toStore, folder: source.folder, key: source.key)
        location.passwordFile = toStorePasswordFile?.path
        return .postgres(location)
    }

    private func copy(_ source: StoreLocation, to target: StoreLocation) async throws -> StoreCopy {
        switch (source, target) {
        case (.dataFolder(let folder, _), .postgres(let location)):
            let rows = try SQLiteRows(dataFolder: folder)
            do {
                let copy = try await PostgresKeyStore.filling(try location.settings()) { target in
                    try StoreCopy(from: rows, to: target)
                }
                try rows.close()
                return copy
            } catch {
                try? rows.close()
                throw error
            }
        case (.postgres(let location), .dataFolder(let folder, _)):
            let settings = try location.settings()
            return try await SQLiteKeyStore.create(dataFolder: folder) { target in
                try await PostgresKeyStore.reading(settings) { rows in try StoreCopy(from: rows, to: target) }
            }
        default: throw CommandFailure.usage("a store can be copied only to a store of the other kind")
        }
    }
}
