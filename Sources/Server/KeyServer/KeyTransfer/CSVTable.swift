import TextCoding

/// A CSV table (RFC 4180): a header row, then rows with the same number of fields, each with the number of its first
/// line.
struct CSVTable {
    /// A row.
    struct Row {
        let line: Int
        let fields: [String]
    }

    /// The reason why a text is not a valid table.
    struct SyntaxError: Error, Equatable {
        let line: Int
        let reason: String
    }

    /// The limits of a table. They are larger than any field of a key requires.
    enum Limit {
        static let size = 256 << 20
        static let columns = 64
        static let field = 4_096
    }

    /// The first row.
    let header: Row
    /// The other rows.
    let rows: [Row]

    /// Parses a table. Lines end with LF or CR LF. Empty lines are skipped, and so is a byte order mark at the start.
    init(_ bytes: [UInt8]) throws(SyntaxError) {
        guard bytes.count <= Limit.size else {
            throw SyntaxError(line: 1, reason: "the file exceeds \(Limit.size) bytes")
        }
        var parser = Parser(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...])
        guard let header = try parser.row() else { throw SyntaxError(line: 1, reason: "the header row is missing") }
        var rows: [Row] = []
        while let row = try parser.row() {
            guard row.fields.count == header.fields.count else {
                throw SyntaxError(
                    line: row.line,
                    reason:
                        "the row has \(counted(row.fields.count, "field")), but the header has \(header.fields.count)"
                )
            }
            rows.append(row)
        }
        self.header = header
        self.rows = rows
    }

    /// Returns a line of CSV. Fields with a comma, a quotation mark or a line break are quoted.
    static func line(_ fields: [String]) -> String {
        fields.map { field in
            let isPlain = !field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",") + "\r\n"
    }
}

extension CSVTable {
    private struct Parser {
        private var rest: ArraySlice<UInt8>
        private var line = 1

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        /// Returns the next row that is not empty; nil at the end.
        mutating func row() throws(SyntaxError) -> Row? {
            while !rest.isEmpty {
                let first = line
                var fields: [String] = []
                repeat {
                    guard fields.count < Limit.columns else {
                        throw SyntaxError(line: first, reason: "the row has more than \(Limit.columns) fields")
                    }
                    fields.append(try field())
                } while consume(UInt8(ascii: ","))
                try endLine()
                if fields != [""] { return Row(line: first, fields: fields) }
            }
            return nil
        }

        private mutating func field() throws(SyntaxError) -> String {
            let begin = line
            var bytes: [UInt8] = []
            if consume(UInt8(ascii: "\"")) {
                while true {
                    guard let byte = rest.popFirst() else {
                        throw SyntaxError(line: begin, reason: "a quoted field has no closing \"")
                    }
                    if byte == UInt8(ascii: "\""), !consume(UInt8(ascii: "\"")) { break }
                    if byte == UInt8(ascii: "\n") { line += 1 }
                    try append(byte, to: &bytes)
                }
            } else {
                while let byte = rest.first, ![0x2C, 0x0A, 0x0D].contains(byte) {
                    guard byte != UInt8(ascii: "\"") else {
                        throw SyntaxError(line: begin, reason: "a field contains a \" but is not quoted")
                    }
                    _ = rest.popFirst()
                    try append(byte, to: &bytes)
                }
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw SyntaxError(line: begin, reason: "the text is not UTF-8")
            }
            return text
        }

        private func append(_ byte: UInt8, to bytes: inout [UInt8]) throws(SyntaxError) {
            guard bytes.count < Limit.field else {
                throw SyntaxError(line: line, reason: "a field is longer than \(Limit.field) bytes")
            }
            bytes.append(byte)
        }

        private mutating func endLine() throws(SyntaxError) {
            _ = consume(UInt8(ascii: "\r"))
            guard consume(UInt8(ascii: "\n")) || rest.isEmpty else {
                throw SyntaxError(line: line, reason: "expected a comma or the end of the line")
            }
            line += 1
        }

        private mutating func consume(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            _ = rest.popFirst()
            return true
        }
    }
}
