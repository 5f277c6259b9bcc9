import FPSCrypto
import FPSMessages
import ToolSupport

/// A titled table of fields, with nested tables, that commands print as text or as JSON.
struct FieldTable: Sendable {
    /// The title. In JSON, the key of a top-level table is derived from it in the same way as that of a field from its
    /// name.
    let title: String
    /// A remark after the title, in text only.
    var remark: String?
    /// The information in the title and the remark as fields, for JSON only.
    var heading: [Field] = []
    /// The fields, in order.
    var fields: [Field] = []
    /// The nested tables, such as the blocks of a payload.
    var blocks: [FieldTable]?
}

/// A name and a value.
struct Field: Sendable {
    /// The name in text. The JSON key is derived from it, so changing it breaks scripts.
    let name: String
    /// The value.
    let value: FieldValue

    /// Creates a field.
    init(_ name: String, _ value: FieldValue) {
        self.name = name
        self.value = value
    }

    /// The key in JSON: `asset ID` becomes `assetID`, `SPC version` becomes `spcVersion`.
    var key: String { Self.key(for: name) }

    /// Returns the words of a name in camel case. Abbreviations keep their capitals except in the first word. Other
    /// characters than ASCII letters and digits separate words. The function works on bytes, because lists have
    /// thousands of fields.
    static func key(for name: String) -> String {
        let longest = name.utf8.count
        return String(unsafeUninitializedCapacity: longest) { key in
            var (count, isFirstWord, isFirstLetter) = (0, true, true)
            for byte in name.utf8 {
                let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                let isLower = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                guard isUpper || isLower || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else {
                    isFirstWord = isFirstWord && count == 0
                    isFirstLetter = true
                    continue
                }
                key[count] =
                    if isFirstWord { isUpper ? byte | 0x20 : byte } else if isFirstLetter {
                        isLower ? byte & ~0x20 : byte
                    } else { byte }
                count += 1
                isFirstLetter = false
            }
            return count
        }
    }
}

/// A value, and its presentation.
enum FieldValue: Sendable {
    /// Text; it may come from input, so control characters are escaped when it is printed.
    case text(String)
    /// A count or a version, with a unit that follows it in text.
    case quantity(Int64, unit: String?)
    /// A number with a fraction, with a unit that follows it in text.
    case decimal(Double, unit: String?)
    /// A URI, whose query, password and data are printed only on request.
    case uri(String)
    /// A list of items with several fields each.
    case items([[Field]])
    /// A duration in seconds, with the meaning of special values.
    case seconds(UInt32, meaning: String? = nil)
    /// A time, in seconds since 1970.
    case time(Int64)
    /// Bytes to compare, which are printed completely.
    case bytes([UInt8])
    /// Bytes without readable content, such as ciphertext; text shows only the first ones.
    case opaque([UInt8])
    /// A number with names for some values.
    case named(String?, number: Number)
    /// A list of names or numbers.
    case list([String])
    /// Yes or no.
    case flag(Bool)
    /// Bytes that are printed only on request.
    case secret(SecretBytes)

    /// A number in the notation of the guide.
    enum Number: Sendable {
        /// In decimal.
        case decimal(UInt64)
        /// In hexadecimal, with this many digits.
        case hexadecimal(UInt64, digits: Int)
    }

    /// Returns a number with a name; in decimal if the guide uses that notation.
    static func named<Value: NamedNumber>(_ value: Value, decimal: Bool = false) -> FieldValue {
        let number = UInt64(value.rawValue)
        let digits = Value.RawValue.bitWidth / 4
        return .named(value.name, number: decimal ? .decimal(number) : .hexadecimal(number, digits: digits))
    }

    /// Returns a 4-byte number without a name.
    static func word(_ value: UInt32) -> FieldValue {
        .bytes(withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }

    /// Returns a version or another small number.
    static func number(_ value: some BinaryInteger & Sendable, unit: String? = nil) -> FieldValue {
        .quantity(Int64(clamping: value), unit: unit)
    }

    /// Returns a number that is an identifier, as its bytes.
    static func identifier(_ value: UInt64) -> FieldValue {
        .bytes(withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }
}
