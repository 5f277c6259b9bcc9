package import FPSCrypto

/// Consecutive bytes of one CTR stream.
///
/// A stream consists of one run that starts it and of any number of subsequent runs in the list that continue it, at
/// any byte.
package struct CounterRun: Sendable {
    /// The offset of the first byte in the buffer, or in the output.
    package var offset: Int
    /// The offset of the first byte in the input, if the input is another buffer.
    package var source: Int
    /// The size in bytes.
    package var count: Int
    /// True if this run continues the stream of the previous run; ``counter`` is ignored then.
    package var continuesStream: Bool
    /// The first counter block. Its bytes 8 to 15 are a 64-bit big-endian counter that wraps around (ISO/IEC 23001-7,
    /// 9.3).
    package var counter: SIMD16<UInt8>

    /// Creates a run.
    ///
    /// - Parameter source: the offset of the first byte in the input; nil means `offset`.
    package init(
        offset: Int,
        source: Int? = nil,
        count: Int,
        continuesStream: Bool = false,
        counter: SIMD16<UInt8> = SIMD16()
    ) {
        self.offset = offset
        self.source = source ?? offset
        self.count = count
        self.continuesStream = continuesStream
        self.counter = counter
    }
}

/// AES-128 in counter mode for many streams with one key, in place or from one buffer to another. The counter is that
/// of Common Encryption: 64 bits are the counter, the other 64 bits never change. Encryption and decryption are the
/// same operation. An instance must not be used by several threads at the same time.
package final class BulkCTR {
    private var kernel: CounterKernel
    private let operation = "AES-128-CTR of many streams"

    /// Creates a cipher with a key of 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key has another size.
    package init(key: SecretBytes) throws(CryptoError) {
        kernel = try CounterKernel(key: key)
    }

    /// Encrypts or decrypts the bytes of all runs in place; the `source` of the runs is ignored. Runs must not overlap.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if a run is not within `bytes`, which is unchanged then;
    ///   ``CryptoError/Code/invalidArgument`` if the first run continues a stream.
    package func process(_ runs: [CounterRun], in bytes: inout MutableRawSpan) throws(CryptoError) {
        try check(runs)
        for run in runs { try check(run, at: run.offset, size: bytes.byteCount) }
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            guard let start = bytes.baseAddress else { return }
            try kernel.process(runs, from: nil, to: start)
        }
    }

    /// Encrypts or decrypts the bytes of all runs from `input` to `output`, so that the bytes do not have to be copied
    /// to `output` first. No other bytes of `output` change. Runs must not overlap in `output`.
    ///
    /// - Throws: the errors of ``process(_:in:)``, also if a run is not within `input`.
    package func process(
        _ runs: [CounterRun],
        from input: RawSpan,
        to output: inout MutableRawSpan
    ) throws(CryptoError) {
        try check(runs)
        for run in runs {
            try check(run, at: run.source, size: input.byteCount)
            try check(run, at: run.offset, size: output.byteCount)
        }
        try input.withUnsafeBytes { input throws(CryptoError) in
            try output.withUnsafeMutableBytes { output throws(CryptoError) in
                // If one of the buffers is empty, all runs are empty.
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                try kernel.process(runs, from: from, to: to)
            }
        }
    }

    private func check(_ runs: [CounterRun]) throws(CryptoError) {
        if runs.first?.continuesStream == true {
            throw CryptoError(.invalidArgument, operation: operation, reason: "the first run must start a stream")
        }
    }

    private func check(_ run: CounterRun, at offset: Int, size: Int) throws(CryptoError) {
        guard offset >= 0, offset <= size, run.count >= 0, run.count <= size - offset else {
            let reason = "\(run.count) bytes at byte \(offset) do not fit in \(size) bytes"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
    }
}
