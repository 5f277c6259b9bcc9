package import FPSCrypto

/// Bytes of one CTR stream that follow each other.
///
/// A stream is one run that starts it and any number of runs after it in the list that continue it, at any byte.
package struct CounterRun: Sendable {
    /// Which byte of the buffer, or of the output, is the first.
    package var offset: Int
    /// Which byte of the input is the first, where that is another buffer.
    package var source: Int
    /// The size in bytes.
    package var count: Int
    /// True when the stream of the run before goes on here; ``counter`` means nothing then.
    package var continuesStream: Bool
    /// The first counter block. Its bytes 8 to 15 count as a 64-bit big-endian number that wraps (ISO/IEC 23001-7,
    /// 9.3).
    package var counter: SIMD16<UInt8>

    /// Makes a run.
    ///
    /// - Parameter source: Which byte of the input is the first; nil: the one at `offset`.
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

/// AES-128 in counter mode over many streams under one key, in place or on the way from one buffer to another. The
/// counter is that of Common Encryption: 64 bits count, the other 64 never change. Encryption and decryption are the
/// same. One value serves one call at a time.
package final class BulkCTR {
    private var kernel: CounterKernel
    private let operation = "AES-128-CTR of many streams"

    /// Sets up the key of 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` for another size of the key.
    package init(key: SecretBytes) throws(CryptoError) {
        kernel = try CounterKernel(key: key)
    }

    /// Encrypts or decrypts the bytes of all runs where they lie; `source` of the runs means nothing. Runs must not
    /// overlap.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` when a run does not lie within `bytes`, which is unchanged then;
    ///   ``CryptoError/Code/invalidArgument`` when the first run continues a stream.
    package func process(_ runs: [CounterRun], in bytes: inout MutableRawSpan) throws(CryptoError) {
        try check(runs)
        for run in runs { try check(run, at: run.offset, size: bytes.byteCount) }
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            guard let start = bytes.baseAddress else { return }
            try kernel.process(runs, from: nil, to: start)
        }
    }

    /// Encrypts or decrypts the bytes of all runs from `input` into `output`: what is read once from memory and
    /// written once into the cache need not be copied there first. No other bytes of `output` change. Runs must not
    /// overlap in `output`.
    ///
    /// - Throws: as ``process(_:in:)``; also when a run does not lie within `input`.
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
                // Where one of them is empty, so are all runs.
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                try kernel.process(runs, from: from, to: to)
            }
        }
    }

    private func check(_ runs: [CounterRun]) throws(CryptoError) {
        if runs.first?.continuesStream == true {
            throw CryptoError(.invalidArgument, operation: operation, reason: "the first run continues no stream")
        }
    }

    private func check(_ run: CounterRun, at offset: Int, size: Int) throws(CryptoError) {
        guard offset >= 0, offset <= size, run.count >= 0, run.count <= size - offset else {
            let reason = "\(run.count) bytes at byte \(offset) of \(size)"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
    }
}
