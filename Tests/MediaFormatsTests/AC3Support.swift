import ByteCoding
import MediaFormats

/// An E-AC-3 syncframe built from the tables of ETSI TS 102 366, annex E, for features that no available encoder
/// writes.
struct TestSyncframe {
    var type = 0
    var id = 0
    var size = 64
    var frequency = 0
    /// The `numblkscod`, or `fscod2` if the frequency code is 3.
    var blocks = 3
    var mode = 7
    var hasLowFrequency = true
    var map: Int?
    var hasMixing = false
    var mixdef = 0
    var service: Int?
    var additional: [UInt8] = []
    /// The byte that fills the syncframe.
    var fill: UInt8 = 0

    static func joc(_ objects: UInt8) -> [UInt8] { [1, objects] }

    var bytes: [UInt8] {
        var bits = TestBits()
        func put(_ fields: (Int, Int)...) { for (value, width) in fields { bits.put(value, width) } }
        let blockCount = frequency == 3 ? 6 : [1, 2, 3, 6][blocks]
        put((0x0B77, 16), (type, 2), (id, 3), (size / 2 - 1, 11), (frequency, 2), (blocks, 2), (mode, 3))
        put((hasLowFrequency ? 1 : 0, 1), (16, 5))
        for _ in 0..<(mode == 0 ? 2 : 1) { put((27, 5), (1, 1), (0xAA, 8)) }
        if type == 1 {
            put((map == nil ? 0 : 1, 1))
            if let map { put((map, 16)) }
        }
        put((hasMixing ? 1 : 0, 1))
        if hasMixing { putMixing(&bits, blockCount) }
        put((service == nil ? 0 : 1, 1))
        if let service {
            put((service, 3), (3, 2))
            if mode == 2 { put((5, 4)) }
            if mode >= 6 { put((1, 2)) }
            for _ in 0..<(mode == 0 ? 2 : 1) { put((1, 1), (0x5A, 8)) }
            if frequency < 3 { put((1, 1)) }
        }
        if type == 0, blockCount != 6 { put((1, 1)) }
        if type == 2 {
            if blockCount != 6 { put((1, 1)) }
            put((20, 6))
        }
        put((additional.isEmpty ? 0 : 1, 1))
        if !additional.isEmpty {
            put((additional.count - 1, 6))
            for byte in additional { put((Int(byte), 8)) }
        }
        let header = bits.bytes()
        return header + [UInt8](repeating: fill, count: size - header.count)
    }

    /// Returns whether every optional field of the mixing metadata is present.
    private func putMixing(_ bits: inout TestBits, _ blockCount: Int) {
        func put(_ fields: (Int, Int)...) { for (value, width) in fields { bits.put(value, width) } }
        if mode > 2 { put((2, 2)) }
        if mode & 1 == 1, mode > 2 { put((3, 3), (4, 3)) }
        if mode & 4 != 0 { put((5, 3), (6, 3)) }
        if hasLowFrequency { put((1, 1), (17, 5)) }
        guard type == 0 else { return }
        put((1, 1), (51, 6))
        if mode == 0 { put((1, 1), (52, 6)) }
        put((1, 1), (53, 6), (mixdef, 2))
        switch mixdef {
        case 1: put((1, 1), (0, 1), (5, 3))
        case 2: put((0xABC, 12))
        case 3:
            put((2, 5))
            for byte in 1...4 { put((byte, 8)) }
        default: break
        }
        if mode < 2 {
            put((1, 1), (200, 8), (33, 6))
            if mode == 0 { put((1, 1), (201, 8), (34, 6)) }
        }
        put((1, 1))
        if blockCount == 1 { return put((9, 5)) }
        for block in 0..<blockCount {
            put((block & 1, 1))
            if block & 1 == 1 { put((7, 5)) }
        }
    }
}

/// An access unit that a splitter returned.
struct AC3Piece: Equatable {
    var header: AC3Syncframe
    var offset: Int
    var isAfterDamage: Bool
    var bytes: [UInt8]
}

struct AC3Result {
    var units: [AC3Piece] = []
    var damage = 0
    var skipped = 0

    init(_ bytes: [UInt8], pieces size: Int) throws {
        var splitter = AC3Splitter()
        var units: [AC3Piece] = []
        func take(_ unit: AC3Splitter.AccessUnit, _ bytes: RawSpan) {
            let copy = bytes.withUnsafeBytes { [UInt8]($0) }
            let isAfterDamage = unit.isAfterDamage
            units.append(
                AC3Piece(header: unit.header, offset: unit.offset, isAfterDamage: isAfterDamage, bytes: copy)
            )
        }
        for piece in pieces(bytes, of: size) { try splitter.feed(piece.span.bytes, take) }
        try splitter.finish(take)
        self.units = units
        damage = splitter.damage
        skipped = splitter.skippedByteCount
    }
}

/// The sizes of the syncframes of an access unit.
func syncframeSizes(_ unit: [UInt8]) throws(ParseError) -> [Int] {
    var syncframes = AC3Syncframes()
    var sizes: [Int] = []
    while let range = try syncframes.next(unit.span.bytes) { sizes.append(range.count) }
    return sizes
}
