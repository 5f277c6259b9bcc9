import FPSCrypto

/// Blocks of one CBC chain that follow each other in a buffer, all of them or a repeating pattern of them.
///
/// A chain is one run that starts it and any number of runs after it in the list that continue it.
package struct BlockRun: Sendable {
    /// Which of the buffers it lies in.
    package var buffer: Int
    /// The first block's place in the buffer, in bytes.
    package var offset: Int
    /// How many blocks of 16 bytes pass the cipher; those that are skipped do not count.
    package var blocks: Int
    /// How many blocks pass the cipher before some are skipped. At least 1.
    package var cryptBlocks: Int
    /// How many blocks are skipped then. 0: all blocks pass the cipher.
    package var skipBlocks: Int
    /// True when the chain of the run before goes on here; ``iv`` means nothing then.
    package var continuesChain: Bool
    /// What the chain starts with.
    package var iv: SIMD16<UInt8>

    /// Makes a run of `blocks` blocks; without a pattern, all of them pass the cipher.
    package init(
        buffer: Int = 0,
        offset: Int,
        blocks: Int,
        cryptBlocks: Int = 1,
        skipBlocks: Int = 0,
        continuesChain: Bool = false,
        iv: SIMD16<UInt8> = SIMD16()
    ) {
        self.buffer = buffer
        self.offset = offset
        self.blocks = blocks
        self.cryptBlocks = cryptBlocks
        self.skipBlocks = skipBlocks
        self.continuesChain = continuesChain
        self.iv = iv
    }

    /// Holds that every block of the run lies within its buffer.
    func check(sizes: (Int) -> Int?, operation: String) throws(CryptoError) {
        guard let size = sizes(buffer), offset >= 0, offset <= size, blocks >= 0,
            (1...255).contains(cryptBlocks), (0...255).contains(skipBlocks),
            // `blocks` is bounded first, so that the second product cannot overflow.
            blocks <= size / AES128.blockSize, extent <= size - offset
        else {
            let reason = "\(blocks) blocks at byte \(offset) of buffer \(buffer) do not fit"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
    }

    /// The size in bytes from the first block to the end of the last, skipped blocks between them included.
    private var extent: Int {
        blocks == 0 ? 0 : (blocks + (blocks - 1) / cryptBlocks * skipBlocks) * AES128.blockSize
    }
}
