import TextCoding

extension RuleID {
    /// A JSON resource of a presentation, such as a list of assets, is malformed.
    public static let malformedJSON: RuleID = "malformed-json"
}

/// Reads the values of a JSON resource. Unknown members are ignored.
struct JSONResource {
    let value: JSONValue
    /// The path of the value, for messages.
    let path: String

    /// - Throws: ``PlaylistError`` with ``RuleID/malformedJSON``.
    init(parsing bytes: [UInt8]) throws(PlaylistError) {
        do {
            value = try JSONValue(parsing: bytes, maximumDepth: 16)
            path = ""
        } catch {
            throw Self.failure("\(error)")
        }
    }

    private init(_ value: JSONValue, _ path: String) {
        self.value = value
        self.path = path
    }

    static func failure(_ message: String) -> PlaylistError {
        PlaylistError(Diagnostic(rule: .malformedJSON, severity: .error, line: 0, message: message))
    }

    /// Returns a member; nil if it is absent or null.
    func member(_ name: String) -> JSONResource? {
        guard let member = value[name], member != .null else { return nil }
        return JSONResource(member, "\(path)/\(name)")
    }

    private func failure(_ expected: String) -> PlaylistError {
        Self.failure("\(path.isEmpty ? "the whole text" : path): expected \(expected)")
    }

    /// Returns a member, which must be present.
    func required(_ name: String) throws(PlaylistError) -> JSONResource {
        guard let member = member(name) else { throw Self.failure("\(path)/\(name) is missing") }
        return member
    }

    func text() throws(PlaylistError) -> String {
        guard let text = value.text else { throw failure("a string") }
        return text
    }

    /// Returns a number of at least 0.
    func number() throws(PlaylistError) -> Double {
        let number: Double
        switch value {
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        default: throw failure("a number")
        }
        guard number >= 0 else { throw failure("a number of at least 0") }
        return number
    }

    func wholeNumber() throws(PlaylistError) -> Int {
        guard let number = value.wholeNumber, number >= 0 else { throw failure("an integer of at least 0") }
        return number
    }

    func items() throws(PlaylistError) -> [JSONResource] {
        guard let items = value.items else { throw failure("an array") }
        return items.enumerated().map { JSONResource($1, "\(path)/\($0)") }
    }

    func texts() throws(PlaylistError) -> [String] {
        var texts: [String] = []
        for item in try items() { texts.append(try item.text()) }
        return texts
    }

    /// Returns the members of an object whose values are strings.
    func dictionary() throws(PlaylistError) -> [String: String] {
        guard case .object(let object) = value else { throw failure("an object") }
        var result: [String: String] = [:]
        for member in object.members {
            result[member.key] = try JSONResource(member.value, "\(path)/\(member.key)").text()
        }
        return result
    }
}

extension JSONValue {
    /// Creates a number, without a fraction if it is whole.
    init(seconds: Double) {
        if let whole = Int(exactly: seconds) { self = .integer(whole) } else { self = .number(seconds) }
    }

    /// Creates an object of strings, sorted by name; nil for no strings.
    static func strings(_ dictionary: [String: String]) -> JSONValue? {
        guard !dictionary.isEmpty else { return nil }
        return .object(JSONObject(dictionary.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }))
    }
}
