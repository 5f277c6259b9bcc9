import CLibpq

/// A result that libpq made, freed with this value.
final class LibpqResult {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    /// What the server or libpq says went wrong.
    var failure: PostgresFailure {
        func field(_ code: Int32) -> String? { PQresultErrorField(pointer, code).map { String(cString: $0) } }
        guard let state = field(clibpq_sqlstate) else {
            // Without a state it is libpq's own: the connection broke.
            return .lost("the connection broke")
        }
        return PostgresFailure(state: state, message: field(clibpq_message) ?? "")
    }

    /// Its rows, as values of our own.
    var copied: PostgresResult {
        var result = PostgresResult()
        result.changed = PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0
        let columns = PQnfields(pointer)
        result.rows = (0..<PQntuples(pointer)).map { row in
            PostgresRow(
                columns: (0..<columns).map { column in
                    guard PQgetisnull(pointer, row, column) == 0, let value = PQgetvalue(pointer, row, column) else {
                        return nil
                    }
                    let count = Int(PQgetlength(pointer, row, column))
                    return Array(UnsafeRawBufferPointer(start: value, count: count))
                }
            )
        }
        return result
    }
}
