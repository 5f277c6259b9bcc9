import FoundationEssentials
import GRDB
import KeyStore

extension Row {
    /// Returns a column as bytes, or nil if it is NULL.
    func bytes(_ index: Int) -> [UInt8]? { (self[index] as Data?).map { Array($0) } }
}

extension [UInt8] {
    /// The bytes as `Data`, which GRDB requires.
    var data: Data { Data(self) }
}

/// Runs database work and converts its errors to ``KeyStoreError``.
func translatingErrors<Value>(
    in place: String,
    _ work: () async throws -> Value
) async throws(KeyStoreError) -> Value {
    do { return try await work() } catch { throw KeyStoreError(error, place: place) }
}

/// Runs database work and converts its errors to ``KeyStoreError``.
func translatingErrors<Value>(in place: String, _ work: () throws -> Value) throws(KeyStoreError) -> Value {
    do { return try work() } catch { throw KeyStoreError(error, place: place) }
}

extension KeyStoreError {
    /// Creates an error from one of SQLite's. SQLite's message contains the names of tables and columns, and GRDB's
    /// contains no values. Only the code and the message are used.
    init(_ error: any Error, place: String) {
        switch error {
        case let error as KeyStoreError:
            self = error
        case is CancellationError:
            self.init(.cancelled, place: place)
        case let error as DatabaseError:
            let code: Code =
                switch error.resultCode {
                case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
                case .SQLITE_CORRUPT: .corrupt
                case .SQLITE_NOTADB: .foreignDatabase
                case .SQLITE_FULL: .diskFull
                default: .unavailable
                }
            self.init(
                code,
                place: place,
                reason: "SQLite error \(error.extendedResultCode.rawValue)" + (error.message.map { ": \($0)" } ?? "")
            )
        default:
            self.init(.unavailable, place: place, reason: "\(type(of: error))")
        }
    }
}
