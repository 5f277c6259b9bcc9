import Testing
import TextCoding

@testable import KeyServer

@Suite("Fields of a JSON object")
struct JSONFieldsTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test("Fields are read by name and type, and unknown fields are refused")
    func taking() throws {
        var fields = try JSONFields(try parse(#"{"s":"x","b":true,"i":7,"a":[1],"rest":0}"#), path: "")
        #expect(try fields.string("s") == "x")
        #expect(try fields.bool("b") == true)
        #expect(try fields.integer("i") == 7)
        #expect(try fields.array("a") == [.integer(1)])
        #expect(try fields.string("missing") == nil)
        do throws(JSONError) {
            try fields.finish()
            Issue.record("an unknown field was accepted")
        } catch {
            // The known fields are named, and the unknown ones are not repeated.
            #expect(error.reason == "a field is unknown; the known fields are s, b, i, a, missing")
            #expect(error.place == .path(""))
        }
    }

    @Test("A value of another type is reported with its field", arguments: [#"{"f":1}"#, #"{"f":null}"#, #"{"f":[]}"#])
    func wrongTypes(text: String) throws {
        var fields = try JSONFields(try parse(text), path: "/outer")
        do throws(JSONError) {
            _ = try fields.string("f")
            Issue.record("\(text) was accepted as a string")
        } catch {
            #expect(error.place == .path("/outer/f"))
        }
        #expect(throws: JSONError.self) { try JSONFields(.array([]), path: "") }
        var number = try JSONFields(try parse(#"{"f":1.5}"#), path: "")
        #expect(throws: JSONError.self) { try number.integer("f") }
    }
}
