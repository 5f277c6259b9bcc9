import FPSCrypto

/// A cipher that decrypts CBC chains. In decryption no block depends on the result of another block. Blocks of all
/// chains, even of short chains at scattered positions, are gathered, decrypted in one call, XORed with the previous
/// ciphertext block, and written back.
///
/// The code uses raw pointers, and is safe, for the reasons described at ChainLanes.
struct GatheredDecryption: ~Copyable {
    /// Gathered blocks of one run, which have a constant distance.
    private struct GatheredBlocks {
        /// The address of the first block, and the distance in bytes to the next block.
        var position: UnsafeMutableRawPointer
        var stride: Int
        /// The range of the blocks in the gathered memory: the index of the first block and the count.
        var first: Int
        var count: Int
        /// The ciphertext block before the first block, or the IV.
        var link: Block
    }

    /// The maximum number of blocks in one call of the cipher: 4 KiB, which fit in the L1 cache together with the
    /// result, and are enough to make the cost of a call negligible.
    private static let limit = 256
    /// The minimum number of contiguous blocks for which the cipher's CBC mode is faster, because it copies nothing.
    private static let chainingThreshold = 128

    private var single: AES128Stream
    private var chaining: AES128Stream
    /// The ciphertext, followed by space for the plaintext.
    private let blocks: UnsafeMutablePointer<Block>
    private var filled = 0
    private var gathered: [GatheredBlocks] = []

    init(key: SecretBytes) throws(CryptoError) {
        let single = try AES128Stream(.ecb, .decrypt, key: key)
        let chaining = try AES128Stream(.cbc, .decrypt, key: key)
        self.single = single
        self.chaining = chaining
        blocks = .allocate(capacity: 2 * Self.limit)
        blocks.initialize(repeating: Block(), count: 2 * Self.limit)
        // There are never more elements than blocks.
        gathered.reserveCapacity(Self.limit)
    }

    deinit {
        let all = UnsafeMutableBufferPointer(start: blocks, count: 2 * Self.limit)
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(all))
        blocks.deallocate()
    }

    /// Decrypts all runs. Every run must be within its buffer, and the first run must start a chain.
    mutating func process(_ runs: [BlockRun], in buffers: [UnsafeMutableRawBufferPointer]) throws(CryptoError) {
        filled = 0
        gathered.removeAll(keepingCapacity: true)
        var link = Block()
        for run in runs {
            if !run.continuesChain { link = unsafeBitCast(run.iv, to: Block.self) }
            guard run.blocks > 0, let start = buffers[run.buffer].baseAddress else { continue }
            if run.skipBlocks == 0 {
                try add(start + run.offset, run.blocks, stride: 16, &link)
            } else if run.cryptBlocks == 1 {
                try add(start + run.offset, run.blocks, stride: (1 + run.skipBlocks) * 16, &link)
            } else {
                var (position, remaining) = (start + run.offset, run.blocks)
                while remaining > 0 {
                    try add(position, min(remaining, run.cryptBlocks), stride: 16, &link)
                    position += (run.cryptBlocks + run.skipBlocks) * 16
                    remaining -= min(remaining, run.cryptBlocks)
                }
            }
        }
        try finish()
    }

    /// Adds blocks of one chain; `link` becomes the ciphertext of the last block.
    private mutating func add(
        _ position: UnsafeMutableRawPointer,
        _ count: Int,
        stride: Int,
        _ link: inout Block
    ) throws(CryptoError) {
        if stride == 16, count >= Self.chainingThreshold {
            try chaining.reset(iv: unsafeBitCast(link, to: SIMD16<UInt8>.self))
            link = position.loadUnaligned(fromByteOffset: (count - 1) * 16, as: Block.self)
            return try chaining.update(position, to: position, count: count * 16)
        }
        var (position, remaining) = (position, count)
        while remaining > 0 {
            let batchSize = min(remaining, Self.limit - filled)
            let destination = blocks + filled
            for number in 0..<batchSize {
                destination[number] = position.loadUnaligned(fromByteOffset: number * stride, as: Block.self)
            }
            gathered.append(
                GatheredBlocks(position: position, stride: stride, first: filled, count: batchSize, link: link)
            )
            link = destination[batchSize - 1]
            filled += batchSize
            position += batchSize * stride
            remaining -= batchSize
            if filled == Self.limit { try finish() }
        }
    }

    /// Decrypts the gathered blocks and writes the plaintext back.
    private mutating func finish() throws(CryptoError) {
        let (ciphertext, plaintext) = (blocks, blocks + Self.limit)
        try single.update(ciphertext, to: plaintext, count: filled * 16)
        for group in gathered {
            var (link, position) = (group.link, group.position)
            for number in group.first..<group.first + group.count {
                position.storeBytes(of: plaintext[number] ^ link, as: Block.self)
                link = ciphertext[number]
                position += group.stride
            }
        }
        filled = 0
        gathered.removeAll(keepingCapacity: true)
    }
}
