package import FPSCrypto

/// AES-128-CBC without padding over many chains at once, in place, under one key.
///
/// Encryption cannot be sped up within a chain, since every block waits for the one before. Chains do not wait for each
/// other, so up to 16 of them advance side by side, a block of each in one call of the cipher: three to four times as
/// fast as one after the other. Decryption waits for nothing: blocks of all chains pass the cipher together. One value
/// serves one call at a time.
package final class BulkCBC {
    // One of the two.
    private var encryption: ChainLanes?
    private var decryption: GatheredDecryption?
    private let operation: String

    /// Sets up the key of 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` for another size of the key.
    package init(_ direction: AES128Stream.Direction, key: SecretBytes) throws(CryptoError) {
        operation = "AES-128-CBC " + (direction == .encrypt ? "encryption" : "decryption") + " of many chains"
        switch direction {
        case .encrypt: encryption = try ChainLanes(key: key)
        case .decrypt: decryption = try GatheredDecryption(key: key)
        }
    }

    /// Encrypts or decrypts the blocks of all runs in `bytes`, which is buffer 0. Runs must not overlap, or what comes
    /// out is of no use.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` when a run does not lie within `bytes`, which is unchanged then;
    ///   ``CryptoError/Code/invalidArgument`` when the first run continues a chain.
    package func process(_ runs: [BlockRun], in bytes: inout MutableRawSpan) throws(CryptoError) {
        try check(runs, sizes: [bytes.byteCount])
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            try pass(runs, in: [bytes])
        }
    }

    /// Encrypts or decrypts the blocks of all runs in several buffers, of which each lies in memory that the caller
    /// keeps valid, and that nobody else uses, during the call. Runs must not overlap.
    ///
    /// - Throws: as ``process(_:in:)``.
    package func process(
        _ runs: [BlockRun],
        unsafeBuffers buffers: [UnsafeMutableRawBufferPointer]
    ) throws(CryptoError) {
        try check(runs, sizes: buffers.map(\.count))
        try pass(runs, in: buffers)
    }

    private func pass(_ runs: [BlockRun], in buffers: [UnsafeMutableRawBufferPointer]) throws(CryptoError) {
        try encryption?.process(runs, in: buffers)
        try decryption?.process(runs, in: buffers)
    }

    private func check(_ runs: [BlockRun], sizes: [Int]) throws(CryptoError) {
        if runs.first?.continuesChain == true {
            throw CryptoError(.invalidArgument, operation: operation, reason: "the first run continues no chain")
        }
        for run in runs {
            try run.check(sizes: { sizes.indices.contains($0) ? sizes[$0] : nil }, operation: operation)
        }
    }
}
