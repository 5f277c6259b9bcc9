import FPSCrypto

/// Decrypts CBC chains. Unlike encryption no block waits for another one's result: blocks of all chains, however short
/// these are and wherever the blocks lie, are gathered, pass the cipher in one call, and go back to their places, each
/// combined with the ciphertext before it.
///
/// Raw pointers, and safe, for the reasons that stand above ChainLanes.
struct GatheredDecryption: ~Copyable {
    /// Blocks of one run that were gathered, at one distance from each other.
    private struct Piece {
        /// The first block's place, and how many bytes later the next one's is.
        var place: UnsafeMutableRawPointer
        var stride: Int
        /// Which of the gathered blocks are its own.
        var first: Int
        var count: Int
        /// The ciphertext block before the first one, or the IV.
        var link: Block
    }

    /// How many blocks pass the cipher together: 4 KiB, which stay in the nearest cache with what becomes of them, and
    /// beside which a call costs little.
    private static let limit = 256
    /// From this many blocks in one piece on, the cipher's own chaining mode is faster, which copies nothing.
    private static let alone = 128

    private var single: AES128Stream
    private var chaining: AES128Stream
    /// Ciphertext, then room for as much plaintext.
    private let blocks: UnsafeMutablePointer<Block>
    private var filled = 0
    private var pieces: [Piece] = []

    init(key: SecretBytes) throws(CryptoError) {
        let single = try AES128Stream(.ecb, .decrypt, key: key)
        let chaining = try AES128Stream(.cbc, .decrypt, key: key)
        self.single = single
        self.chaining = chaining
        blocks = .allocate(capacity: 2 * Self.limit)
        blocks.initialize(repeating: Block(), count: 2 * Self.limit)
        // Not more pieces than blocks.
        pieces.reserveCapacity(Self.limit)
    }

    deinit {
        let all = UnsafeMutableBufferPointer(start: blocks, count: 2 * Self.limit)
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(all))
        blocks.deallocate()
    }

    /// Processes all runs. Every run must lie within its buffer and the first must start a chain.
    mutating func process(_ runs: [BlockRun], in buffers: [UnsafeMutableRawBufferPointer]) throws(CryptoError) {
        filled = 0
        pieces.removeAll(keepingCapacity: true)
        var link = Block()
        for run in runs {
            if !run.continuesChain { link = unsafeBitCast(run.iv, to: Block.self) }
            guard run.blocks > 0, let start = buffers[run.buffer].baseAddress else { continue }
            if run.skipBlocks == 0 {
                try add(start + run.offset, run.blocks, stride: 16, &link)
            } else if run.cryptBlocks == 1 {
                try add(start + run.offset, run.blocks, stride: (1 + run.skipBlocks) * 16, &link)
            } else {
                var (place, left) = (start + run.offset, run.blocks)
                while left > 0 {
                    try add(place, min(left, run.cryptBlocks), stride: 16, &link)
                    place += (run.cryptBlocks + run.skipBlocks) * 16
                    left -= min(left, run.cryptBlocks)
                }
            }
        }
        try finish()
    }

    /// Takes blocks of one chain; `link` becomes the last one's ciphertext.
    private mutating func add(
        _ place: UnsafeMutableRawPointer,
        _ count: Int,
        stride: Int,
        _ link: inout Block
    ) throws(CryptoError) {
        if stride == 16, count >= Self.alone {
            try chaining.reset(iv: unsafeBitCast(link, to: SIMD16<UInt8>.self))
            link = place.loadUnaligned(fromByteOffset: (count - 1) * 16, as: Block.self)
            return try chaining.update(place, to: place, count: count * 16)
        }
        var (place, left) = (place, count)
        while left > 0 {
            let taken = min(left, Self.limit - filled)
            let room = blocks + filled
            for number in 0..<taken {
                room[number] = place.loadUnaligned(fromByteOffset: number * stride, as: Block.self)
            }
            pieces.append(Piece(place: place, stride: stride, first: filled, count: taken, link: link))
            link = room[taken - 1]
            filled += taken
            place += taken * stride
            left -= taken
            if filled == Self.limit { try finish() }
        }
    }

    /// Decrypts what was gathered and puts it back.
    private mutating func finish() throws(CryptoError) {
        let (ciphertext, plaintext) = (blocks, blocks + Self.limit)
        try single.update(ciphertext, to: plaintext, count: filled * 16)
        for piece in pieces {
            var (link, place) = (piece.link, piece.place)
            for number in piece.first..<piece.first + piece.count {
                place.storeBytes(of: plaintext[number] ^ link, as: Block.self)
                link = ciphertext[number]
                place += piece.stride
            }
        }
        filled = 0
        pieces.removeAll(keepingCapacity: true)
    }
}
