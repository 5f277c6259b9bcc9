import TextCoding

/// Takes the fields out of an object one by one and holds that none is left: a misspelt field must not be ignored.
struct JSONFields {
    private var members: JSONObject
    private let path: String
    /// The names that were asked for, in that order.
    private var known: [String] = []

    /// Opens an object. `path` says in errors where it stands: `/create-ckc/0`; the whole text has an empty path.
    init(_ value: JSONValue, path: String) throws(JSONError) {
        guard case .object(let members) = value else {
            throw JSONError(reason: "an object was expected", place: .path(path))
        }
        self.members = members
        self.path = path
    }

    /// The value of a field, or nil when it is missing.
    mutating func take(_ name: String) -> JSONValue? {
        known.append(name)
        return members.removeValue(forKey: name)
    }

    mutating func string(_ name: String) throws(JSONError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let string) = value else { throw error(name, "a string was expected") }
        return string
    }

    mutating func bool(_ name: String) throws(JSONError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let bool) = value else { throw error(name, "true or false was expected") }
        return bool
    }

    /// A whole number.
    mutating func integer(_ name: String) throws(JSONError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .integer(let integer) = value else {
            throw error(name, "a whole number was expected")
        }
        return integer
    }

    mutating func array(_ name: String) throws(JSONError) -> [JSONValue]? {
        guard let value = take(name) else { return nil }
        guard case .array(let values) = value else { throw error(name, "an array was expected") }
        return values
    }

    /// Checks that every field has been taken. The error names those that could be: what came in their place is not repeated.
    func finish() throws(JSONError) {
        guard !members.isEmpty else { return }
        let names = known.joined(separator: ", ")
        throw JSONError(
            reason: "a field is unknown" + (names.isEmpty ? "" : "; there are \(names)"),
            place: .path(path)
        )
    }

    /// What to throw about a field.
    func error(_ name: String, _ reason: String) -> JSONError {
        JSONError(reason: reason, place: .path("\(path)/\(name)"))
    }
}
