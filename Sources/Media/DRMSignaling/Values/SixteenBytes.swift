import TextCoding

/// Sixteen bytes stored inline: the storage of key IDs and system IDs.
struct SixteenBytes: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Creates the bytes from two big-endian numbers.
    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parses 32 hexadecimal digits, optionally after `0x`, or a UUID: groups of 8, 4, 4, 4 and 12 digits separated by
    /// dashes. Nil for any other text.
    init?(text: some StringProtocol) {
        var digits = Array(Hexadecimal.digits(of: text).prefix(37))
        if digits.count == 36 {
            for dash in [23, 18, 13, 8] where digits.remove(at: dash) != UInt8(ascii: "-") { return nil }
        }
        let values = digits.compactMap(Hexadecimal.value(of:))
        guard digits.count == 32, values.count == 32 else { return nil }
        high = values.prefix(16).reduce(0) { $0 << 4 | UInt64($1) }
        low = values.dropFirst(16).reduce(0) { $0 << 4 | UInt64($1) }
    }

    var bytes: [UInt8] {
        [high, low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }

    /// The bytes as 32 lowercase hexadecimal digits.
    var hexadecimal: String { Hexadecimal.encode(bytes) }

    /// The bytes as a lowercase UUID with dashes (RFC 9562, section 4).
    var uuid: String {
        var text = hexadecimal
        for dash in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: dash)) }
        return text
    }
}

extension Hexadecimal {
    /// Returns the digits of a text, without an optional `0x` prefix.
    static func digits(of text: some StringProtocol) -> Substring.UTF8View {
        let all = Substring(text).utf8
        return all.starts(with: "0x".utf8) || all.starts(with: "0X".utf8) ? all.dropFirst(2) : all
    }
}
