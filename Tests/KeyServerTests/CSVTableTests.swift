import Testing

@testable import KeyServer

@Suite("CSV tables")
struct CSVTableTests {
    private func table(_ text: String) throws(CSVTable.SyntaxError) -> CSVTable { try CSVTable(Array(text.utf8)) }

    @Test("Rows have the number of their first line")
    func rows() throws {
        let text = "\u{FEFF}a,b\r\n1,\r\n\r\n\"x,\"\"y\"\"\r\nz\",2\n,\"\"\nü,4"
        let table = try table(text)
        #expect(table.header.fields == ["a", "b"])
        #expect(table.rows.map(\.fields) == [["1", ""], ["x,\"y\"\r\nz", "2"], ["", ""], ["ü", "4"]])
        #expect(table.rows.map(\.line) == [2, 4, 6, 7])
    }

    @Test("A table with only a header has no rows")
    func empty() throws {
        #expect(try table("a\n").rows.isEmpty)
        #expect(try table("a").rows.isEmpty)
    }

    @Test(
        "Invalid tables are refused, with the line",
        arguments: [
            ("", 1), ("\n\n", 1), ("a,b\n1\n", 2), ("a,b\n1,2\n1,2,3", 3), ("a\n\"b", 2), ("a\nb\"c\"", 2),
            ("a\n\"b\"c", 2), ("a\r\n\"1\n2\"\nb,c", 4), ("a\rb", 1),
            ("a\n" + String(repeating: "x", count: 4_097), 2), (String(repeating: ",", count: 64), 1),
        ]
    )
    func refusals(_ text: String, _ line: Int) {
        #expect { try table(text) } throws: { ($0 as? CSVTable.SyntaxError)?.line == line }
    }

    @Test("Text that is not UTF-8 is refused")
    func encoding() {
        #expect(throws: CSVTable.SyntaxError(line: 2, reason: "the text is not UTF-8")) {
            try CSVTable([0x61, 0x0A, 0xFF, 0x0A])
        }
    }

    @Test("Written fields are parsed again", arguments: ["", "a", "a,b", "\"", "a\"b", "\r\n", " ", "ü"])
    func roundTrip(_ field: String) throws {
        let table = try table(CSVTable.line(["x", "y"]) + CSVTable.line([field, "z"]))
        #expect(table.rows.map(\.fields) == [[field, "z"]])
    }
}
