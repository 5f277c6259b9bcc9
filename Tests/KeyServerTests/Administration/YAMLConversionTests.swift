import Testing
import TextCoding

@testable import KeyServer

@Suite("Conversion of YAML to JSON")
struct YAMLConversionTests {
    private func json(_ yaml: String) throws -> String {
        String(decoding: try JSONValue(yaml: yaml).encoded(sortingNames: false), as: UTF8.self)
    }

    @Test(
        "A plain scalar is a JSON literal or a string; any other scalar is a string",
        arguments: [
            ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("-12", "-12"),
            ("9223372036854775807", "9223372036854775807"), ("1.5", "1.5"), ("3.1.0", #""3.1.0""#), ("007", #""007""#),
            ("0x10", #""0x10""#), ("yes", #""yes""#), ("Unix seconds.", #""Unix seconds.""#), ("'1'", #""1""#),
            (#""true""#, #""true""#), ("'it''s'", #""it's""#), (#""\u00e9\n""#, #""é\n""#),
            ("^[a-z]{2}$", #""^[a-z]{2}$""#),
        ]
    )
    func scalars(yaml: String, expected: String) throws {
        #expect(try json("value: \(yaml)") == #"{"value":\#(expected)}"#)
    }

    @Test("Members keep their order, and folded lines are joined by spaces")
    func structure() throws {
        let yaml = "z: {b: [1, two, {}], a: []}\ny: >-\n  one\n  two\n"
        #expect(try json(yaml) == #"{"z":{"b":[1,"two",{}],"a":[]},"y":"one two"}"#)
    }

    @Test("Aliases are resolved; members take precedence over merged ones, and earlier merged ones over later ones")
    func aliases() throws {
        let yaml = """
            first: &first {a: 1, b: 1}
            second: &second {b: 2, c: 2}
            copy: *first
            merged: {<<: *first, a: 3}
            both: {d: 4, <<: [*first, *second]}
            """
        let expected =
            #"{"first":{"a":1,"b":1},"second":{"b":2,"c":2},"copy":{"a":1,"b":1},"merged":{"a":3,"b":1},"#
            + #""both":{"d":4,"a":1,"b":1,"c":2}}"#
        #expect(try json(yaml) == expected)
    }

    @Test("Invalid documents are errors", arguments: ["a: 1\na: 2", "a: *missing", "a: [1", "\tb"])
    func invalid(yaml: String) { #expect(throws: (any Error).self) { try JSONValue(yaml: yaml) } }
}
