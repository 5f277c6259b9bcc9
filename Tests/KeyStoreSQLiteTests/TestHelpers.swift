import Foundation
import GRDB
import KeyStore

@testable import KeyStoreSQLite

extension SQLiteKeyStore {
    /// Returns a setting of SQLite on the connection that writes.
    func writerSetting(_ pragma: String) async throws -> String? {
        try await pool.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA \(pragma)") }
    }
}

/// Changes a database without the store.
func tamper(_ path: String, _ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        try db.execute(sql: sql)
    }
    try queue.close()
}

func base64(_ bytes: [UInt8], urlSafe: Bool = false) -> String {
    let text = Data(bytes).base64EncodedString()
    return urlSafe
        ? text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_") : text
}

extension SQLiteKeyStore {
    /// Stores many records in one transaction.
    func putAll(_ records: [ContentRecord]) async throws {
        try await pool.write { [keys] db in
            for record in records { try ContentRow.write(record, encryptedWith: keys.current, db) }
        }
    }
}

/// Returns whether a file contains some bytes.
func holds(_ file: [UInt8], _ part: [UInt8]) -> Bool {
    file.indices.contains { file[$0] == part[0] && file[$0...].starts(with: part) }
}
