import TextCoding

extension JSONValue {
    /// Returns a JSON string, or nil if there is no text.
    static func string(_ text: String?) -> JSONValue? { text.map { .string($0) } }
}
