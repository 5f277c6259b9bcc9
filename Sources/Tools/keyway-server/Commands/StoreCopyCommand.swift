import ArgumentParser
import KeyServer
import KeyStore
import KeyStorePostgres
import KeyStoreSQLite

/// The store as a whole.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Copy everything from one kind of store to the other.",
        subcommands: [StoreCopyCommand.self]
    )
}

/// `store copy`.
struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy everything into an empty store of the other kind: SQLite to PostgreSQL, or back.",
        discussion: """
            Stop all servers first: what they still grant would be lost, and the copy is refused while one is there. \
            Everything arrives or nothing does; it is read again and compared before it counts, and the audit log is \
            held against its chains at the end. Secrets stay sealed: the target has the same key-encryption key.

              keyway-server store copy --data data --to-store postgres://keyway@db/keyway --to-store-password-file pw
              keyway-server store copy --store postgres://… --store-password-file pw --kek-file kek --to-data data
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database to copy to, in which there is nothing yet: postgres://user@host/database.",
            valueName: "address"
        )
    )
    var toStore: String?
    @Option(help: ArgumentHelp("A file with the password that it wants, mode 0600.", valueName: "file"))
    var toStorePasswordFile: String?
    @Option(help: ArgumentHelp("The data folder to copy to, without a database.", valueName: "folder"))
    var toData: String?

    func validate() throws {
        guard (toStore == nil) != (toData == nil) else { throw ValidationError("Give --to-store or --to-data.") }
        guard (store.store == nil) == (toStore != nil) else {
            throw ValidationError(
                "From --data the copy goes --to-store, from --store it goes --to-data. PostgreSQL has pg_dump for a "
                    + "copy of its own kind, SQLite has `keyway-server backup`."
            )
        }
        guard toData == nil || store.keySource != .dataFolder else {
            throw ValidationError("With --to-data, give --kek-file, --kek-variable or --kek-command too.")
        }
    }

    func run() async throws {
        // Opening proves the key, and brings the tables up to date; no copy is made that nobody can open.
        try await store.place.withStore { _ in }
        let target = try self.target()
        let copy = try await copy(to: target)
        for count in copy.counts where count.rows > 0 { print("\(count.table)  \(count.rows)") }
        print("copied \(copy.rows) rows, read again and the same")
        try await target.withStore { opened in
            let found = try await opened.store.verifyAudit()
            if let fault = found.firstBreak {
                let place = fault.number.map { "entry \($0)" } ?? "the end"
                throw CommandFailure(
                    "the copy is complete, but its audit log is broken at \(place): \(fault.fault.rawValue). "
                        + "It is what the store that was copied has; see `keyway-server audit verify`"
                )
            }
            print("the audit log is whole: \(found.entries) entries")
            for head in found.heads { print("head \(head)") }
            try await opened.store.note("store copy", "store-copy", "everything copied from \(sourceName)")
        }
        print("start no server on the former store again: what it grants, this one does not know")
        if toStore != nil, case .dataFolder = store.keySource {
            print("the servers need the key-encryption key, which is in \(store.data)/kek")
        }
    }

    private var sourceName: String { store.store == nil ? "SQLite" : "PostgreSQL" }

    private func target() throws -> StorePlace {
        guard let toStore else { return .dataFolder(toData ?? "", key: store.keySource) }
        var place = StorePlace.Postgres(url: toStore, folder: store.data, key: store.keySource)
        place.passwordFile = toStorePasswordFile
        return .postgres(place)
    }

    private func copy(to target: StorePlace) async throws -> StoreCopy {
        switch (store.place, target) {
        case (.dataFolder(let folder, _), .postgres(let place)):
            let source = try SQLiteRows(dataFolder: folder)
            do {
                let copy = try await PostgresKeyStore.filling(try place.settings()) { rows in
                    try StoreCopy(from: source, to: rows)
                }
                try source.close()
                return copy
            } catch {
                try? source.close()
                throw error
            }
        case (.postgres(let place), .dataFolder(let folder, _)):
            let settings = try place.settings()
            return try await SQLiteKeyStore.create(dataFolder: folder) { target in
                try await PostgresKeyStore.reading(settings) { rows in try StoreCopy(from: rows, to: target) }
            }
        default: throw CommandFailure("a store is copied to one of the other kind")
        }
    }
}
