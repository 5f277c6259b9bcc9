import VirtualDevice

/// A change to an SPC of version 2 that is possible in transit, without knowing a key.
struct SPCChange: Sendable {
    /// The kind of change.
    enum Kind: String, CaseIterable {
        /// One bit of the encrypted payload: its block becomes noise, and the same bit of the next block is flipped.
        case flippedBit = "flipped bit"
        /// One bit of the IV, which is not encrypted: the same bit of the first block is flipped, without other
        /// changes.
        case flippedIV = "flipped IV"
        /// The start is removed, with its last block as the IV: the rest decrypts correctly.
        case cutBeginning = "cut beginning"
        /// The end is removed, with a corrected length.
        case cutEnd = "cut end"
        /// Blocks are moved, copied or deleted.
        case movedBlocks = "moved blocks"
        /// Bytes are removed without correcting the length.
        case truncated = "truncated"
    }

    let kind: Kind
    /// The position, in bytes or blocks.
    let place: Int
    /// Returns the changed message.
    private let make: @Sendable () -> [UInt8]

    /// The strategy that chose the position: without further knowledge, changes of one strategy are equally likely to
    /// succeed.
    var strategy: String { kind == .flippedBit ? "\(kind) \(place % 16)" : "\(kind)" }

    /// The changed message.
    var bytes: [UInt8] { make() }

    /// The positions of the fields of an SPC of version 2 (Table 2-3 with its errata).
    private enum Field {
        static let iv = 8..<24
        static let length = 300..<304
        static let payload = 304
    }

    /// Returns every change of these kinds: each byte of the payload by one bit, each bit of the IV, each block.
    static func all(of spc: [UInt8]) -> [SPCChange] {
        let blocks = (spc.count - Field.payload) / 16
        let message = Message(spc: spc)
        var changes: [SPCChange] = []
        func add(_ kind: Kind, _ place: Int, _ make: @escaping @Sendable () -> [UInt8]) {
            changes.append(SPCChange(kind: kind, place: place, make: make))
        }
        /// Returns a change of the order of blocks.
        func move(_ place: Int, _ change: @escaping @Sendable (inout [ArraySlice<UInt8>]) -> Void) {
            add(.movedBlocks, place) {
                var payload = message.blocks
                change(&payload)
                return message.rebuilt(payload)
            }
        }
        for place in Field.payload..<spc.count {
            add(.flippedBit, place - Field.payload) { message.flipping(0x80 >> UInt8(place % 8), at: place) }
        }
        for place in Field.iv {
            for bit in 0..<8 {
                add(.flippedIV, 8 * (place - Field.iv.lowerBound) + bit) {
                    message.flipping(1 << UInt8(bit), at: place)
                }
            }
        }
        for index in 0..<blocks - 1 {
            add(.cutBeginning, index) {
                message.rebuilt(iv: message.blocks[index], Array(message.blocks[(index + 1)...]))
            }
            add(.cutEnd, index) { message.rebuilt(Array(message.blocks[...index])) }
            move(index) { $0.swapAt(index, index + 1) }
            move(index) { $0[index + 1] = $0[index] }
            move(index) { $0.insert($0[index], at: index) }
            move(index) { $0.remove(at: index) }
            move(index) { $0.append($0.remove(at: index)) }
            // A header with the start of its value, replacing another.
            for other in stride(from: index % 5, to: blocks - 2, by: 5) where abs(other - index) > 2 {
                move(index) {
                    $0[other] = $0[index]
                    $0[other + 1] = $0[index + 1]
                }
            }
        }
        for length in stride(from: 0, to: spc.count, by: 7) { add(.truncated, length) { Array(spc[..<length]) } }
        return changes
    }

    /// An SPC as blocks.
    private struct Message: Sendable {
        let spc: [UInt8]

        var blocks: [ArraySlice<UInt8>] {
            stride(from: Field.payload, to: spc.count, by: 16).map { spc[$0..<$0 + 16] }
        }

        func flipping(_ bits: UInt8, at place: Int) -> [UInt8] {
            var bytes = spc
            bytes[place] ^= bits
            return bytes
        }

        /// Returns the same SPC with another IV and payload, and its length.
        func rebuilt(iv: ArraySlice<UInt8>? = nil, _ payload: [ArraySlice<UInt8>]) -> [UInt8] {
            var bytes = Array(spc[..<Field.payload])
            if let iv { bytes.replaceSubrange(Field.iv, with: iv) }
            let length = UInt32(16 * payload.count)
            bytes.replaceSubrange(
                Field.length,
                with: (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            )
            return bytes + payload.joined()
        }
    }
}
