import FoundationEssentials
import GRDB
import Glibc
package import KeyStore

/// A database that this process has locked exclusively, as the source or the target of a copy.
package final class SQLiteRows: CopyEndpoint, Sendable {
    private let queue: DatabaseQueue
    private static let page = 500

    /// Locks the existing, up-to-date database of a data folder exclusively until ``close()``.
    ///
    /// - Throws: ``KeyStoreError/Code/locked`` if a process has it open.
    package convenience init(dataFolder folder: String) throws(KeyStoreError) {
        try self.init(path: folder + "/keyway.sqlite")
    }

    fileprivate init(path: String) throws(KeyStoreError) {
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = true
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            }
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                // SQLite leaves the write-ahead log mode, in which others could open the database, only when no other
                // connection is open.
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
                _ = try String.fetchOne(db, sql: "PRAGMA locking_mode = EXCLUSIVE")
                try db.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
            }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw KeyStoreError(.locked, place: path, reason: "a process has it open: stop the server first")
        } catch {
            throw KeyStoreError(error, place: path)
        }
    }

    /// Closes the database and releases its lock.
    package func close() throws(KeyStoreError) {
        try translatingErrors(in: queue.path) { try queue.close() }
    }

    /// Passes every row of a table to `body`, page by page.
    package func read(_ table: CopiedTable, _ body: ([CopiedRow]) throws -> Void) throws {
        try queue.read { db in
            let columns = table.columns.map(\.name)
            let sql = """
                SELECT \(columns.joined(separator: ", ")) FROM \(table.name)
                ORDER BY \(columns.prefix(table.keyCount).joined(separator: ", "))
                """
            let cursor = try Row.fetchCursor(db, sql: sql)
            var page: [CopiedRow] = []
            while let row = try cursor.next() {
                page.append(table.columns.enumerated().map { CopiedValue(row, $0.offset, $0.element.kind) })
                guard page.count == Self.page else { continue }
                try body(page)
                page.removeAll(keepingCapacity: true)
            }
            if !page.isEmpty { try body(page) }
        }
    }

    /// Inserts rows into a table.
    package func write(_ rows: [CopiedRow], into table: CopiedTable) throws {
        try queue.write { db in
            let columns = table.columns.map(\.name)
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            let statement = try db.cachedStatement(
                sql: "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places))"
            )
            for row in rows { try statement.execute(arguments: StatementArguments(row.map(\.databaseValue))) }
        }
    }
}

extension SQLiteKeyStore {
    /// Creates the database of a data folder from the rows that `fill` inserts into an empty one. The database appears
    /// complete or not at all.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if a database exists, and the errors of `fill`.
    package static func create<Value>(
        dataFolder folder: String,
        _ fill: (SQLiteRows) async throws -> Value
    ) async throws -> Value {
        let lock = try DataFolderLock(folder)
        defer { lock.release() }
        do {
            return try await create(database(inFolder: folder), fill)
        } catch {
            lock.abandon()
            throw error
        }
    }

    private static func create<Value>(
        _ database: String,
        _ fill: (SQLiteRows) async throws -> Value
    ) async throws -> Value {
        guard access(database, F_OK) != 0 else { throw KeyStoreError.exists(database) }
        let draft = try AtomicFile(for: database)
        defer { draft.remove() }
        // Create the tables, but without the start of a new audit chain.
        try translatingErrors(in: draft.path) {
            let pool = try DatabaseFile.open(draft.path)
            try pool.write { db in try db.execute(sql: "DELETE FROM audit_head") }
            try pool.close()
        }
        let rows = try SQLiteRows(path: draft.path)
        let value: Value
        do {
            value = try await fill(rows)
        } catch {
            try? rows.close()
            throw error
        }
        try rows.close()
        try draft.publish()
        return value
    }
}

extension CopiedValue {
    fileprivate init(_ row: Row, _ index: Int, _ kind: CopiedTable.Kind) {
        if (row[index] as DatabaseValue).isNull {
            self = .null
            return
        }
        self =
            switch kind {
            case .bytes: .bytes(row.bytes(index) ?? [])
            case .text: .text(row[index])
            case .integer: .integer(row[index])
            case .boolean: .boolean(row[index])
            }
    }

    fileprivate var databaseValue: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .bytes(let bytes): bytes.data
        case .text(let text): text
        case .integer(let number): number
        case .boolean(let flag): flag
        }
    }
}
