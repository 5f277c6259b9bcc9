import FPSCrypto

/// Consecutive blocks of one CBC chain in a buffer, which are all encrypted, or encrypted in a repeating pattern.
///
/// A chain consists of one run that starts it and of any number of subsequent runs in the list that continue it.
package struct BlockRun: Sendable {
    /// The index of the buffer that contains the run.
    package var buffer: Int
    /// The offset of the first block in the buffer, in bytes.
    package var offset: Int
    /// The number of 16-byte blocks to encrypt or decrypt, without the skipped blocks.
    package var blocks: Int
    /// The number of blocks to encrypt or decrypt before blocks are skipped. At least 1.
    package var cryptBlocks: Int
    /// The number of blocks to skip after that; 0 means that no block is skipped.
    package var skipBlocks: Int
    /// True if this run continues the chain of the previous run; ``iv`` is ignored then.
    package var continuesChain: Bool
    /// The initialization vector of the chain.
    package var iv: SIMD16<UInt8>

    /// Creates a run of `blocks` blocks; without a pattern, no block is skipped.
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

    /// Checks that every block of the run is within its buffer.
    func check(sizes: (Int) -> Int?, operation: String) throws(CryptoError) {
        guard let size = sizes(buffer), offset >= 0, offset <= size, blocks >= 0,
            (1...255).contains(cryptBlocks), (0...255).contains(skipBlocks),
            // `blocks` is checked first, so that the second product cannot overflow.
            blocks <= size / AES128.blockSize, extent <= size - offset
        else {
            let reason = "\(blocks) blocks at byte \(offset) of buffer \(buffer) do not fit"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
    }

    /// The size in bytes from the first block to the end of the last block, including skipped blocks between them.
    private var extent: Int {
        blocks == 0 ? 0 : (blocks + (blocks - 1) / cryptBlocks * skipBlocks) * AES128.blockSize
    }
}
