/// A JSON text taken apart (RFC 8259).
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that an `Int` holds.
    case integer(Int)
    /// Any other number, to the nearest `Double`.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The value of an object's member of this name; nil without one, and for what is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The text, if this is a string.
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, if this is an integer.
    package var wholeNumber: Int? { if case .integer(let number) = self { number } else { nil } }
    /// The items, if this is an array.
    package var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
}
