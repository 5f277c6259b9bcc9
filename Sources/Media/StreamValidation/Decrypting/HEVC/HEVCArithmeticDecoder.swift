/// The arithmetic decoder of HEVC (CABAC; ITU-T H.265, 9.3.4.3) over the data of a slice segment without emulation prevention
/// bytes. After the end of the data it reads zeros; ``isOverrun`` is true then.
struct HEVCArithmeticDecoder {
    /// An adaptive context: the state, 0 to 62, times 2, plus the most probable value.
    typealias Context = UInt8

    private let data: [UInt8]
    private let end: Int
    /// The index of the next byte.
    private var next: Int
    private var range: UInt64 = 510
    /// The 9 bits of `ivlOffset`, followed by `ahead` bits that are not used yet.
    private var value: UInt64 = 0
    private var ahead = -9

    /// Creates a decoder at the start of a substream, which is a whole byte.
    init(_ data: [UInt8], from start: Int) {
        (self.data, end, next) = (data, data.count, start)
        refill()
    }

    /// True if more bits were used than there are.
    var isOverrun: Bool { next - (ahead >> 3) > end }

    /// The number of bits up to the last one that was used.
    private var position: Int { next * 8 - ahead }

    private mutating func refill() {
        while ahead < 32 {
            value = value << 8 | UInt64(next < end ? data[next] : 0)
            next += 1
            ahead += 8
        }
    }

    /// Decodes a value with a context (9.3.4.3.2).
    mutating func decode(_ context: inout Context) -> Bool {
        if ahead < 16 { refill() }
        let state = Int(context >> 1)
        var isSet = context & 1 == 1
        let least = UInt64(Self.leastProbableRange[state << 2 | Int(range >> 6 & 3)])
        range -= least
        let scaled = range << UInt64(ahead)
        if value >= scaled {
            value -= scaled
            range = least
            isSet.toggle()
            if state == 0 { context ^= 1 }
            context = Self.nextState[state] << 1 | context & 1
        } else if state < 62 {
            context += 2
        }
        let shift = range.leadingZeroBitCount - 55
        range <<= UInt64(shift)
        ahead -= shift
        return isSet
    }

    /// Decodes a bit without a context (9.3.4.3.4).
    mutating func decodeBypass() -> Bool {
        if ahead < 16 { refill() }
        ahead -= 1
        let scaled = range << UInt64(ahead)
        guard value >= scaled else { return false }
        value -= scaled
        return true
    }

    /// Decodes a number of bits without contexts, at most 32.
    mutating func decodeBypass(_ count: Int) -> Int {
        var result = 0
        for _ in 0..<count { result = result << 1 | (decodeBypass() ? 1 : 0) }
        return result
    }

    /// Decodes a flag that ends a slice segment or a substream (9.3.4.3.5).
    mutating func decodeTerminate() -> Bool {
        if ahead < 16 { refill() }
        range -= 2
        guard value < range << UInt64(ahead) else { return true }
        if range < 256 {
            range <<= 1
            ahead -= 1
        }
        return false
    }

    /// Returns the index of the byte after the alignment that follows the end of a substream; nil if it is not a 1 bit and zeros.
    func endOfSubstream() -> Int? {
        // The last bit that the decoder has read is the 1 bit.
        let last = position - 1
        guard last >= 0, last >> 3 < end else { return nil }
        let tail = data[last >> 3] << UInt8(last & 7)
        return tail == 0x80 ? last >> 3 + 1 : nil
    }

    /// Table 9-52 (rangeTabLps): the range of the least probable value, for each state and the two bits after the first of the
    /// range.
    private static let leastProbableRange: [UInt8] = [
        128, 176, 208, 240, 128, 167, 197, 227, 128, 158, 187, 216, 123, 150, 178, 205, 116, 142, 169, 195, 111, 135,
        160, 185,
        105, 128, 152, 175, 100, 122, 144, 166, 95, 116, 137, 158, 90, 110, 130, 150, 85, 104, 123, 142, 81, 99, 117,
        135,
        77, 94, 111, 128, 73, 89, 105, 122, 69, 85, 100, 116, 66, 80, 95, 110, 62, 76, 90, 104, 59, 72, 86, 99,
        56, 69, 81, 94, 53, 65, 77, 89, 51, 62, 73, 85, 48, 59, 69, 80, 46, 56, 66, 76, 43, 53, 63, 72,
        41, 50, 59, 69, 39, 48, 56, 65, 37, 45, 54, 62, 35, 43, 51, 59, 33, 41, 48, 56, 32, 39, 46, 53,
        30, 37, 43, 50, 29, 35, 41, 48, 27, 33, 39, 45, 26, 31, 37, 43, 24, 30, 35, 41, 23, 28, 33, 39,
        22, 27, 32, 37, 21, 26, 30, 35, 20, 24, 29, 33, 19, 23, 27, 31, 18, 22, 26, 30, 17, 21, 25, 28,
        16, 20, 23, 27, 15, 19, 22, 25, 14, 18, 21, 24, 14, 17, 20, 23, 13, 16, 19, 22, 12, 15, 18, 21,
        12, 14, 17, 20, 11, 14, 16, 19, 11, 13, 15, 18, 10, 12, 15, 17, 10, 12, 14, 16, 9, 11, 13, 15,
        9, 11, 12, 14, 8, 10, 12, 14, 8, 9, 11, 13, 7, 9, 11, 12, 7, 9, 10, 12, 7, 8, 10, 11,
        6, 8, 9, 11, 6, 7, 9, 10, 6, 7, 8, 9, 2, 2, 2, 2,
    ]

    /// Table 9-53 (transIdxLps): the state after the least probable value.
    private static let nextState: [UInt8] = [
        0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16, 16, 18, 18,
        19, 19, 21, 21, 22, 22, 23, 24, 24, 25, 26, 26, 27, 27, 28, 29, 29, 30, 30, 30, 31, 32, 32, 33,
        33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 63,
    ]
}
