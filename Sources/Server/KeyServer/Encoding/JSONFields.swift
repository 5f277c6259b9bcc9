import TextCoding

/// Reads the fields of an object one at a time and checks that none is left, because a misspelled field must not be
/// ignored.
struct JSONFields {
    private var members: JSONObject
    private let path: String
    /// The names that were read, in that order.
    private var known: [String] = []

    /// Creates a reader for an object. `path` is its location for errors, such as `/create-ckc/0`; the top level has an
    /// empty path.
    init(_ value: JSONValue, path: String) throws(JSONError) {
        guard case .object(let members) = value else {
            throw JSONError(reason: "expected an object", place: .path(path))
        }
        self.members = members
        self.path = path
    }

    /// Reads and removes a field; returns nil if it is missing.
    mutating func read(_ name: String) -> JSONValue? {
        known.append(name)
        return members.removeValue(forKey: name)
    }

    mutating func string(_ name: String) throws(JSONError) -> String? {
        guard let value = read(name) else { return nil }
        guard case .string(let string) = value else { throw error(name, "expected a string") }
        return string
    }

    mutating func bool(_ name: String) throws(JSONError) -> Bool? {
        guard let value = read(name) else { return nil }
        guard case .bool(let bool) = value else { throw error(name, "expected true or false") }
        return bool
    }

    /// Reads and removes an integer; returns nil if it is missing.
    mutating func integer(_ name: String) throws(JSONError) -> Int? {
        guard let value = read(name) else { return nil }
        guard case .integer(let integer) = value else {
            throw error(name, "expected an integer")
        }
        return integer
    }

    mutating func array(_ name: String) throws(JSONError) -> [JSONValue]? {
        guard let value = read(name) else { return nil }
        guard case .array(let values) = value else { throw error(name, "expected an array") }
        return values
    }

    /// Checks that all fields have been read. The error lists the known fields but not the unknown ones.
    func finish() throws(JSONError) {
        guard !members.isEmpty else { return }
        let names = known.joined(separator: ", ")
        throw JSONError(
            reason: "a field is unknown" + (names.isEmpty ? "" : "; the known fields are \(names)"),
            place: .path(path)
        )
    }

    /// Returns an error for a field.
    func error(_ name: String, _ reason: String) -> JSONError {
        JSONError(reason: reason, place: .path("\(path)/\(name)"))
    }
}
