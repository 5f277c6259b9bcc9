/// A JSON value (RFC 8259).
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits in an `Int`.
    case integer(Int)
    /// Any other number, rounded to the nearest `Double`.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The value of the member with this name; nil if there is no such member or this is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The text; nil if this is not a string.
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The number; nil if this is not an integer.
    package var wholeNumber: Int? { if case .integer(let number) = self { number } else { nil } }
    /// The items; nil if this is not an array.
    package var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
}
