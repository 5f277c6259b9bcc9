import TextCoding

/// Takes what a token or a webhook says about a request out of its JSON, field by field.
///
/// Each field is held to its type and bounds; the error names the field and does not repeat what stood there.
struct AuthorizationFields {
    /// What is wrong with a field.
    struct Fault: Error, Equatable {
        let field: String
        let expectation: String
    }

    /// Seconds that a time may have: up to the year 9999.
    static let times: ClosedRange<Int64> = 0...253_402_300_799

    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// A value that has to be there.
    static func required<Value>(_ name: String, _ value: Value?) throws(Fault) -> Value {
        guard let value else { throw Fault(field: name, expectation: "a value") }
        return value
    }

    /// A text without control characters.
    func text(_ name: String, bytes range: ClosedRange<Int>) throws(Fault) -> String? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value, Self.isPlain(text, range) else {
            throw Fault(
                field: name,
                expectation: "a text of \(range.lowerBound) to \(range.upperBound) bytes without control characters"
            )
        }
        return text
    }

    /// A text for people, which is made a line: line breaks and other control characters become spaces, and what is beyond `size`
    /// bytes is cut off. It decides nothing, so that no text is refused for how it looks.
    func line(_ name: String, bytes size: Int) throws(Fault) -> String? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value else { throw Fault(field: name, expectation: "a text") }
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

    /// One text or several.
    func texts(_ name: String, bytes range: ClosedRange<Int>) throws(Fault) -> [String]? {
        guard let value = members[name] else { return nil }
        let values: [JSONValue] = if case .array(let values) = value { values } else { [value] }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value, Self.isPlain(text, range) else {
                throw Fault(field: name, expectation: "texts of \(range.lowerBound) to \(range.upperBound) bytes")
            }
            texts.append(text)
        }
        return texts
    }

    func bool(_ name: String) throws(Fault) -> Bool? {
        guard let value = members[name] else { return nil }
        guard case .bool(let bool) = value else { throw Fault(field: name, expectation: "true or false") }
        return bool
    }

    /// A NumericDate of RFC 7519: seconds since 1970, which may have a fraction. It is rounded down.
    func time(_ name: String) throws(Fault) -> Int64? {
        switch members[name] {
        case nil:
            return nil
        case .integer(let seconds) where Self.times.contains(Int64(seconds)):
            return Int64(seconds)
        case .number(let seconds) where seconds >= 0 && seconds <= Double(Self.times.upperBound):
            return Int64(seconds.rounded(.down))
        default:
            throw Fault(field: name, expectation: "a time in seconds since 1970")
        }
    }

    /// A device's hash: 16 bytes in 32 hexadecimal digits.
    func device(_ name: String) throws(Fault) -> [UInt8]? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value, text.utf8.count == 32,
            let bytes = Hexadecimal.decode(text)
        else {
            throw Fault(field: name, expectation: "a device's hash in 32 hexadecimal digits")
        }
        return bytes
    }

    /// What both a token and a webhook may add to account and expiry; names and meaning are the same in both.
    func addLimits(to authorization: inout PlaybackAuthorization) throws(Fault) {
        authorization.notAfter = try time("notAfter")
        authorization.assets = try texts("assets", bytes: 1...200)
        authorization.title = try text("title", bytes: 1...200)
        authorization.policyName = try text("policy", bytes: 1...100)
        authorization.device = try device("device")
        authorization.persist = try bool("persist")
        authorization.rentalStart = try time("rentalStart")
    }

    /// Whether a text has such a size and no control characters.
    static func isPlain(_ text: String, _ range: ClosedRange<Int>) -> Bool {
        // Unicode's category Cc, without looking it up.
        range.contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
    }
}
