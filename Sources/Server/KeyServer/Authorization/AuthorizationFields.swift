import TextCoding

/// Reads the fields that a token or a webhook's response contains about a request from JSON.
///
/// The type and the bounds of each field are checked. Errors name the field and never contain its value.
struct AuthorizationFields {
    /// An invalid field.
    struct FieldError: Error, Equatable {
        let field: String
        let expectation: String
    }

    /// The valid times in Unix seconds: up to the year 9999.
    static let times: ClosedRange<Int64> = 0...253_402_300_799

    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// Returns a required value.
    static func required<Value>(_ name: String, _ value: Value?) throws(FieldError) -> Value {
        guard let value else { throw FieldError(field: name, expectation: "a value") }
        return value
    }

    /// Reads text without control characters.
    func text(_ name: String, bytes range: ClosedRange<Int>) throws(FieldError) -> String? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value, Self.isPlain(text, range) else {
            throw FieldError(
                field: name,
                expectation: "text of \(range.lowerBound) to \(range.upperBound) bytes without control characters"
            )
        }
        return text
    }

    /// Reads text for people and converts it to one line: control characters such as line breaks become spaces, and the
    /// text is truncated to `size` bytes. Nothing depends on the text, so any text is accepted.
    func line(_ name: String, bytes size: Int) throws(FieldError) -> String? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value else { throw FieldError(field: name, expectation: "text") }
        var line = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            let isBreak = scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value)
            let plain = isBreak ? " " : scalar
            length += UTF8.width(plain)
            guard length <= size else { break }
            line.append(plain)
        }
        return String(line)
    }

    /// Reads a string or an array of strings.
    func texts(_ name: String, bytes range: ClosedRange<Int>) throws(FieldError) -> [String]? {
        guard let value = members[name] else { return nil }
        let values: [JSONValue] = if case .array(let values) = value { values } else { [value] }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value, Self.isPlain(text, range) else {
                throw FieldError(
                    field: name,
                    expectation: "strings of \(range.lowerBound) to \(range.upperBound) bytes"
                )
            }
            texts.append(text)
        }
        return texts
    }

    func bool(_ name: String) throws(FieldError) -> Bool? {
        guard let value = members[name] else { return nil }
        guard case .bool(let bool) = value else { throw FieldError(field: name, expectation: "true or false") }
        return bool
    }

    /// Reads a NumericDate of RFC 7519, in Unix seconds. A fraction is rounded down.
    func time(_ name: String) throws(FieldError) -> Int64? {
        switch members[name] {
        case nil:
            return nil
        case .integer(let seconds) where Self.times.contains(Int64(seconds)):
            return Int64(seconds)
        case .number(let seconds) where seconds >= 0 && seconds <= Double(Self.times.upperBound):
            return Int64(seconds.rounded(.down))
        default:
            throw FieldError(field: name, expectation: "a time in seconds since 1970")
        }
    }

    /// Reads the hash of a device, 16 bytes in 32 hexadecimal digits.
    func device(_ name: String) throws(FieldError) -> [UInt8]? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value, text.utf8.count == 32,
            let bytes = Hexadecimal.decode(text)
        else {
            throw FieldError(field: name, expectation: "a device's hash in 32 hexadecimal digits")
        }
        return bytes
    }

    /// Reads the optional limits, which have the same names and meaning in tokens and webhook responses.
    func addLimits(to authorization: inout PlaybackAuthorization) throws(FieldError) {
        authorization.notAfter = try time("notAfter")
        authorization.assets = try texts("assets", bytes: 1...200)
        authorization.title = try text("title", bytes: 1...200)
        authorization.policyName = try text("policy", bytes: 1...100)
        authorization.device = try device("device")
        authorization.persist = try bool("persist")
        authorization.rentalStart = try time("rentalStart")
    }

    /// Returns whether text has a valid size and no control characters.
    static func isPlain(_ text: String, _ range: ClosedRange<Int>) -> Bool {
        // Unicode's category Cc, without a lookup in the Unicode tables.
        range.contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
    }
}
