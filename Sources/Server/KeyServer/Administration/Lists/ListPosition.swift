import KeyStore

/// The encoding of a position in a list, for its cursor: for each value a byte for its type, the number of its bytes in
/// two bytes, and the bytes. Integers have 8 bytes. Numbers are big-endian.
enum ListPosition {
    /// Returns the encoding. Values have at most 65,535 bytes.
    static func encode(_ values: [ListValue]) -> [UInt8] {
        values.flatMap { value -> [UInt8] in
            let (kind, bytes): (UInt8, [UInt8]) =
                switch value {
                case .integer(let number): (1, withUnsafeBytes(of: number.bigEndian) { Array($0) })
                case .text(let text): (2, Array(text.utf8))
                case .bytes(let bytes): (3, bytes)
                }
            return [kind, UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
        }
    }

    /// Decodes a position; returns nil if the bytes are malformed.
    static func decode(_ bytes: [UInt8]) -> [ListValue]? {
        var (values, rest): ([ListValue], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            let head = Array(rest.prefix(3))
            guard head.count == 3 else { return nil }
            let count = Int(head[1]) << 8 | Int(head[2])
            let content = rest.dropFirst(3).prefix(count)
            guard content.count == count else { return nil }
            switch head[0] {
            case 1 where count == 8: values.append(.integer(content.reduce(0) { $0 << 8 | Int64($1) }))
            case 2:
                guard let text = String(validating: content, as: UTF8.self), !content.contains(0) else { return nil }
                values.append(.text(text))
            case 3: values.append(.bytes(Array(content)))
            default: return nil
            }
            rest = rest.dropFirst(3 + count)
        }
        return values
    }
}
