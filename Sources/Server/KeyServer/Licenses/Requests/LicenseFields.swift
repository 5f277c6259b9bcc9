import TextCoding
import XMLDocuments

/// The fields of a license request: those of its body, and then those of its query. Other fields are ignored,
/// because players and apps send fields of their own.
struct LicenseFields {
    /// The value of a field. Values of forms are bytes, because asset IDs may be any bytes.
    enum Value {
        case bytes([UInt8])
        case bool(Bool)
        /// A number, an array or an object, which no field has.
        case other
    }

    typealias Field = (name: String, value: Value)

    private let body: [Field]
    private let query: [Field]

    /// Reads the fields of a body and a query.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/malformedRequest``.
    init(
        _ body: [UInt8],
        _ format: LicenseBodyFormat,
        contentType: String?,
        query: String?
    ) throws(ProblemDocument) {
        self.query = try Self.form((query ?? "").utf8)
        switch format {
        case .octets, .text: self.body = []
        case .form: self.body = try Self.form(Self.decodedOnce(body))
        case .multipart:
            self.body = try MultipartForm(body, contentType: contentType).fields.map { ($0.name, .bytes($0.value)) }
        case .json:
            do throws(JSONError) {
                self.body = try Self.json(try JSONValue(parsing: Array(body[LicenseBodyFormat.content(of: body)])))
            } catch {
                throw ProblemDocument(malformed: error)
            }
        case .xml: self.body = try Self.xml(Array(body[LicenseBodyFormat.content(of: body)]))
        }
    }

    /// Reads the fields of a JSON object, without a query.
    init(_ json: JSONValue) throws(JSONError) {
        body = try Self.json(json)
        query = []
    }

    /// Returns the value of the first name that the body has, or else the query; nil if neither has one.
    ///
    /// - Throws: ``ProblemDocument`` if the field appears more than once or is not text.
    func bytes(_ names: [String]) throws(ProblemDocument) -> [UInt8]? {
        guard let field = try first(names) else { return nil }
        guard case .bytes(let bytes) = field.value else {
            throw ProblemDocument(.malformedRequest, detail: "The field \(field.name) must be text.")
        }
        return bytes
    }

    /// Returns the value of the first field with one of the names, which is true or false; nil if it is missing.
    ///
    /// - Throws: ``ProblemDocument`` if the field appears more than once or has another value.
    func bool(_ names: [String]) throws(ProblemDocument) -> Bool? {
        let field = try first(names)
        switch field?.value {
        case nil: return nil
        case .bool(let value)?: return value
        case .bytes(let bytes)? where bytes == Array("true".utf8): return true
        case .bytes(let bytes)? where bytes == Array("false".utf8): return false
        default:
            throw ProblemDocument(.malformedRequest, detail: "The field \(field?.name ?? "") must be true or false.")
        }
    }

    /// Returns the fields of the body with these names that are text.
    func texts(_ names: [String]) -> [String: String] {
        var texts: [String: String] = [:]
        for field in body where names.contains(field.name) && texts[field.name] == nil {
            guard case .bytes(let bytes) = field.value else { continue }
            texts[field.name] = String(validating: bytes, as: UTF8.self)
        }
        return texts
    }

    private func first(_ names: [String]) throws(ProblemDocument) -> Field? {
        for fields in [body, query] {
            for name in names {
                guard let field = fields.first(where: { $0.name == name }) else { continue }
                guard fields.count(where: { $0.name == name }) == 1 else {
                    throw ProblemDocument(.malformedRequest, detail: "The field \(name) appears more than once.")
                }
                return field
            }
        }
        return nil
    }

    // MARK: - Formats

    private static func form(_ text: some Collection<UInt8>) throws(ProblemDocument) -> [Field] {
        guard let fields = FormEncoding.decode(text) else {
            throw ProblemDocument(.malformedRequest, detail: "A field is not form-encoded correctly.")
        }
        return fields.map { ($0.name, .bytes($0.value)) }
    }

    /// Returns a form; if the form is encoded as a whole, `spc%3D…`, the form that it contains.
    private static func decodedOnce(_ body: [UInt8]) -> [UInt8] {
        let text = body[LicenseBodyFormat.content(of: body)]
        guard let separator = text.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "%") }),
            LicenseBodyFormat.startsWithEscapedEquals(text[separator...])
        else { return Array(text) }
        return PercentEncoding.decode(text) ?? Array(text)
    }

    private static func json(_ value: JSONValue) throws(JSONError) -> [Field] {
        guard case .object(let members) = value else { throw JSONError(reason: "expected an object", place: .path("")) }
        return members.members.compactMap { member in
            switch member.value {
            case .string(let text): (member.key, .bytes(Array(text.utf8)))
            case .bool(let value): (member.key, .bool(value))
            // As if the field were missing.
            case .null: nil
            default: (member.key, .other)
            }
        }
    }

    /// Returns the elements that have no children.
    private static func xml(_ body: [UInt8]) throws(ProblemDocument) -> [Field] {
        var fields: [Field] = []
        func add(_ element: XMLTree.Element) {
            if element.children.isEmpty {
                let text = Array(element.text.utf8)
                fields.append((element.name, .bytes(Array(text[LicenseBodyFormat.content(of: text)]))))
            }
            for child in element.children { add(child) }
        }
        do throws(XMLDocumentError) {
            add(try XMLTree(body).root)
        } catch {
            throw ProblemDocument(.malformedRequest, detail: "The XML is not valid: \(error.description).")
        }
        return fields
    }
}
