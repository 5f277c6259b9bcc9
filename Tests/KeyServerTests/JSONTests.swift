import Testing

@testable import KeyServer

@Suite("JSON")
struct JSONTests {
    @Test("Every kind of value is read")
    func values() throws {
        let text = #" { "a" : [ null , true , false , -1.5e+3 , "x" ] , "b" : { } , "c" : [ ] } "#
        #expect(
            try JSONParser.parse(Array(text.utf8), maximumDepth: 2)
                == .fields([
                    ("a", .array([.null, .bool(true), .bool(false), .number("-1.5e+3"), .string("x")])),
                    ("b", .object([])), ("c", .array([])),
                ])
        )
    }

    @Test("Escapes are read")
    func escapes() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#
        #expect(try parse(text) == .string("\"\\/\u{8}\u{C}\n\r\té😀\u{0}"))
    }

    @Test(
        "What is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{'a':1}",
            "{\"a\":1}x", "{\"a\":1}{}", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "nul",
            "True",
            "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\uDC00\"",
            "\"\\uD800x\"", "\"a\nb\"", "\"\t\"", "/* */1", "1 // x", "\u{FEFF}1", "{\"a\":1,\"a\":2}",
            "{\"a\":1,\"\\u0061\":2}",
        ]
    )
    func refused(_ text: String) { #expect(throws: JSONError.self) { try parse(text) } }

    @Test(
        "Broken UTF-8 is refused",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]]
    )
    func brokenUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONParser.parse([0x22] + bytes + [0x22], maximumDepth: 1) }
        #expect(throws: JSONError.self) { try JSONParser.parse(bytes, maximumDepth: 1) }
    }

    @Test("Nesting is bounded")
    func depth() throws {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        _ = try JSONParser.parse(Array(nested(6).utf8), maximumDepth: 6)
        #expect(throws: JSONError.self) { try JSONParser.parse(Array(nested(7).utf8), maximumDepth: 6) }
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 65_536)
        #expect(throws: JSONError.self) { try JSONParser.parse(bomb, maximumDepth: 6) }
    }

    @Test("Every truncation is refused")
    func truncations() {
        let text = Array(#"{"spc":"AQID","n":[1.5e3,true,null],"s":"\u00e9\uD83D\uDE00"}"#.utf8)
        for count in text.indices {
            #expect(throws: JSONError.self) { try JSONParser.parse(Array(text[..<count]), maximumDepth: 6) }
        }
    }

    @Test("What was written is read back")
    func roundTrip() throws {
        let controls = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) }))
        let value = JSONValue.fields([
            (controls, .string(controls + "é漢😀")), ("n", .integer(-7)), ("a", .array([.null, .bool(true)])),
            ("left out", nil),
        ])
        #expect(try JSONParser.parse(value.encoded, maximumDepth: 2) == value)
        #expect(value.encoded.allSatisfy { $0 >= 0x20 })
    }

    private func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8), maximumDepth: 6)
    }
}
