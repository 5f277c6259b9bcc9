/// A sample of a track: when it is, and where its bytes lie. It owns no memory.
public struct Sample: Hashable, Sendable {
    /// The track.
    public var trackID: UInt32
    /// The offset of its first byte in the file.
    public var offset: Int
    /// Its size in bytes.
    public var size: Int
    /// When it is decoded, in the timescale of the media, the edit list left aside.
    public var decodeTime: UInt64
    /// How long it lasts, in the timescale of the media.
    public var duration: UInt32
    /// How much later it is presented than decoded, in the timescale of the media.
    public var compositionOffset: Int32
    /// Whether decoding can start with it.
    public var isSync: Bool
    /// Which sample description it has, from 1.
    public var descriptionIndex: UInt32
    /// How it is encrypted; nil: it is clear.
    public var protection: SampleProtection?

    static let none = Sample(
        trackID: 0,
        offset: 0,
        size: 0,
        decodeTime: 0,
        duration: 0,
        compositionOffset: 0,
        isSync: true,
        descriptionIndex: 1,
        protection: nil
    )

    /// Where its bytes lie in the file.
    public var range: Range<Int> { offset..<offset + size }

    /// When it is presented, in the timescale of the media, the edit list left aside.
    public var presentationTime: Int64 { Int64(clamping: decodeTime) + Int64(compositionOffset) }
}

/// How a sample is encrypted (ISO/IEC 23001-7).
public struct SampleProtection: Hashable, Sendable {
    /// `cbcs`, `cenc`, `cens` or `cbc1`.
    public var scheme: FourCC
    /// Which key.
    public var keyID: KeyID
    /// The sample's own initialization vector, or the constant one.
    public var iv: SampleIV
    /// How many blocks of 16 bytes of each pattern are encrypted; 0 with ``skipByteBlock`` 0: all.
    public var cryptByteBlock: UInt8
    /// How many blocks of each pattern are left clear.
    public var skipByteBlock: UInt8
    /// Where the subsamples lie; empty: the sample is encrypted as a whole.
    public var subsamples: SubsampleEntries
}

/// The subsamples of a sample, where they lie: 2 bytes for the clear part and 4 for the protected one, each.
public struct SubsampleEntries: Hashable, Sendable {
    /// The offset of the first one: in the file; for ``MovieStream`` it means nothing, which hands them over as values.
    public var offset: Int
    /// The number of subsamples.
    public var count: Int

    /// No subsamples.
    public static let none = SubsampleEntries(offset: 0, count: 0)

    /// One subsample.
    ///
    /// - Parameters:
    ///   - index: From 0, below ``count``.
    ///   - file: The file in which the sample lies.
    public func entry(_ index: Int, in file: RawSpan) -> SampleEncryptionBox.Subsample {
        let place = offset + 6 * index
        return SampleEncryptionBox.Subsample(
            clear: file.load(place, as: UInt16.self),
            protected: file.load(place + 2, as: UInt32.self)
        )
    }

    /// All of them, as an array.
    public func entries(in file: RawSpan) -> [SampleEncryptionBox.Subsample] {
        (0..<count).map { entry($0, in: file) }
    }
}
