import KeyStore

/// A parameter of a statement.
enum PostgresValue: Sendable, Equatable {
    case null
    case bytes([UInt8])
    case text(String)
    case integer(Int64)
    case boolean(Bool)

    init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    /// Creates an integer with the same 64 bits, because PostgreSQL has no unsigned integers.
    init(bits: UInt64?) { self = bits.map { .integer(Int64(bitPattern: $0)) } ?? .null }

    /// The value in PostgreSQL's binary format, with integers in big-endian order. Nil is NULL.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        case .integer(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .boolean(let flag): [flag ? 1 : 0]
        }
    }
}

/// A statement with its parameters. The number of different statements is small, and each connection prepares a
/// statement at its first use.
struct PostgresQuery: Sendable {
    let sql: String
    let values: [PostgresValue]

    init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }

    /// True if the server accepts the parameters: texts cannot contain a zero byte.
    var isSendable: Bool {
        values.allSatisfy { value in
            guard case .text(let text) = value else { return true }
            return !text.utf8.contains(0)
        }
    }
}

/// A row of a result: the columns' bytes in PostgreSQL's binary format.
struct PostgresRow: Sendable {
    let columns: [[UInt8]?]

    /// Returns a column of bytes, or nil if it is NULL or does not exist.
    func bytes(_ index: Int) -> [UInt8]? { columns.indices.contains(index) ? columns[index] : nil }

    /// Returns a column of text.
    func text(_ index: Int) -> String? { bytes(index).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns a column of 8-byte integers.
    func integer(_ index: Int) -> Int64? {
        guard let bytes = bytes(index), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns an integer that was written as an unsigned one.
    func unsigned(_ index: Int) -> UInt64? { integer(index).map { UInt64(bitPattern: $0) } }

    /// Returns a column of Booleans.
    func boolean(_ index: Int) -> Bool { bytes(index) == [1] }

    /// Returns a column of bytes; throws if it is NULL.
    func requiredBytes(_ index: Int) throws(KeyStoreError) -> [UInt8] { try required(bytes(index), index) }

    /// Returns a column of text; throws if it is NULL.
    func requiredText(_ index: Int) throws(KeyStoreError) -> String { try required(text(index), index) }

    /// Returns a column of 8-byte integers; throws if it is NULL.
    func requiredInteger(_ index: Int) throws(KeyStoreError) -> Int64 { try required(integer(index), index) }

    private func required<Value>(_ value: Value?, _ index: Int) throws(KeyStoreError) -> Value {
        guard let value else {
            throw KeyStoreError(.corrupt, place: "database", reason: "column \(index + 1) has no value of its type")
        }
        return value
    }
}

/// The result of a statement.
struct PostgresResult: Sendable {
    var rows: [PostgresRow] = []
    /// The number of rows that were written or read.
    var changed = 0
}
