import KeyStore

/// A statement's parameter.
enum PostgresValue: Sendable, Equatable {
    case null
    case bytes([UInt8])
    case text(String)
    case integer(Int64)
    case boolean(Bool)

    init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    /// A number without a sign, of which PostgreSQL has none: the same 64 bits.
    init(bits: UInt64?) { self = bits.map { .integer(Int64(bitPattern: $0)) } ?? .null }

    /// The value as the server takes it in binary: numbers with the highest byte first. Nil is NULL.
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

/// A statement with its parameters. Statements are few, and each connection prepares one when it first meets it.
struct PostgresQuery: Sendable {
    let sql: String
    let values: [PostgresValue]

    init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }

    /// Whether the server can take the parameters: its texts cannot have a zero.
    var isSendable: Bool {
        values.allSatisfy { value in
            guard case .text(let text) = value else { return true }
            return !text.utf8.contains(0)
        }
    }
}

/// A row of a result: the columns' bytes, as the server sent them in binary.
struct PostgresRow: Sendable {
    let columns: [[UInt8]?]

    /// A column of bytes; nil when it is NULL or not there.
    func bytes(_ index: Int) -> [UInt8]? { columns.indices.contains(index) ? columns[index] : nil }

    /// A column of text.
    func text(_ index: Int) -> String? { bytes(index).map { String(decoding: $0, as: UTF8.self) } }

    /// A column of 8-byte numbers.
    func integer(_ index: Int) -> Int64? {
        guard let bytes = bytes(index), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// A number that was written without a sign.
    func unsigned(_ index: Int) -> UInt64? { integer(index).map { UInt64(bitPattern: $0) } }

    /// A column of true and false.
    func boolean(_ index: Int) -> Bool { bytes(index) == [1] }

    /// A column that is never NULL.
    func requiredBytes(_ index: Int) throws(KeyStoreError) -> [UInt8] { try required(bytes(index), index) }

    /// A column that is never NULL.
    func requiredText(_ index: Int) throws(KeyStoreError) -> String { try required(text(index), index) }

    /// A column that is never NULL.
    func requiredInteger(_ index: Int) throws(KeyStoreError) -> Int64 { try required(integer(index), index) }

    private func required<Value>(_ value: Value?, _ index: Int) throws(KeyStoreError) -> Value {
        guard let value else {
            throw KeyStoreError(.corrupt, place: "database", reason: "column \(index + 1) has no value of its type")
        }
        return value
    }
}

/// What a statement came to.
struct PostgresResult: Sendable {
    var rows: [PostgresRow] = []
    /// How many rows were written or read.
    var changed = 0
}
