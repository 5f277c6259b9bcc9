import ByteCoding

/// A sample to write to a fragment.
public struct FragmentSample: Hashable, Sendable {
    /// The size of the sample in bytes.
    public var size: UInt32
    /// The duration of the sample in the timescale of the media.
    public var duration: UInt32
    /// The presentation time minus the decode time, in the timescale of the media; negative if the presentation would
    /// otherwise not start at 0, see ``FragmentTiming``.
    public var compositionOffset: Int32
    /// The flags of the sample.
    public var flags: SampleFlags

    /// Creates a sample.
    public init(size: UInt32, duration: UInt32, compositionOffset: Int32 = 0, flags: SampleFlags = .sync) {
        self.size = size
        self.duration = duration
        self.compositionOffset = compositionOffset
        self.flags = flags
    }
}

/// A writer for the boxes of a media segment before its data: `styp`, `moof` and the header of `mdat`. The caller
/// writes the data of the samples after them.
///
///     styp
///     prft, emsg   optional
///     moof         mfhd, traf
///     traf         tfhd, tfdt (version 1), trun (version 1), saiz, saio, senc
///     mdat         only its header
///
/// A fragment contains one track and one run, as CMAF requires (ISO/IEC 23000-19). Defaults are in `tfhd`, never only
/// in `trex`, so that a fragment can be read alone. There are no sample groups, as Apple recommends for AirPlay 2
/// televisions.
///
/// Samples are added one by one and stored as a few bytes each. The memory is reused for the next segment.
public struct FragmentWriter: Sendable {
    /// The encryption information that a fragment contains for its samples.
    public enum Encryption: Hashable, Sendable {
        /// No information: the samples are clear.
        case none
        /// Subsamples, with the constant initialization vector of `tenc`: cbcs video.
        case subsamples
        /// No information per sample, only a `senc` box without entries: cbcs audio.
        case wholeSamples
        /// An initialization vector of 8 or 16 bytes and subsamples per sample: cenc video.
        case vectorsAndSubsamples
        /// An initialization vector of 8 or 16 bytes per sample: cenc audio.
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
    /// True if an entry is larger than 255 bytes, the maximum in `saiz`.
    private var hasLargeEntry = false
    /// The total size of the samples in bytes.
    public private(set) var dataSize = 0
    /// The total duration of the samples in the timescale of the media.
    public private(set) var duration: UInt64 = 0

    /// Creates a writer for one track.
    ///
    /// - Parameters:
    ///   - trackID: the ID of the track.
    ///   - sampleDescriptionIndex: the index of the samples' description, from 1.
    ///   - encryption: the encryption information to write.
    public init(trackID: UInt32, sampleDescriptionIndex: UInt32 = 1, encryption: Encryption = .none) {
        self.trackID = trackID
        self.sampleDescriptionIndex = sampleDescriptionIndex
        self.encryption = encryption
    }

    /// The number of samples that were added.
    public var count: Int { samples.count }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - sample: the sample.
    ///   - iv: the initialization vector of the sample, if samples have their own.
    ///   - subsamples: the subsamples, if they are written. An empty list means that the whole sample is encrypted, so
    ///     that a clear sample requires subsamples without protected bytes.
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

    /// Adds a sample with an array of subsamples, or with none.
    public mutating func append(
        _ sample: FragmentSample,
        iv: SampleIV = .none,
        subsamples: [SampleEncryptionBox.Subsample] = []
    ) {
        append(sample, iv: iv, subsamples: subsamples.span)
    }

    /// Writes the header of a segment with the added samples, and removes the samples.
    ///
    /// - Parameters:
    ///   - sequenceNumber: the sequence number of the fragment, ascending from 1.
    ///   - decodeTime: the decode time of the first sample in the timescale of the media.
    ///   - segmentType: the content of the `styp` box; nil for no such box.
    ///   - referenceTime: the producer reference time of the fragment; nil for none.
    ///   - events: the events that begin in the segment.
    ///   - writer: the writer to append to.
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
        var positions = Positions()
        writer.box("moof") { writer in
            MovieFragmentHeaderBox(sequenceNumber: sequenceNumber).write(to: &writer)
            writer.box("traf") { writer in
                writeRun(decodeTime: decodeTime, &positions, to: &writer)
                writeEncryption(&positions, to: &writer)
            }
        }
        let isLarge = dataSize > Int(UInt32.max) - 8
        writer.patch(UInt32(truncatingIfNeeded: writer.count - start + (isLarge ? 16 : 8)), at: positions.dataOffset)
        if let offset = positions.entriesOffset, let entries = positions.entries {
            writer.patch(UInt32(truncatingIfNeeded: entries - start), at: offset)
        }
        writer.write(isLarge ? 1 : UInt32(dataSize + 8))
        writer.write("mdat" as FourCC)
        if isLarge { writer.write(UInt64(dataSize + 16)) }
        removeAll()
    }

    /// Removes the added samples and keeps the allocated memory.
    public mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        entries.removeAll()
        entrySizes.removeAll(keepingCapacity: true)
        hasLargeEntry = false
        dataSize = 0
        duration = 0
    }

    /// The positions in the output where offsets are inserted later, and of the first entry of senc.
    private struct Positions {
        var dataOffset = 0
        var entriesOffset: Int?
        var entries: Int?
    }

    private func writeRun(decodeTime: UInt64, _ positions: inout Positions, to writer: inout BoxWriter) {
        let first = samples.first ?? FragmentSample(size: 0, duration: 0)
        let later = samples.dropFirst().first ?? first
        let hasDurations = samples.contains { $0.duration != first.duration }
        // Readers reject samples without any bytes in both the table and the data.
        let hasSizes = samples.contains { $0.size != first.size || $0.size == 0 }
        let hasFlags = samples.dropFirst().contains { $0.flags != later.flags }
        let hasOffsets = samples.contains { $0.compositionOffset != 0 }
        // In most video segments only the first sample is a sync sample; it has separate flags.
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
            positions.dataOffset = writer.count
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

    /// Writes `senc`, with `saiz` and `saio`. An entry's size in `saiz` has one byte; if an entry is larger, only
    /// `senc` is written.
    private func writeEncryption(_ positions: inout Positions, to writer: inout BoxWriter) {
        guard encryption != .none else { return }
        if entries.count > 0, !hasLargeEntry {
            AuxiliaryInformationSizesBox(sizes: entrySizes).write(to: &writer)
            AuxiliaryInformationOffsetsBox(offsets: [0]).write(to: &writer)
            positions.entriesOffset = writer.count - 4
        }
        writer.fullBox(SampleEncryptionBox.type, flags: encryption.hasSubsamples ? 2 : 0) { writer in
            writer.write(UInt32(samples.count))
            positions.entries = writer.count
            writer.write(entries.bytes)
        }
    }
}

extension SampleIV {
    func write(to writer: inout BoxWriter) { writer.write(bytes) }
}
