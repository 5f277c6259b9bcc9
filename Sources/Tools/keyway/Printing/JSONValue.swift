import TextCoding

extension JSONValue {
    /// A string, if there is one.
    static func string(_ text: String?) -> JSONValue? { text.map { .string($0) } }
}
