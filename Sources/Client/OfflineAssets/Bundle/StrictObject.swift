import ContentKeySession

/// An object of JSON whose fields are all known: what is missing, twice there, of another kind or unknown is an error that
/// names it.
struct StrictObject {
    private var fields: [String: JSONText] = [:]
    /// Which file, for errors.
    private let place: String

    init(_ value: JSONText?, place: String) throws(AssetBundleError) {
        self.place = place
        guard case .object(let list)? = value else { throw Self.failure(place, "an object is missing") }
        for field in list {
            guard fields.updateValue(field.value, forKey: field.name) == nil else {
                throw Self.failure(place, "the field \(Self.shown(field.name)) is there twice")
            }
        }
    }

    /// Takes a field if it is there.
    mutating func optional(_ name: String) -> JSONText? { fields.removeValue(forKey: name) }

    mutating func value(_ name: String) throws(AssetBundleError) -> JSONText {
        guard let value = optional(name) else { throw Self.failure(place, "the field \(name) is missing") }
        return value
    }

    mutating func text(_ name: String, atMost limit: Int = 16_384) throws(AssetBundleError) -> String {
        guard let text = try value(name).text, text.utf8.count <= limit else { throw wrong(name) }
        return text
    }

    /// A whole number that is not negative.
    mutating func number(_ name: String) throws(AssetBundleError) -> Int {
        guard let number = try value(name).number, number >= 0 else { throw wrong(name) }
        return number
    }

    mutating func items(_ name: String) throws(AssetBundleError) -> [JSONText] {
        guard let items = try value(name).items else { throw wrong(name) }
        return items
    }

    /// A SHA-256 in hexadecimal.
    mutating func sha256(_ name: String) throws(AssetBundleError) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(try text(name)), bytes.count == 32 else { throw wrong(name) }
        return bytes
    }

    /// Nothing else may be there.
    func end() throws(AssetBundleError) {
        if let name = fields.keys.min() { throw Self.failure(place, "the field \(Self.shown(name)) is unknown") }
    }

    func wrong(_ name: String) -> AssetBundleError { Self.failure(place, "the field \(name) is not what it should be") }

    private static func failure(_ place: String, _ reason: String) -> AssetBundleError {
        AssetBundleError(.malformed, place, reason)
    }

    private static func shown(_ name: String) -> String {
        String(
            name.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }.map(Character.init).prefix(
                40
            )
        )
    }
}

/// Bytes as pairs of hexadecimal digits in lower case.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
