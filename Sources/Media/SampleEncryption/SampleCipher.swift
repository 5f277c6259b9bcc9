import BulkAES
import ByteCoding
public import FPSCrypto

/// A cipher that encrypts or decrypts many samples of a track at once, under one key and scheme: in place, or from one
/// buffer to another.
///
/// Not thread-safe: make one call at a time. The object stores the key schedule, which is wiped on deinitialization,
/// but no reference to the key.
public final class SampleCipher {
    /// The direction of the conversion.
    public enum Direction: Hashable, Sendable {
        /// Converts clear samples to protected samples.
        case encrypt
        /// Converts protected samples to clear samples.
        case decrypt
    }

    private enum Mode {
        case cbc(BulkCBC)
        case ctr(BulkCTR)
    }

    /// The encryption scheme.
    public let scheme: ProtectionScheme
    /// The direction of the conversion.
    public let direction: Direction
    private let mode: Mode
    private var plan: SamplePlan
    /// The number of bytes that were encrypted or decrypted so far, without clear bytes of the samples.
    package var encryptedByteCount: Int { plan.encryptedByteCount }
    /// A reusable buffer for ``appendNALUnit(_:to:)``.
    var scratch: [UInt8] = []

    /// Creates a cipher with a key of 16 bytes.
    ///
    /// - Parameter constantIV: the IV of all samples without an IV in the batch: `default_constant_IV` of `tenc`, or
    ///   the IV of EXT-X-KEY. It must have 16 bytes, except in counter mode, where 8 bytes are allowed too.
    /// - Throws: ``SampleEncryptionError/Code/invalidKey``, ``SampleEncryptionError/Code/invalidIV``.
    public init(
        _ scheme: ProtectionScheme,
        _ direction: Direction,
        key: SecretBytes,
        constantIV: CipherIV? = nil
    ) throws(SampleEncryptionError) {
        try requireKeySize(key)
        if let constantIV, constantIV.count != 16, !scheme.usesCounterMode {
            throw SampleEncryptionError(.invalidIV, reason: "the constant IV has \(constantIV.count) bytes, must be 16")
        }
        self.scheme = scheme
        self.direction = direction
        plan = SamplePlan(scheme, constantIV: constantIV)
        mode = try convertingCryptoErrors { () throws(CryptoError) in
            scheme.usesCounterMode
                ? .ctr(try BulkCTR(key: key))
                : .cbc(try BulkCBC(direction == .encrypt ? .encrypt : .decrypt, key: key))
        }
    }

    /// Encrypts or decrypts all samples of a batch in place. Other bytes do not change.
    ///
    /// - Throws: ``SampleEncryptionError/Code/outOfBounds``, ``SampleEncryptionError/Code/overlap``,
    ///   ``SampleEncryptionError/Code/invalidIV``, ``SampleEncryptionError/Code/partialBlock`` (only with cbc1), each
    ///   with the index of the sample. In these cases no byte has changed.
    public func process(_ batch: SampleBatch, in bytes: inout MutableRawSpan) throws(SampleEncryptionError) {
        try plan.make(batch, in: bytes.bytes)
        do throws(CryptoError) {
            switch mode {
            case .cbc(let cipher): try cipher.process(plan.blocks, in: &bytes)
            case .ctr(let cipher): try cipher.process(plan.bytes, in: &bytes)
            }
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Copies all samples of a batch from `input` to `output` and encrypts or decrypts them in the same pass. Other
    /// bytes of `output` do not change.
    ///
    /// In counter mode each protected byte is read once and written once, which is faster than a copy followed by
    /// ``process(_:in:)``. In the other modes this function does exactly these two steps.
    ///
    /// - Throws: the errors of ``process(_:in:)``, and ``SampleEncryptionError/Code/outOfBounds`` also for `input`.
    public func process(
        _ batch: SampleBatch,
        from input: RawSpan,
        to output: inout MutableRawSpan
    ) throws(SampleEncryptionError) {
        try plan.make(batch, from: input, in: output.bytes)
        do throws(CryptoError) {
            switch mode {
            case .cbc(let cipher):
                copy(batch, except: [], from: input, to: &output)
                try cipher.process(plan.blocks, in: &output)
            case .ctr(let cipher):
                copy(batch, except: plan.bytes, from: input, to: &output)
                try cipher.process(plan.bytes, from: input, to: &output)
            }
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Copies the bytes of the samples that are not in any of `runs`. The runs are in the order of the output.
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

    /// Encrypts or decrypts all samples of a batch in an array. Throws the same errors as the overload for
    /// `MutableRawSpan`.
    public func process(_ batch: SampleBatch, in bytes: inout [UInt8]) throws(SampleEncryptionError) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try process(batch, in: &raw)
    }
}
