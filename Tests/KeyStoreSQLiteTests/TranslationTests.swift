import GRDB
import KeyStore
import Testing

@testable import KeyStoreSQLite

@Suite("Errors of SQLite as errors of the store")
struct TranslationTests {
    @Test(
        "Each result code maps to its code",
        arguments: [
            (ResultCode.SQLITE_BUSY, KeyStoreError.Code.locked), (.SQLITE_BUSY_SNAPSHOT, .locked),
            (.SQLITE_LOCKED, .locked), (.SQLITE_CORRUPT, .corrupt), (.SQLITE_NOTADB, .foreignDatabase),
            (.SQLITE_FULL, .diskFull), (.SQLITE_IOERR_FSYNC, .unavailable), (.SQLITE_READONLY, .unavailable),
        ]
    )
    func codes(_ result: ResultCode, _ code: KeyStoreError.Code) {
        #expect(KeyStoreError(DatabaseError(resultCode: result), place: "content").code == code)
    }

    @Test("The text contains SQLite's number and message, and no values")
    func text() {
        let error = DatabaseError(
            resultCode: .SQLITE_FULL,
            message: "database or disk is full",
            sql: "INSERT INTO content VALUES (?)",
            arguments: ["value"]
        )
        let text = KeyStoreError(error, place: "content asset").description
        #expect(text == "disk-full in content asset: SQLite error 13: database or disk is full")
    }

    @Test("A cancelled task gets the code cancelled")
    func cancellation() {
        #expect(KeyStoreError(CancellationError(), place: "policy").code == .cancelled)
    }
}
