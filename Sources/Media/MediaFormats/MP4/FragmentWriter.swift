import ByteCoding

/// A sample as a fragment lists it.
public struct FragmentSample: Hashable, Sendable {
    /// Its size in bytes.
    public var size: UInt32
    /// How long it lasts, in the timescale of the media.
    public var duration: UInt32
    /// How much later it is presented than decoded, in the timescale of the media; below 0 where presentation would
    /// otherwise not begin at 0, see ``FragmentTiming``.
    public var compositionOffset: Int32
    /// What it is.
    public var flags: SampleFlags

    /// Makes a sample.
    public init(size: UInt32, duration: UInt32, compositionOffset: Int32 = 0, flags: SampleFlags = .sync) {
        self.size = size
        self.duration = duration
        self.compositionOffset = compositionOffset
        self.flags = flags
    }
}

/// Writes what stands in front of the data of a media segment: `styp`, `moof` and the header of `mdat`. The data
/// follow, sample behind sample, and are the caller's to write.
///
///     styp
///     prft, emsg   where there are
///     moof         mfhd, traf
///     traf         tfhd, tfdt (version 1), trun (version 1), saiz, saio, senc
///     mdat         its header
///
/// There is one track and one run in a fragment, as CMAF has it (ISO/IEC 23000-19). Defaults stand in `tfhd`,
/// never in `trex` alone, so that a fragment can be read by itself. There are no sample groups:
/// what Apple asks for on AirPlay 2 televisions has none.
///
/// Samples are added one by one and kept as a few bytes each; the room is used again for the next segment.
public struct FragmentWriter: Sendable {
    /// What a fragment says about its samples' encryption.
    public enum Encryption: Hashable, Sendable {
        /// Nothing: they are clear.
        case none
        /// Subsamples; the initialization vector is the constant one of `tenc`: cbcs video.
        case subsamples
        /// Only that they are encrypted, in a `senc` box without entries: cbcs audio.
        case wholeSamples
        /// An initialization vector of 8 or 16 bytes each, and subsamples: cenc video.
        case vectorsAndSubsamples
        /// An initialization vector of 8 or 16 bytes each: cenc audio.
        case vectors

        fileprivate var hasSubsamples: Bool { self == .subsamples || self == .vectorsAndSubsamples }
        fileprivate var hasVectors: Bool { self == .vectors || self == .vectorsAndSubsamples }
    }

    private let trackID: UInt32
    private let sampleDescriptionIndex: UInt32
    private let encryption: Encryption
    private var samples: [FragmentSample] = []
    private var entries = BoxWriter()
    private var entrySizes: [UInt8] = []
    /// Whether an entry is larger than the 255 bytes that `saiz` can say.
    private var hasLargeEntry = false
    /// How many bytes the samples have together.
    public private(set) var dataSize = 0
    /// How long the samples are together, in the timescale of the media.
    public private(set) var duration: UInt64 = 0

    /// Makes a writer for one track.
    ///
    /// - Parameters:
    ///   - trackID: The track.
    ///   - sampleDescriptionIndex: Which sample description the samples have, from 1.
    ///   - encryption: What is said about encryption.
    public init(trackID: UInt32, sampleDescriptionIndex: UInt32 = 1, encryption: Encryption = .none) {
        self.trackID = trackID
        self.sampleDescriptionIndex = sampleDescriptionIndex
        self.encryption = encryption
    }

    /// How many samples have been added.
    public var count: Int { samples.count }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - iv: Its initialization vector, if samples have their own.
    ///   - subsamples: Its subsamples, if they are listed; none means encrypted as a whole, so that a clear sample
    ///   needs some
    ///     without protected bytes.
    public mutating func append(
        _ sample: FragmentSample,
        iv: SampleIV = .none,
        subsamples: Span<SampleEncryptionBox.Subsample>
    ) {
        samples.append(sample)
        dataSize += Int(sample.size)
        duration += UInt64(sample.duration)
        guard encryption.hasSubsamples || encryption.hasVectors else { return }
        let start = entries.count
        if encryption.hasVectors { iv.write(to: &entries) }
        if encryption.hasSubsamples {
            entries.write(UInt16(clamping: subsamples.count))
            for index in subsamples.indices {
                entries.write(subsamples[index].clear)
                entries.write(subsamples[index].protected)
            }
        }
        let size = entries.count - start
        if size > 255 { hasLargeEntry = true }
        entrySizes.append(UInt8(clamping: size))
    }

    /// Adds a sample whose subsamples are an array, or that has none.
    public mutating func append(
        _ sample: FragmentSample,
        iv: SampleIV = .none,
        subsamples: [SampleEncryptionBox.Subsample] = []
    ) {
        append(sample, iv: iv, subsamples: subsamples.span)
    }

