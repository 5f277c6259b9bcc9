import CLibpq

/// A result of libpq, freed with this value.
final class LibpqResult {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    /// The error of the server or of libpq.
    var failure: PostgresFailure {
        func field(_ code: Int32) -> String? { PQresultErrorField(pointer, code).map { String(cString: $0) } }
        guard let state = field(clibpq_sqlstate) else {
            // An error without SQLSTATE is libpq's own: the connection is lost.
            return .lost("the connection was lost")
        }
        return PostgresFailure(state: state, message: field(clibpq_message) ?? "")
    }

    /// The rows, copied from libpq's memory.
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
