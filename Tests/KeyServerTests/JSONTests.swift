import Testing

@testable import KeyServer

@Suite("JSON")
struct JSONTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test("Every kind of value is read, and written back the same")
    func values() throws {
        let text = #"{"a":[null,true,false,0,-12,1.5,"x\"é"],"b":{}}"#
        let value = try parse(text)
        #expect(
            value
                == .object([
                    "a": .array([
                        .null, .bool(true), .bool(false), .integer(0), .integer(-12), .number(1.5), .string("x\"é"),
                    ]),
                    "b": .object([:]),
                ])
        )
        #expect(String(decoding: value.encoded, as: UTF8.self) == text)
        #expect(try parse("1") == .integer(1))
        #expect(try parse("true") == .bool(true))
    }

    @Test("Fields without a value are left out")
    func fields() {
        let value = JSONValue.fields([("b", .integer(1)), ("a", nil)])
        #expect(String(decoding: value.encoded, as: UTF8.self) == #"{"b":1}"#)
    }

    @Test("Escapes are read")
    func escapes() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#
        #expect(try parse(text) == .string("\"\\/\u{8}\u{C}\n\r\té😀\u{0}"))
    }

    @Test("Numbers are whole where they are written so and fit")
    func numbers() throws {
        #expect(try parse("-9223372036854775808") == .integer(.min))
        #expect(try parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(try parse("1.0") == .number(1))
        #expect(try parse("-1.5E+3") == .number(-1_500))
        #expect(throws: JSONError.self) { try parse("1e999") }
    }

    @Test(
        "What is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{'a':1}", "'a'", "{\"a\":1}x", "{\"a\":1}{}", "[1] x", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1",
            "NaN", "Infinity", "nul", "True", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\uD800\"",
            "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\\uD800x\"", "\"a\nb\"", "\"\t\"", "\"\u{1}\"", "/* */1", "1 // x",
            "\u{FEFF}", "\u{FEFF}1", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
        ]
    )
    func malformed(text: String) { #expect(throws: JSONError.self) { try parse(text) } }

    @Test(
        "Broken UTF-8 is refused",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]]
    )
    func brokenText(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test("Nesting is bounded, whether it is closed or not", arguments: [9, 500, 30_000])
    func nesting(depth: Int) throws {
        let closed = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        _ = try parse(closed(8))
        #expect(throws: JSONError.self) { try parse(closed(depth)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: depth)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: #"{"a":"#, count: depth)) }
    }

    @Test("Every truncation is refused")
    func truncations() {
        let text = Array(#"{"spc":"AQID","n":[1.5e3,true,null],"s":"\u00e9\uD83D\uDE00"}"#.utf8)
        for count in text.indices {
            #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text[..<count])) }
        }
    }

    @Test("Every character that was written is read back")
    func roundTrip() throws {
        let characters = String(String.UnicodeScalarView((0..<0x180).compactMap { Unicode.Scalar($0) })) + "漢😀"
        let value = JSONValue.object([characters: .string(characters)])
        #expect(try JSONValue(parsing: value.encoded) == value)
    }

    @Test("Fields are taken by name and type, and none may be left")
    func taking() throws {
        var fields = try JSONFields(try parse(#"{"s":"x","b":true,"i":7,"a":[1],"rest":0}"#), path: "")
        #expect(try fields.string("s") == "x")
        #expect(try fields.bool("b") == true)
        #expect(try fields.integer("i") == 7)
        #expect(try fields.array("a") == [.integer(1)])
        #expect(try fields.string("missing") == nil)
        do throws(JSONError) {
            try fields.finish()
            Issue.record("a field was left over")
        } catch {
            // What it might be is named; what it is called is not repeated.
            #expect(error.reason == "a field is unknown; there are s, b, i, a, missing")
            #expect(error.place == "the whole text")
        }
    }

    @Test("A value of another type is named", arguments: [#"{"f":1}"#, #"{"f":null}"#, #"{"f":[]}"#])
    func wrongTypes(text: String) throws {
        var fields = try JSONFields(try parse(text), path: "/outer")
        do throws(JSONError) {
            _ = try fields.string("f")
            Issue.record("\(text) was taken for a string")
        } catch {
            #expect(error.place == "/outer/f")
        }
        #expect(throws: JSONError.self) { try JSONFields(.array([]), path: "") }
        var number = try JSONFields(try parse(#"{"f":1.5}"#), path: "")
        #expect(throws: JSONError.self) { try number.integer("f") }
    }
}
