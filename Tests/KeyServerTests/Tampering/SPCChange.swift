import VirtualDevice

/// A change that whoever carries an SPC of version 2 can make to it, without knowing a key.
struct SPCChange: Sendable {
    /// What is changed.
    enum Kind: String, CaseIterable {
        /// One bit of the encrypted payload: its block becomes noise, and the same bit of the next one flips.
        case flippedBit = "flipped bit"
        /// One bit of the IV, which is in the clear: the same bit of the first block flips, without a trace.
        case flippedIV = "flipped IV"
        /// The beginning cut off, with the last block of it as the IV: what follows decrypts without a trace.
        case cutBeginning = "cut beginning"
        /// The end cut off, with the length that remains.
        case cutEnd = "cut end"
        /// Blocks moved, copied or deleted.
        case movedBlocks = "moved blocks"
        /// Bytes cut off without a change to the length.
        case truncated = "truncated"
    }

    let kind: Kind
    /// Where, in bytes or blocks.
    let place: Int
    /// Makes the changed message.
    private let make: @Sendable () -> [UInt8]

    /// How the place was chosen: changes of one strategy are as likely to be useful, for all that an attacker knows.
    var strategy: String { kind == .flippedBit ? "\(kind) \(place % 16)" : "\(kind)" }

    /// The changed message.
    var bytes: [UInt8] { make() }

    /// Where the fields of an SPC of version 2 are (Table 2-3 with its errata).
    private enum Field {
        static let iv = 8..<24
        static let length = 300..<304
        static let payload = 304
    }

    /// Every change of these kinds: each byte of the payload by one bit, each bit of the IV, each block.
    static func all(of spc: [UInt8]) -> [SPCChange] {
        let blocks = (spc.count - Field.payload) / 16
        let message = Message(spc: spc)
        var changes: [SPCChange] = []
        func add(_ kind: Kind, _ place: Int, _ make: @escaping @Sendable () -> [UInt8]) {
            changes.append(SPCChange(kind: kind, place: place, make: make))
        }
        /// A change to the order of the blocks.
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
            // A header with the beginning of its value, in the place of another.
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

    /// An SPC by its blocks.
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

        /// The same SPC with another IV and payload, and the length of that.
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
