import ByteCoding

/// The state of base64 decoding.
struct Base64Decoder {
    private let options: Base64.Options
    private let alphabets: UInt16
    private var bytes: [UInt8] = []
    /// The values of the last digits, six bits each.
    private var group: UInt32 = 0
    private var digits = 0
    private var padding = 0
    /// The alphabets of the digits so far that are in only one alphabet.
    private var seen: UInt16 = 0

    init(capacity: Int, _ options: Base64.Options) {
        self.options = options
        let isStandard = options.contains(.standardAlphabet) || !options.contains(.urlSafeAlphabet)
        alphabets = (isStandard ? Meaning.standard : 0) | (options.contains(.urlSafeAlphabet) ? Meaning.urlSafe : 0)
        bytes.reserveCapacity(capacity)
    }

    /// The meaning of each byte: the value of a digit, with a flag if the digit is in only one alphabet; or not a
    /// digit.
    private enum Meaning {
        static let standard: UInt16 = 1 << 8
        static let urlSafe: UInt16 = 1 << 9
        static let other: UInt16 = 1 << 10

        static let all: [UInt16] = {
            var all = [UInt16](repeating: other, count: 256)
            let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            for (value, digit) in digits.utf8.enumerated() { all[Int(digit)] = UInt16(value) }
            for (value, digit) in zip(62..., "+/".utf8) { all[Int(digit)] = UInt16(value) | standard }
            for (value, digit) in zip(62..., "-_".utf8) { all[Int(digit)] = UInt16(value) | urlSafe }
            return all
        }()
    }

    /// True if the next four digits form a group of three bytes.
    var isAtGroupBoundary: Bool { digits & 3 == 0 && padding == 0 }

    /// Decodes groups of four digits as long as the text has complete groups. The capacity is reserved once, because
    /// growing the array for each byte takes longer than decoding.
    mutating func addGroups(of text: Span<UInt8>, from position: inout Int) {
        let meanings = Meaning.all.span
        bytes.append(addingCapacity: (text.count - position) / 4 * 3) { bytes in
            while position <= text.count - 4 {
                let (first, second) = (meanings[Int(text[position])], meanings[Int(text[position + 1])])
                let (third, fourth) = (meanings[Int(text[position + 2])], meanings[Int(text[position + 3])])
                let all = first | second | third | fourth
                guard all & Meaning.other == 0 else { break }
                seen |= all
                group = UInt32((first & 63) << 6 | second & 63) << 12 | UInt32((third & 63) << 6 | fourth & 63)
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                position += 4
            }
        }
    }

    /// Decodes one character. Returns false if the character is not allowed at this position.
    mutating func add(_ character: UInt8) -> Bool {
        let isPlus = character == UInt8(ascii: " ") && options.contains(.spaceIsPlus)
        let meaning = Meaning.all[Int(isPlus ? UInt8(ascii: "+") : character)]
        if meaning & Meaning.other == 0 {
            guard padding == 0 else { return false }
            add(digit: meaning)
            return true
        }
        switch character {
        case UInt8(ascii: "="):
            padding += 1
            return true
        case 0x0A, 0x0D: return !options.isDisjoint(with: [.lineBreaks, .whitespace])
        case 0x09, 0x0B, 0x0C, 0x20: return options.contains(.whitespace)
        default: return false
        }
    }

    private mutating func add(digit meaning: UInt16) {
        seen |= meaning
        group = group << 6 | UInt32(meaning & 63)
        digits += 1
        guard digits & 3 == 0 else { return }
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
    }

    /// Finishes decoding and returns the bytes, or nil if the text is incomplete, uses the wrong alphabet or both alphabets, or has wrong
    /// padding.
    mutating func finish() -> [UInt8]? {
        let both = Meaning.standard | Meaning.urlSafe
        guard seen & both & ~alphabets == 0, seen & both != both else { return nil }
        let isPadded = padding <= 2 && (digits + padding) & 3 == 0
        let mayBeUnpadded = !options.isDisjoint(with: [.missingPadding, .unpadded])
        guard padding == 0 ? isPadded || mayBeUnpadded : isPadded && !options.contains(.unpadded) else { return nil }
        switch digits & 3 {
        case 0 where padding == 0:
            return bytes
        case 2 where group & 0xF == 0:
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
            return bytes
        case 3 where group & 0x3 == 0:
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
            return bytes
        default:
            return nil
        }
    }
}
