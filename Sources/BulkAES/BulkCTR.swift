package import FPSCrypto

/// Bytes of one CTR stream that follow each other in a buffer.
///
/// A stream is one run that starts it and any number of runs after it in the list that continue it, at any byte.
package struct CounterRun: Sendable {
    /// Which byte of the buffer is the first.
    package var offset: Int
    /// The size in bytes.
    package var count: Int
    /// True when the stream of the run before goes on here; ``counter`` means nothing then.
    package var continuesStream: Bool
    /// The first counter block. Its bytes 8 to 15 count as a 64-bit big-endian number that wraps (ISO/IEC 23001-7,
    /// 9.3).
    package var counter: SIMD16<UInt8>

    /// Makes a run.
    package init(
        offset: Int,
        count: Int,
        continuesStream: Bool = false,
        counter: SIMD16<UInt8> = SIMD16()
    ) {
        self.offset = offset
        self.count = count
        self.continuesStream = continuesStream
        self.counter = counter
    }
}

/// AES-128 in counter mode over many streams, in place, under one key. The counter is that of Common Encryption: 64
/// bits count, the other 64 never change. Encryption and decryption are the same. One value serves one call at a time.
package final class BulkCTR {
    private var kernel: CounterKernel
    private let operation = "AES-128-CTR of many streams"

    /// Sets up the key of 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` for another size of the key.
    package init(key: SecretBytes) throws(CryptoError) {
        kernel = try CounterKernel(key: key)
    }

    /// Encrypts or decrypts the bytes of all runs. Runs must not overlap.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` when a run does not lie within `bytes`, which is unchanged then;
    ///   ``CryptoError/Code/invalidArgument`` when the first run continues a stream.
    package func process(_ runs: [CounterRun], in bytes: inout MutableRawSpan) throws(CryptoError) {
        if runs.first?.continuesStream == true {
            throw CryptoError(.invalidArgument, operation: operation, reason: "the first run continues no stream")
        }
        let size = bytes.byteCount
        for run in runs {
            guard run.offset >= 0, run.offset <= size, run.count >= 0, run.count <= size - run.offset else {
                let reason = "\(run.count) bytes at byte \(run.offset) of \(size)"
                throw CryptoError(.invalidLength, operation: operation, reason: reason)
            }
        }
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            guard let start = bytes.baseAddress else { return }
            try kernel.process(runs, from: start)
        }
    }
}
