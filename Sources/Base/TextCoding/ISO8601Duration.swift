/// An ISO 8601 duration without years and months, which have no fixed length.
///
///     duration = "P" [ n "W" ] [ n "D" ] [ "T" [ n "H" ] [ n "M" ] [ n [ "." n ] "S" ] ]
///
/// A duration has at least one part, and at least one part after a `T`. A number has at most ten digits, so that no sum
/// can overflow.
package struct ISO8601Duration: Hashable, Sendable {
    /// The duration in whole seconds.
    package let seconds: UInt64
    /// The digits after the decimal point; nil if there is no point.
    package let fraction: String?
    /// True if the text contains weeks, which XML Schema does not support.
    package let hasWeeks: Bool

    /// Parses a duration. Returns nil if the text is not valid.
    package init?(_ text: some StringProtocol) {
        var rest = Substring(text).utf8
        guard rest.count <= 128, rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
        var (seconds, fraction, hasWeeks): (UInt64, String?, Bool) = (0, nil, false)
        var units: [(letter: UInt8, seconds: UInt64)] = [(UInt8(ascii: "W"), 604_800), (UInt8(ascii: "D"), 86_400)]
        var inTime = false
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: "T"), !inTime {
                rest.removeFirst()
                units = [(UInt8(ascii: "H"), 3600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1)]
                inTime = true
                guard !rest.isEmpty else { return nil }
                continue
            }
            let digits = Self.digits(&rest)
            var afterPoint: String?
            if rest.first == UInt8(ascii: ".") {
                rest.removeFirst()
                afterPoint = Self.digits(&rest)
            }
            guard (1...10).contains(digits.utf8.count), let count = UInt64(digits), let letter = rest.popFirst(),
                let position = units.firstIndex(where: { $0.letter == letter }), afterPoint?.isEmpty != true,
                afterPoint == nil || letter == UInt8(ascii: "S")
            else { return nil }
            seconds += count * units[position].seconds
            units.removeFirst(position + 1)
            hasWeeks = hasWeeks || letter == UInt8(ascii: "W")
            fraction = afterPoint
        }
        self.seconds = seconds
        self.fraction = fraction
        self.hasWeeks = hasWeeks
    }

    /// The fraction in microseconds; further digits are discarded.
    package var microseconds: Int64 {
        let digits = (fraction ?? "").prefix(6)
        return Int64(digits + String(repeating: "0", count: 6 - digits.count)) ?? 0
    }

    private static func digits(_ text: inout Substring.UTF8View) -> String {
        let digits = text.prefix { (0x30...0x39).contains($0) }
        text.removeFirst(digits.count)
        return String(decoding: digits, as: UTF8.self)
    }
}
