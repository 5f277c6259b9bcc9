import TextCoding

/// The fields of a form (`application/x-www-form-urlencoded`) or of a query, which are read one at a time.
///
/// `+` is decoded to a space. Values are bytes, because asset IDs may be any bytes.
struct FormFields {
    private var fields: [FormEncoding.Field]
    /// The names that were read, in that order.
    private var known: [String] = []

    /// Decodes a form.
    ///
    /// - Throws: ``ProblemDocument`` if an escape is invalid or a name is not UTF-8.
    init(_ text: some Collection<UInt8>) throws(ProblemDocument) {
        guard let fields = FormEncoding.decode(text) else {
            throw ProblemDocument(.malformedRequest, detail: "A field is not form-encoded correctly.")
        }
        self.fields = fields
    }

    /// Reads and removes a field; returns nil if it is missing.
    ///
    /// - Throws: ``ProblemDocument`` if the field appears more than once.
    mutating func read(_ name: String) throws(ProblemDocument) -> [UInt8]? {
        known.append(name)
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        let value = fields.remove(at: index).value
        guard !fields.contains(where: { $0.name == name }) else {
            throw ProblemDocument(.malformedRequest, detail: "The field \(name) appears more than once.")
        }
        return value
    }

    /// Reads and removes a field that is `true` or `false`; returns nil if it is missing.
    mutating func readBool(_ name: String) throws(ProblemDocument) -> Bool? {
        switch try read(name).map({ String(decoding: $0, as: UTF8.self) }) {
        case nil: return nil
        case "true": return true
        case "false": return false
        default: throw ProblemDocument(.malformedRequest, detail: "The field \(name) must be true or false.")
        }
    }

    /// Checks that all fields have been read. The error lists the known fields but not the unknown ones: a body in
    /// another format, such as an SPC in base64 that was sent as a form, is parsed as one long name.
    func finish() throws(ProblemDocument) {
        guard !fields.isEmpty else { return }
        let names = known.joined(separator: ", ")
        throw ProblemDocument(
            .malformedRequest,
            detail: names.isEmpty
                ? "No fields are accepted here." : "A field is unknown; the known fields are \(names)."
        )
    }
}
