/// The variables that EXT-X-DEFINE tags have defined so far.
///
///     reference = "{$" name "}"       name = 1*( ALPHA / DIGIT / "-" / "_" )
///
/// Sections 4.3 and 6.3.1. Substituted values are not searched for references again, so that substitution cannot be
/// recursive. The number of bytes that substitution adds to one playlist is limited.
struct VariableTable {
    private(set) var values: [String: String]
    /// The number of bytes that substitution has added.
    private var added = 0

    /// Creates a table with initial values.
    init(_ values: [String: String] = [:]) { self.values = values }

    enum Failure: Error {
        case undefined(name: String, offset: Int)
        case limit
    }

    /// Adds a variable. Returns false when the variable is already defined.
    mutating func define(_ name: String, _ value: String) -> Bool {
        guard values[name] == nil else { return false }
        values[name] = value
        return true
    }

    static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    /// Returns whether a range contains a reference.
    @inline(__always)
    static func hasReference(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset + 1 < range.upperBound {
            // Skip eight bytes at a time if none of them is an opening brace.
            if offset + 8 <= range.upperBound {
                let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ 0x7B7B_7B7B_7B7B_7B7B
                if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 == 0 {
                    offset += 8
                    continue
                }
            }
            if bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0x7B,
                bytes.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self) == 0x24
            {
                return true
            }
            offset += 1
        }
        return false
    }

    /// Returns the text of a range after substitution of its references. A `{$` without a name and `}` after it is not
    /// a reference, and is not changed.
    mutating func substitute(_ bytes: [UInt8], _ range: Range<Int>, limit: Int) throws(Failure) -> String {
        var result: [UInt8] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard bytes[offset] == 0x7B, offset + 1 < range.upperBound, bytes[offset + 1] == 0x24 else {
                result.append(bytes[offset])
                offset += 1
                continue
            }
            var end = offset + 2
            while end < range.upperBound, bytes[end] != 0x7D, bytes[end] != 0x7B { end += 1 }
            let name = String(decoding: bytes[offset + 2..<end], as: UTF8.self)
            guard end < range.upperBound, bytes[end] == 0x7D, Self.isName(name) else {
                result.append(contentsOf: bytes[offset..<end])
                offset = end
                continue
            }
            guard let value = values[name] else { throw .undefined(name: name, offset: offset) }
            added += value.utf8.count
            guard added <= limit else { throw .limit }
            result.append(contentsOf: value.utf8)
            offset = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}
