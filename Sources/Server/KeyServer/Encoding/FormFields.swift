import TextCoding

/// The fields of a form (`application/x-www-form-urlencoded`) or of a query, taken one by one.
///
/// `+` becomes a space. Values are bytes, for an asset ID need not be text.
struct FormFields {
    private var fields: [FormEncoding.Field]
    /// The names that were asked for, in that order.
    private var known: [String] = []

    /// - Throws: ``ProblemDocument`` when an escape is broken or a name is no text.
    init(_ text: some Collection<UInt8>) throws(ProblemDocument) {
        guard let fields = FormEncoding.decode(text) else {
            throw ProblemDocument(.malformedRequest, detail: "A field is not form-encoded.")
        }
        self.fields = fields
    }

    /// The value of a field, or nil when it is missing.
    ///
    /// - Throws: ``ProblemDocument`` when the field appears twice.
    mutating func take(_ name: String) throws(ProblemDocument) -> [UInt8]? {
        known.append(name)
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        let value = fields.remove(at: index).value
        guard !fields.contains(where: { $0.name == name }) else {
            throw ProblemDocument(.malformedRequest, detail: "The field \(name) appears twice.")
        }
        return value
    }

    /// A field that is `true` or `false`, or nil when it is missing.
    mutating func takeBool(_ name: String) throws(ProblemDocument) -> Bool? {
        switch try take(name).map({ String(decoding: $0, as: UTF8.self) }) {
        case nil: return nil
        case "true": return true
        case "false": return false
        default: throw ProblemDocument(.malformedRequest, detail: "The field \(name) is true or false.")
        }
    }

    /// Checks that every field has been taken. The error names those that could be and repeats none that came: a body that is
    /// no form at all is one long name, such as an SPC in base64 that was sent as a form.
    func finish() throws(ProblemDocument) {
        guard !fields.isEmpty else { return }
        let names = known.joined(separator: ", ")
        throw ProblemDocument(
            .malformedRequest,
            detail: names.isEmpty
                ? "There are no fields here, and one was sent." : "A field is unknown; there are \(names)."
        )
    }
}
