/// An initialization vector of 8 or 16 bytes, as `tenc`, `senc` and EXT-X-KEY carry it (ISO/IEC 23001-7, 9.1;
/// RFC 8216bis, 4.4.4.4).
///
/// With FairPlay the IV comes with the key and stays as secret, so descriptions show the size alone.
public struct CipherIV: Hashable, Sendable {
    /// The bytes; zeros after the eighth if there are only eight.
    let block: SIMD16<UInt8>
    /// The size in bytes: 8 or 16.
    public let count: Int

    /// Makes an IV of 8 or 16 bytes.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidIV`` for another size.
    public init(_ bytes: some Collection<UInt8>) throws(SampleEncryptionError) {
        count = bytes.count
        guard count == 8 || count == 16 else {
            throw SampleEncryptionError(.invalidIV, reason: "\(count) bytes, must be 8 or 16")
        }
        var block = SIMD16<UInt8>()
        for (index, byte) in bytes.enumerated() { block[index] = byte }
        self.block = block
    }

    /// The IV of an AES-128 segment whose EXT-X-KEY has none: the Media Sequence Number as a 128-bit big-endian number
    /// (RFC 8216bis, 5.2).
    public init(mediaSequenceNumber number: UInt64) {
        self.init(upper: 0, lower: number, count: 16)
    }

    init(block: SIMD16<UInt8>) {
        self.block = block
        count = 16
    }

    fileprivate init(upper: UInt64, lower: UInt64, count: Int) {
        block = unsafeBitCast(SIMD2(upper.bigEndian, lower.bigEndian), to: SIMD16<UInt8>.self)
        self.count = count
    }

    /// The bytes, 8 or 16.
    public var bytes: [UInt8] { (0..<count).map { block[$0] } }

    /// The bytes as two big-endian numbers; the second is 0 where there are eight.
    package var words: (upper: UInt64, lower: UInt64) {
        let halves = unsafeBitCast(block, to: SIMD2<UInt64>.self)
        return (UInt64(bigEndian: halves[0]), UInt64(bigEndian: halves[1]))
    }

    /// The IV of the next sample in counter mode, made so that no counter block occurs twice under a key
    /// (ISO/IEC 23001-7, 9.3): 8 bytes count samples, so the number grows by 1; 16 bytes count blocks, so the number in
    /// bytes 8 to 15 grows by the blocks that the sample used, a started one included. Both wrap.
    ///
    /// - Parameter protectedBytes: the protected bytes of the sample that this IV was for; negative counts as 0.
    public func next(afterProtecting protectedBytes: Int) -> CipherIV {
        let (upper, lower) = words
        guard count == 16 else { return CipherIV(upper: upper &+ 1, lower: 0, count: 8) }
        let bytes = UInt64(max(protectedBytes, 0))
        let blocks = bytes / 16 + (bytes % 16 == 0 ? 0 : 1)
        return CipherIV(upper: upper, lower: lower &+ blocks, count: 16)
    }
}

extension CipherIV {
    /// The IV of the first sample of a track in counter mode, where several tracks have one key: those of different
    /// numbers never meet, since no counter block may occur twice under a key (ISO/IEC 23001-7, 9.3).
    ///
    /// The number is added to the upper 16 bits, so that 2^48 samples have room before the next track's; 16 bytes have
    /// their blocks counted in the other half.
    public func start(ofTrack number: UInt16) -> CipherIV {
        let (upper, lower) = words
        return CipherIV(upper: upper &+ UInt64(number) << 48, lower: lower, count: count)
    }
}

extension CipherIV: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the size, nothing else.
    public var description: String { "CipherIV(\(count) bytes)" }

    /// The type and the size, nothing else.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no content either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