    /// Writes the header of a segment with the samples that were added, and forgets them.
    ///
    /// - Parameters:
    ///   - sequenceNumber: The number of the fragment, ascending from 1.
    ///   - decodeTime: When the first sample is decoded, in the timescale of the media.
    ///   - segmentType: What stands in `styp`; nil: no such box.
    ///   - referenceTime: When the fragment was made; nil: not said.
    ///   - events: Events that begin in the segment.
    ///   - writer: Where to.
    public mutating func finish(
        sequenceNumber: UInt32,
        decodeTime: UInt64,
        segmentType: FileTypeBox? = .cmafSegment,
        referenceTime: ProducerReferenceTimeBox? = nil,
        events: [EventMessageBox] = [],
        to writer: inout BoxWriter
    ) {
        segmentType?.write(as: FileTypeBox.segmentType, to: &writer)
        referenceTime?.write(to: &writer)
        for event in events { event.write(to: &writer) }
        let start = writer.count
        var places = Places()
        writer.box("moof") { writer in
            MovieFragmentHeaderBox(sequenceNumber: sequenceNumber).write(to: &writer)
            writer.box("traf") { writer in
                writeRun(decodeTime: decodeTime, &places, to: &writer)
                writeEncryption(&places, to: &writer)
            }
        }
        let isLarge = dataSize > Int(UInt32.max) - 8
        writer.patch(UInt32(truncatingIfNeeded: writer.count - start + (isLarge ? 16 : 8)), at: places.dataOffset)
        if let offset = places.entriesOffset, let entries = places.entries {
            writer.patch(UInt32(truncatingIfNeeded: entries - start), at: offset)
        }
        writer.write(isLarge ? 1 : UInt32(dataSize + 8))
        writer.write("mdat" as FourCC)
        if isLarge { writer.write(UInt64(dataSize + 16)) }
        removeAll()
    }

    /// Forgets the samples that were added, but keeps their room.
    public mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        entries.removeAll()
        entrySizes.removeAll(keepingCapacity: true)
        hasLargeEntry = false
        dataSize = 0
        duration = 0
    }

    /// Where offsets are put in, and where the entries of senc begin.
    private struct Places {
        var dataOffset = 0
        var entriesOffset: Int?
        var entries: Int?
    }

    private func writeRun(decodeTime: UInt64, _ places: inout Places, to writer: inout BoxWriter) {
        let first = samples.first ?? FragmentSample(size: 0, duration: 0)
        let later = samples.dropFirst().first ?? first
        let hasDurations = samples.contains { $0.duration != first.duration }
        // A reader refuses samples that take no bytes at all, neither of the table nor of the data.
        let hasSizes = samples.contains { $0.size != first.size || $0.size == 0 }
        let hasFlags = samples.dropFirst().contains { $0.flags != later.flags }
        let hasOffsets = samples.contains { $0.compositionOffset != 0 }
        // As a rule a video segment begins with a sync sample, and no other is one: the first has flags of its own.
        let firstFlags = !hasFlags && first.flags != later.flags ? first.flags : nil
        TrackFragmentHeaderBox(
            trackID: trackID,
            sampleDescriptionIndex: sampleDescriptionIndex,
            sampleDuration: first.duration,
            sampleSize: hasSizes ? nil : first.size,
            sampleFlags: later.flags
        )
        .write(to: &writer)
        TrackFragmentDecodeTimeBox(baseMediaDecodeTime: decodeTime).write(to: &writer)
        var flags: UInt32 = 0x01
        if firstFlags != nil { flags |= 0x04 }
        if hasDurations { flags |= 0x100 }
        if hasSizes { flags |= 0x200 }
        if hasFlags { flags |= 0x400 }
        if hasOffsets { flags |= 0x800 }
        writer.fullBox(TrackRunBox.type, version: 1, flags: flags) { writer in
            writer.write(UInt32(samples.count))
            places.dataOffset = writer.count
            writer.zeros(4)
            if let firstFlags { writer.write(firstFlags.rawValue) }
            for sample in samples {
                if hasDurations { writer.write(sample.duration) }
                if hasSizes { writer.write(sample.size) }
                if hasFlags { writer.write(sample.flags.rawValue) }
                if hasOffsets { writer.write(sample.compositionOffset) }
            }
        }
    }

    /// `saiz` has one byte for an entry's size: where that is not enough, `senc` alone says what there is to say.
    private func writeEncryption(_ places: inout Places, to writer: inout BoxWriter) {
        guard encryption != .none else { return }
        if entries.count > 0, !hasLargeEntry {
            AuxiliaryInformationSizesBox(sizes: entrySizes).write(to: &writer)
            AuxiliaryInformationOffsetsBox(offsets: [0]).write(to: &writer)
            places.entriesOffset = writer.count - 4
        }
        writer.fullBox(SampleEncryptionBox.type, flags: encryption.hasSubsamples ? 2 : 0) { writer in
            writer.write(UInt32(samples.count))
            places.entries = writer.count
            writer.write(entries.bytes)
        }
    }
}

extension SampleIV {
    func write(to writer: inout BoxWriter) { writer.write(bytes) }
}
