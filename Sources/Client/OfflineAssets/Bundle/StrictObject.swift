import ContentKeySession
import TextCoding

/// A JSON object whose fields are all known: a missing, duplicated, mistyped or unknown field is an error that names
/// the field.
struct StrictObject {
    private var fields: JSONObject
    /// The file name, for errors.
    private let place: String

    /// Parses a document.
    init(parsing bytes: [UInt8], place: String) throws(AssetBundleError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, maximumDepth: 16, maximumSize: BundleDescription.maximumSize)
        } catch {
            throw Self.failure(place, error.description)
        }
        try self.init(value, place: place)
    }

    init(_ value: JSONValue, place: String) throws(AssetBundleError) {
        self.place = place
        guard case .object(let fields) = value else { throw Self.failure(place, "expected a JSON object") }
        self.fields = fields
    }

    /// Removes and returns a field if it exists.
    mutating func optional(_ name: String) -> JSONValue? { fields.removeValue(forKey: name) }

    mutating func value(_ name: String) throws(AssetBundleError) -> JSONValue {
        guard let value = optional(name) else { throw Self.failure(place, "the field \(name) is missing") }
        return value
    }

    mutating func text(_ name: String, atMost limit: Int = 16_384) throws(AssetBundleError) -> String {
        guard let text = try value(name).text, text.utf8.count <= limit else { throw invalidValue(name) }
        return text
    }

    /// Removes and returns a nonnegative integer.
    mutating func number(_ name: String) throws(AssetBundleError) -> Int {
        guard let number = try value(name).wholeNumber, number >= 0 else { throw invalidValue(name) }
        return number
    }

    mutating func items(_ name: String) throws(AssetBundleError) -> [JSONValue] {
        guard let items = try value(name).items else { throw invalidValue(name) }
        return items
    }

    /// Removes and returns a SHA-256 in hexadecimal.
    mutating func sha256(_ name: String) throws(AssetBundleError) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(try text(name)), bytes.count == 32 else { throw invalidValue(name) }
        return bytes
    }

    /// Throws an error if a field is left.
    func requireEnd() throws(AssetBundleError) {
        if let name = fields.keys.min() { throw Self.failure(place, "the field \(Self.printable(name)) is unknown") }
    }

    func invalidValue(_ name: String) -> AssetBundleError {
        Self.failure(place, "the field \(name) has an invalid value")
    }

    private static func failure(_ place: String, _ reason: String) -> AssetBundleError {
        AssetBundleError(.malformed, place, reason)
    }

    private static func printable(_ name: String) -> String {
        String(
            name.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }.map(Character.init).prefix(
                40
            )
        )
    }
}
