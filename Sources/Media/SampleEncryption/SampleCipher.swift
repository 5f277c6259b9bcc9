import BulkAES
import ByteCoding
public import FPSCrypto

/// Encrypts or decrypts the samples of a track, many at once, under one key and scheme: where they lie, or on the way
/// from one buffer to another.
///
/// One value serves one call at a time. It keeps the key schedule, which is wiped when it goes, and no reference to the
/// key.
public final class SampleCipher {
    /// What is done to the samples.
    public enum Direction: Hashable, Sendable {
        /// Clear samples become protected ones.
        case encrypt
        /// Protected samples become clear ones.
        case decrypt
    }

    private enum Mode {
        case chains(BulkCBC)
        case counters(BulkCTR)
    }

    /// Which bytes are encrypted, and how.
    public let scheme: ProtectionScheme
    /// What is done to the samples.
    public let direction: Direction
    private let mode: Mode
    private var plan: SamplePlan
    /// For ``appendNALUnit(_:to:)``.
    var scratch: [UInt8] = []

    /// Sets up a key of 16 bytes.
    ///
    /// - Parameter constantIV: the IV of all samples that have none of their own: `default_constant_IV` of `tenc`, or
    ///   that of EXT-X-KEY. 16 bytes, except in counter mode.
    /// - Throws: ``SampleEncryptionError/Code/invalidKey``, ``SampleEncryptionError/Code/invalidIV``.
    public init(
        _ scheme: ProtectionScheme,
        _ direction: Direction,
        key: SecretBytes,
        constantIV: CipherIV? = nil
    ) throws(SampleEncryptionError) {
        try checkKey(key)
        if let constantIV, constantIV.count != 16, !scheme.countsBlocks {
            throw SampleEncryptionError(.invalidIV, reason: "\(constantIV.count) bytes, must be 16")
        }
        self.scheme = scheme
        self.direction = direction
        plan = SamplePlan(scheme, constantIV: constantIV)
        mode = try translating { () throws(CryptoError) in
            scheme.countsBlocks
                ? .counters(try BulkCTR(key: key))
                : .chains(try BulkCBC(direction == .encrypt ? .encrypt : .decrypt, key: key))
        }
    }

    /// Encrypts or decrypts all samples of a batch where they lie. No other bytes change.
    ///
    /// - Throws: ``SampleEncryptionError/Code/outOfBounds``, ``SampleEncryptionError/Code/overlap``,
    ///   ``SampleEncryptionError/Code/invalidIV``, ``SampleEncryptionError/Code/partialBlock`` (cbc1 alone), all with
    ///   the sample's index; the bytes are unchanged then.
    public func process(_ batch: SampleBatch, in bytes: inout MutableRawSpan) throws(SampleEncryptionError) {
        try plan.make(batch, in: bytes.bytes)
        do throws(CryptoError) {
            switch mode {
            case .chains(let cipher): try cipher.process(plan.blocks, in: &bytes)
            case .counters(let cipher): try cipher.process(plan.bytes, in: &bytes)
            }
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Copies all samples of a batch from `input` to `output`, encrypting or decrypting them on the way. No other bytes
    /// of `output` change.
    ///
    /// In counter mode each protected byte is read once and written once, so this is faster than a copy and
    /// ``process(_:in:)`` behind it; otherwise it is those two.
    ///
    /// - Throws: as ``process(_:in:)``, also ``SampleEncryptionError/Code/outOfBounds`` for `input`.
    public func process(
        _ batch: SampleBatch,
        from input: RawSpan,
        to output: inout MutableRawSpan
    ) throws(SampleEncryptionError) {
        try plan.make(batch, from: input, in: output.bytes)
        do throws(CryptoError) {
            switch mode {
            case .chains(let cipher):
                copy(batch, except: [], from: input, to: &output)
                try cipher.process(plan.blocks, in: &output)
            case .counters(let cipher):
                copy(batch, except: plan.bytes, from: input, to: &output)
                try cipher.process(plan.bytes, from: input, to: &output)
            }
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Copies the bytes of samples that lie in none of the runs, which are in the order of the output.
    private func copy(
        _ batch: SampleBatch,
        except runs: [CounterRun],
        from input: RawSpan,
        to output: inout MutableRawSpan
    ) {
        input.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                var next = 0
                for sample in batch.entries {
                    let end = sample.offset + sample.size
                    var position = sample.offset
                    while position < end {
                        let run = next < runs.count && runs[next].offset < end ? runs[next] : nil
                        let stop = run?.offset ?? end
                        let source = position - sample.offset + sample.source
                        UnsafeMutableRawBufferPointer(rebasing: output[position..<stop]).copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: input[source..<source + stop - position])
                        )
                        position = stop + (run?.count ?? 0)
                        if run != nil { next += 1 }
                    }
                }
            }
        }
    }

    /// Encrypts or decrypts all samples of a batch within an array. Throws as the function above.
    public func process(_ batch: SampleBatch, in bytes: inout [UInt8]) throws(SampleEncryptionError) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try process(batch, in: &raw)
    }
}
