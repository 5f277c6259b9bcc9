/// A sample of a track: its times and the location of its bytes. It owns no memory.
public struct Sample: Hashable, Sendable {
    /// The ID of the track.
    public var trackID: UInt32
    /// The offset of the sample's first byte in the file.
    public var offset: Int
    /// The size of the sample in bytes.
    public var size: Int
    /// The decode time in the timescale of the media, without the edit list.
    public var decodeTime: UInt64
    /// The duration in the timescale of the media.
    public var duration: UInt32
    /// The presentation time minus the decode time, in the timescale of the media.
    public var compositionOffset: Int32
    /// True if the sample is a sync sample, at which decoding can start.
    public var isSync: Bool
    /// The index of the sample description, from 1.
    public var descriptionIndex: UInt32
    /// The encryption of the sample; nil if it is clear.
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

    /// The range of the sample's bytes in the file.
    public var range: Range<Int> { offset..<offset + size }

    /// The presentation time in the timescale of the media, without the edit list.
    public var presentationTime: Int64 { Int64(clamping: decodeTime) + Int64(compositionOffset) }
}

/// The encryption of a sample (ISO/IEC 23001-7).
public struct SampleProtection: Hashable, Sendable {
    /// The protection scheme: `cbcs`, `cenc`, `cens` or `cbc1`.
    public var scheme: FourCC
    /// The ID of the content key.
    public var keyID: KeyID
    /// The initialization vector: the sample's own or the constant one.
    public var iv: SampleIV
    /// The number of encrypted blocks of 16 bytes in each pattern. If 0 and ``skipByteBlock`` is 0, all blocks are
    /// encrypted.
    public var cryptByteBlock: UInt8
    /// The number of clear blocks in each pattern.
    public var skipByteBlock: UInt8
    /// The location of the subsamples; empty if the sample is encrypted as a whole.
    public var subsamples: SubsampleEntries
}

/// The location of a sample's subsamples in the file. Each has 2 bytes for the clear size and 4 for the protected size.
public struct SubsampleEntries: Hashable, Sendable {
    /// The offset of the first subsample in the file. For ``MovieStream`` it is not usable, because that returns
    /// subsamples as values.
    public var offset: Int
    /// The number of subsamples.
    public var count: Int

    /// An empty list of subsamples.
    public static let none = SubsampleEntries(offset: 0, count: 0)

    /// Returns one subsample.
    ///
    /// - Parameters:
    ///   - index: the index of the subsample, from 0, below ``count``.
    ///   - file: the file that contains the sample.
    public func entry(_ index: Int, in file: RawSpan) -> SampleEncryptionBox.Subsample {
        let entryOffset = offset + 6 * index
        return SampleEncryptionBox.Subsample(
            clear: file.load(entryOffset, as: UInt16.self),
            protected: file.load(entryOffset + 2, as: UInt32.self)
        )
    }

    /// Returns all subsamples as an array.
    public func entries(in file: RawSpan) -> [SampleEncryptionBox.Subsample] {
        (0..<count).map { entry($0, in: file) }
    }
}
