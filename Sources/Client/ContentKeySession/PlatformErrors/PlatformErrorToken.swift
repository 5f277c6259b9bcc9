/// A word or a number of a log text.
enum PlatformErrorToken: Equatable {
    /// A name: letters, digits, `_`, and within it `.` and `-`.
    case word(String)
    /// A number of at most 64 bits.
    case number(PlatformErrorNumber)
    /// Digits that are not an error number: a fraction, a version, a part of an identifier.
    case other

    /// Returns the tokens of a text, in a single pass.
    static func tokens(of text: String) -> [Self] {
        var scanner = PlatformErrorScanner(bytes: bytes(of: text))
        var tokens: [Self] = []
        while let token = scanner.next() { tokens.append(token) }
        return tokens
    }

    /// Returns the first bytes of a text. Web pages and word processors replace the hyphen with a minus sign or a dash.
    private static func bytes(of text: String) -> [UInt8] {
        let source = Array(text.utf8.prefix(65536))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            // U+2212 and U+2013.
            let isDash =
                source[index] == 0xE2
                && (source[index...].starts(with: [0xE2, 0x88, 0x92])
                    || source[index...].starts(with: [0xE2, 0x80, 0x93]))
            if isDash {
                bytes.append(UInt8(ascii: "-"))
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return bytes
    }
}

/// A number of a log text.
struct PlatformErrorNumber: Equatable {
    /// The notation of a number.
    enum Notation {
        /// Decimal digits without a sign.
        case plain
        /// Decimal digits after a minus sign.
        case negative
        /// Hexadecimal digits after `0x`.
        case hexadecimal
        /// Four characters in quotes.
        case characters
    }

    /// The digits as a number, without the sign.
    let magnitude: UInt64
    let notation: Notation

    /// The error numbers that the digits can represent, the most literal first.
    var candidates: [Int32] {
        if notation == .negative { return magnitude <= 1 << 31 ? [Int32(truncatingIfNeeded: -Int64(magnitude))] : [] }
        if let number = Int32(exactly: magnitude) { return number == 0 ? [0] : [number, -number] }
        if let unsigned = UInt32(exactly: magnitude) { return [Int32(bitPattern: unsigned)] }
        // A negative number, extended to 64 bits.
        return Int32(exactly: Int64(bitPattern: magnitude)).map { [$0] } ?? []
    }

    /// True if the notation itself indicates an error number: a sign, or the size of a negative number without its sign.
    var looksLikeErrorNumber: Bool {
        switch notation {
        case .negative, .characters: true
        case .plain, .hexadecimal: magnitude > UInt64(Int32.max)
        }
    }
}

/// The reader of the tokens of a log text.
private struct PlatformErrorScanner {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next token; nil at the end.
    mutating func next() -> PlatformErrorToken? {
        while let byte = byte(0) {
            switch byte {
            case _ where byte.isDigit: return number(.plain)
            case UInt8(ascii: "-") where self.byte(1)?.isDigit == true:
                index += 1
                return number(.negative)
            case _ where byte.isLetter: return word()
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                if let token = fourCharacters(after: byte) { return token }
                index += 1
            default: index += 1
            }
        }
        return nil
    }

    /// Returns the byte at a distance from the current one.
    private func byte(_ distance: Int) -> UInt8? {
        bytes.indices.contains(index + distance) ? bytes[index + distance] : nil
    }

    private mutating func word() -> PlatformErrorToken {
        let start = index
        while let byte = byte(0) {
            let joins = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            guard byte.isWord || joins && self.byte(1)?.isLetter == true else { break }
            index += 1
        }
        return .word(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func number(_ decimal: PlatformErrorNumber.Notation) -> PlatformErrorToken {
        let isHexadecimal = byte(0) == UInt8(ascii: "0") && byte(1).map { $0 | 0x20 } == UInt8(ascii: "x")
        if isHexadecimal { index += 2 }
        let start = index
        var magnitude: UInt64? = 0
        while let digit = byte(0)?.digit(radix: isHexadecimal ? 16 : 10) {
            let (product, overflow) = (magnitude ?? 0).multipliedReportingOverflow(by: isHexadecimal ? 16 : 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            magnitude = magnitude == nil || overflow || carry ? nil : sum
            index += 1
        }
        var isNumber = index > start
        // Letters, fractions, versions, and numbers within an identifier such as a UUID.
        while let byte = byte(0) {
            let joins = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            guard byte.isWord || joins && self.byte(1)?.isWord == true else { break }
            isNumber = false
            index += 1
        }
        guard isNumber, let magnitude else { return .other }
        // A negative number in hexadecimal is not written with a sign.
        if isHexadecimal {
            return decimal == .plain ? .number(.init(magnitude: magnitude, notation: .hexadecimal)) : .other
        }
        return .number(.init(magnitude: magnitude, notation: decimal))
    }

    /// Returns the number of four characters in quotes, if it is an error number.
    private mutating func fourCharacters(after quote: UInt8) -> PlatformErrorToken? {
        guard byte(5) == quote else { return nil }
        let magnitude = bytes[(index + 1)..<(index + 5)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number = PlatformErrorNumber(magnitude: magnitude, notation: .characters)
        guard number.candidates.contains(where: { !PlatformErrorCatalog.explanations(number: $0).isEmpty }) else {
            return nil
        }
        index += 6
        return .number(number)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
    }
    fileprivate var isWord: Bool { isDigit || isLetter }

    fileprivate func digit(radix: UInt8) -> UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = self | 0x20
        guard radix == 16, (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) else { return nil }
        return letter - UInt8(ascii: "a") + 10
    }
}
