import Testing
import TextCoding

@Suite("JSON")
struct JSONTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("Every kind of value round-trips")
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
        #expect(self.text(value.encoded()) == text)
        #expect(try parse("1") == .integer(1))
        #expect(try parse("true") == .bool(true))
    }

    @Test("Members without a value are omitted, and sorted only on request")
    func members() {
        let value = JSONValue.object(["b": .integer(1), "a": nil, "Z": .null, "é": .bool(true)])
        #expect(text(value.encoded()) == #"{"b":1,"Z":null,"é":true}"#)
        #expect(text(value.encoded(sortingNames: true)) == #"{"Z":null,"b":1,"é":true}"#)
        #expect(JSONValue.object(["a": .null, "b": .null]) == .object(["b": .null, "a": .null]))
        #expect(JSONValue.object(["a": .null]) != .object(["b": .null]))
    }

    @Test("Names are compared by code unit, without Unicode normalization")
    func names() throws {
        let value = try parse("{\"K\":1,\"\u{212A}\":2,\"\u{E9}\":3,\"e\u{301}\":4}")
        #expect(value["K"] == .integer(1))
        #expect(value["\u{212A}"] == .integer(2))
        #expect(value["e\u{301}"] == .integer(4))
        for count in [2, 9, 200] {
            let names = (0..<count).map { #""n\#($0)":0"# }
            _ = try parse("{" + names.joined(separator: ",") + "}")
            #expect(
                throws: JSONError(
                    reason: "a name appears twice",
                    place: .byte(names.joined(separator: ",").utf8.count + 2)
                )
            ) {
                try parse("{" + (names + [names[count / 2]]).joined(separator: ",") + "}")
            }
        }
    }

    @Test("Errors contain the location, but no part of the text")
    func offsets() {
        for (text, offset) in [("[01]", 2), ("[1.]", 3), ("[+1]", 1), ("[.5]", 1), ("[1e]", 3), (#"{"a":1 "b":2}"#, 7)]
        {
            #expect { try parse(text) } throws: { ($0 as? JSONError)?.place == .byte(offset) }
        }
    }

    @Test("The size of a text is limited")
    func size() {
        #expect(throws: Never.self) { try JSONValue(parsing: Array("[12]".utf8), maximumSize: 4) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[123]".utf8), maximumSize: 4) }
    }

    @Test("Indented text is JSON that can be printed to a terminal")
    func indented() throws {
        let value = JSONValue.object([
            "a": .array([.integer(1), .object([:])]), "b": .array([]), "c": .string("\u{1B}\u{7F}\u{9B}é\""),
            "d": .number(2), "e": .number(0.5), "f": .number(.infinity),
        ])
        #expect(
            value.indented == #"""
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": [],
                  "c": "\u001b\u007f\u009bé\"",
                  "d": 2,
                  "e": 0.5,
                  "f": null
                }

                """#
        )
        #expect(try parse(value.indented)["c"] == value["c"])
    }

    @Test("Escapes are decoded")
    func escapes() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#
        #expect(try parse(text) == .string("\"\\/\u{8}\u{C}\n\r\té😀\u{0}"))
    }

    @Test("Numbers are integers if they have no fraction or exponent and fit")
    func numbers() throws {
        #expect(try parse("-9223372036854775808") == .integer(.min))
        #expect(try parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(try parse("1.0") == .number(1))
        #expect(try parse("-1.5E+3") == .number(-1_500))
        #expect(throws: JSONError.self) { try parse("1e999") }
    }

    @Test(
        "Text that is not JSON is refused",
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
        "Invalid UTF-8 is refused",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]]
    )
    func brokenText(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test("Nesting is limited, whether it is closed or not", arguments: [9, 500, 30_000])
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

    @Test("Every character round-trips")
    func roundTrip() throws {
        let characters = String(String.UnicodeScalarView((0..<0x180).compactMap { Unicode.Scalar($0) })) + "漢😀"
        let value = JSONValue.object([characters: .string(characters)])
        #expect(try JSONValue(parsing: value.encoded()) == value)
    }
}
