package import FPSCrypto

/// AES-128-CBC without padding for many chains at once, in place, with one key.
///
/// The blocks of one chain cannot be encrypted in parallel, because every block depends on the previous one. Chains are
/// independent of each other, so up to 16 of them are encrypted concurrently, with one block of each in one call of the
/// cipher. This is three to four times as fast as encrypting the chains one after the other. In decryption the blocks
/// do not depend on each other, so blocks of all chains are decrypted in one call. An instance must not be used by
/// several threads at the same time.
package final class BulkCBC {
    // Exactly one of the two is set.
    private var encryption: ChainLanes?
    private var decryption: GatheredDecryption?
    private let operation: String

    /// Creates a cipher with a key of 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key has another size.
    package init(_ direction: AES128Stream.Direction, key: SecretBytes) throws(CryptoError) {
        operation = "AES-128-CBC " + (direction == .encrypt ? "encryption" : "decryption") + " of many chains"
        switch direction {
        case .encrypt: encryption = try ChainLanes(key: key)
        case .decrypt: decryption = try GatheredDecryption(key: key)
        }
    }

    /// Encrypts or decrypts the blocks of all runs in `bytes`, which is buffer 0. Runs must not overlap; otherwise the
    /// result is undefined.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if a run is not within `bytes`, which is unchanged then;
    ///   ``CryptoError/Code/invalidArgument`` if the first run continues a chain.
    package func process(_ runs: [BlockRun], in bytes: inout MutableRawSpan) throws(CryptoError) {
        try check(runs, sizes: [bytes.byteCount])
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            try pass(runs, in: [bytes])
        }
    }

    /// Encrypts or decrypts the blocks of all runs in several buffers. During the call the caller must keep the buffers
    /// valid and must not use them. Runs must not overlap.
    ///
    /// - Throws: the errors of ``process(_:in:)``.
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
            throw CryptoError(.invalidArgument, operation: operation, reason: "the first run must start a chain")
        }
        for run in runs {
            try run.check(sizes: { sizes.indices.contains($0) ? sizes[$0] : nil }, operation: operation)
        }
    }
}
