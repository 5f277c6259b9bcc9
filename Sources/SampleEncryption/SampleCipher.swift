import BulkAES
public import FPSCrypto

/// Encrypts or decrypts the samples of a track in place, many at once, under one key and scheme.
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
        constantIV: InitializationVector? = nil
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

    /// Encrypts or decrypts all samples of a batch within an array. Throws as the function above.
    public func process(_ batch: SampleBatch, in bytes: inout [UInt8]) throws(SampleEncryptionError) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try process(batch, in: &raw)
    }
}
