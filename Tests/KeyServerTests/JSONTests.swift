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

    @Test(
        "What is not JSON is refused",
        arguments: ["", " ", "{", "[1 2]", "nul", "'a'", "{a:1}", "[1] x", "\u{FEFF}", "\"\u{1}\""]
    )
    func malformed(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test("Broken UTF-8 is refused")
    func brokenText() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xff, 0x22]) }
    }

    @Test("Nesting to any depth does not exhaust the stack", arguments: [1_000, 30_000])
    func nesting(depth: Int) {
        #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: depth)) }
        let closed = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(throws: JSONError.self) { try parse(closed) }
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
            #expect(error.place == "/rest")
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
