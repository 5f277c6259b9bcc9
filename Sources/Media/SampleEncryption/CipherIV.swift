/// An initialization vector (IV) of 8 or 16 bytes, as in `tenc`, `senc` and EXT-X-KEY (ISO/IEC 23001-7, 9.1; RFC
/// 8216bis, 4.4.4.4).
///
/// In FairPlay the IV is delivered with the key and is secret, so descriptions contain only its size.
public struct CipherIV: Hashable, Sendable {
    /// The IV's bytes. If there are only 8, the other 8 are zeros.
    let block: SIMD16<UInt8>
    /// The size in bytes: 8 or 16.
    public let count: Int

    /// Creates an IV of 8 or 16 bytes.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidIV`` for any other size.
    public init(_ bytes: some Collection<UInt8>) throws(SampleEncryptionError) {
        count = bytes.count
        guard count == 8 || count == 16 else {
            throw SampleEncryptionError(.invalidIV, reason: "the IV has \(count) bytes, must be 8 or 16")
        }
        var block = SIMD16<UInt8>()
        for (index, byte) in bytes.enumerated() { block[index] = byte }
        self.block = block
    }

    /// The default IV of an AES-128 segment whose EXT-X-KEY tag has no IV attribute: the Media Sequence Number as a
    /// 128-bit big-endian number (RFC 8216bis, 5.2).
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

    /// The IV with 16 bytes: an IV of 8 bytes is followed by zeros (ISO/IEC 23001-7, 9.1: the IV is a field of 16 bytes
    /// whose first bytes are those of the shorter IV).
    package var paddedWithZeros: CipherIV { CipherIV(block: block) }

    /// The bytes of the IV: 8 or 16.
    public var bytes: [UInt8] { (0..<count).map { block[$0] } }

    /// The bytes as two big-endian 64-bit numbers. The second is 0 if the IV has 8 bytes.
    package var words: (upper: UInt64, lower: UInt64) {
        let halves = unsafeBitCast(block, to: SIMD2<UInt64>.self)
        return (UInt64(bigEndian: halves[0]), UInt64(bigEndian: halves[1]))
    }

    /// Returns the IV of the next sample in counter mode, so that no counter block is used twice under a key (ISO/IEC
    /// 23001-7, 9.3). An 8-byte IV counts samples: it grows by 1. A 16-byte IV counts blocks: the number in bytes 8 to
    /// 15 grows by the number of blocks of the sample, including a partial one. Both numbers wrap around.
    ///
    /// - Parameter protectedBytes: the number of protected bytes in the sample that used this IV. A negative number
    ///   counts as 0.
    public func next(afterProtecting protectedBytes: Int) -> CipherIV {
        let (upper, lower) = words
        guard count == 16 else { return CipherIV(upper: upper &+ 1, lower: 0, count: 8) }
        let bytes = UInt64(max(protectedBytes, 0))
        let blocks = bytes / 16 + (bytes % 16 == 0 ? 0 : 1)
        return CipherIV(upper: upper, lower: lower &+ blocks, count: 16)
    }
}

extension CipherIV {
    /// Returns the IV of the first sample of a track in counter mode when several tracks share a key. Tracks with
    /// different numbers never use the same counter block, as ISO/IEC 23001-7, 9.3 requires.
    ///
    /// The track number is added to the upper 16 bits of the IV, which leaves 2^48 samples per track for an 8-byte IV.
    /// A 16-byte IV counts blocks in its lower 8 bytes.
    public func start(ofTrack number: UInt16) -> CipherIV {
        let (upper, lower) = words
        return CipherIV(upper: upper &+ UInt64(number) << 48, lower: lower, count: count)
    }
}

extension CipherIV: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the size in bytes, without the IV itself.
    public var description: String { "CipherIV(\(count) bytes)" }

    /// The type and the size in bytes, without the IV itself.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not show the IV.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
