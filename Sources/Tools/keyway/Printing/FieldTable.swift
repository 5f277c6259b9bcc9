import FPSCrypto
import FPSMessages

/// Fields under a title, and tables below them: what a command shows, as text or as JSON.
struct FieldTable: Sendable {
    /// What the fields belong to. In JSON, the key of a table at the top is made of it as a field's is of its name.
    let title: String
    /// What stands behind the title, in text only.
    var remark: String?
    /// What the title and the remark say in text, as fields for JSON.
    var heading: [Field] = []
    /// The fields, in order.
    var fields: [Field] = []
    /// The tables below; the blocks of a payload, mostly.
    var blocks: [FieldTable]?
}

/// A name and a value.
struct Field: Sendable {
    /// What people read. Its words make the key in JSON, so they are a promise to machines too.
    let name: String
    /// What stands there.
    let value: FieldValue

    /// Makes a field.
    init(_ name: String, _ value: FieldValue) {
        self.name = name
        self.value = value
    }

    /// The key in JSON: `asset ID` is `assetID`, `SPC version` is `spcVersion`.
    var key: String { Self.key(for: name) }

    /// The words of a name in camel case; abbreviations keep their capitals except in front. Names are in ASCII, since they
    /// are ours; what is not stands between words. Lists have thousands of fields, so this goes by bytes.
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

/// A value, and with it how it is to look.
enum FieldValue: Sendable {
    /// Words; may come from outside, so control characters are escaped when they are shown.
    case text(String)
    /// A count or a version, with the unit that stands behind it in text.
    case quantity(Int64, unit: String?)
    /// A number with a fraction, with the unit that stands behind it in text.
    case decimal(Double, unit: String?)
    /// A URI, of which queries, passwords and data are shown only when asked for.
    case uri(String)
    /// Several things of the same kind, each of several fields.
    case items([[Field]])
    /// A duration, with what the number means where it is a special one.
    case seconds(UInt32, meaning: String? = nil)
    /// A moment, in seconds since 1970.
    case time(Int64)
    /// Bytes that somebody may want to compare: shown whole.
    case bytes([UInt8])
    /// Bytes that tell nobody anything, such as a ciphertext: in text, their beginning is enough.
    case opaque([UInt8])
    /// A number of which some values have names.
    case named(String?, number: Number)
    /// Several names or numbers.
    case list([String])
    /// Yes or no.
    case flag(Bool)
    /// Bytes that are shown only when asked for.
    case secret(SecretBytes)

    /// A number as the guide writes it.
    enum Number: Sendable {
        /// In decimal.
        case decimal(UInt64)
        /// In hexadecimal, with this many digits.
        case hexadecimal(UInt64, digits: Int)
    }

    /// A number of the wire that has names; `decimal` where the guide writes it so.
    static func named<Value: NamedNumber>(_ value: Value, decimal: Bool = false) -> FieldValue {
        let number = UInt64(value.rawValue)
        let digits = Value.RawValue.bitWidth / 4
        return .named(value.name, number: decimal ? .decimal(number) : .hexadecimal(number, digits: digits))
    }

    /// A number of 4 bytes that nobody has named.
    static func word(_ value: UInt32) -> FieldValue {
        .bytes(withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }

    /// A version or another small number.
    static func number(_ value: some BinaryInteger & Sendable, unit: String? = nil) -> FieldValue {
        .quantity(Int64(clamping: value), unit: unit)
    }

    /// A number that is an identifier, as its bytes.
    static func identifier(_ value: UInt64) -> FieldValue {
        .bytes(withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }
}
