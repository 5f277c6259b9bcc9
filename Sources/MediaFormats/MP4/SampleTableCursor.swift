public import ByteCoding

/// The tables that say where the samples of a track are and when (ISO/IEC 14496-12, 8.5).
public struct SampleTable: Hashable, Sendable {
    /// How long samples are.
    public var timeToSample: TimeToSampleBox
    /// When they are presented; nil: when they are decoded.
    public var compositionOffset: CompositionOffsetBox?
    /// Which samples a chunk holds.
    public var sampleToChunk: SampleToChunkBox
    /// How large samples are.
    public var sampleSize: SampleSizeBox
    /// Where chunks begin.
    public var chunkOffset: ChunkOffsetBox
    /// Which samples are sync samples; nil: all.
    public var syncSample: SyncSampleBox?

    /// The number of samples.
    public var sampleCount: Int { sampleSize.sampleCount }
}

/// One sample of a sample table.
public struct TableSample: Hashable, Sendable {
    /// The offset of its first byte in the file.
    public var offset: Int
    /// Its size in bytes.
    public var size: Int
    /// When it is decoded, in the timescale of the media, from 0.
    public var decodeTime: UInt64
    /// How long it lasts, in the timescale of the media.
    public var duration: UInt32
    /// How much later it is presented than decoded, in the timescale of the media.
    public var compositionOffset: Int32
    /// Whether decoding can start with it.
    public var isSync: Bool
    /// Which sample description it has, from 1.
    public var descriptionIndex: UInt32
}

/// Walks through a sample table, sample by sample, without spreading it out in memory. The cost of a sample does not depend on
/// how many there are.
public struct SampleTableCursor: Sendable {
    private let table: SampleTable
    /// The index of the next sample.
    public private(set) var index = 0
    private var decodeTime: UInt64 = 0
    private var durationEntry = -1
    private var durationsLeft: UInt32 = 0
    private var duration: UInt32 = 0
    private var offsetEntry = -1
    private var offsetsLeft: UInt32 = 0
    private var compositionOffset: Int32 = 0
    private var chunk = 0
    private var chunkEntry = -1
    private var samplesLeftInChunk: UInt32 = 0
    private var samplesPerChunk: UInt32 = 0
    private var lastChunkOfEntry = 0
    private var descriptionIndex: UInt32 = 1
    private var position: UInt64 = 0
    private var syncEntry = 0

    /// Starts at the first sample.
    public init(_ table: SampleTable) { self.table = table }

    /// The next sample; nil after the last.
    ///
    /// - Parameter file: The file in which the tables lie.
    /// - Throws: `ParseError` `invalid-value` when the tables contradict each other: too few durations or chunks, an entry that
    ///   stands for nothing, an offset beyond 2^62.
    public mutating func next(_ file: RawSpan) throws(ParseError) -> TableSample? {
        guard index < table.sampleCount else { return nil }
        try advanceDuration(file)
        try advanceCompositionOffset(file)
        try advanceChunk(file)
        let size = sampleSize(file)
        let isSync = isSync(file)
        guard position < 1 << 62 else { throw contradiction("chunk offset", "it is beyond 2^62") }
        let sample = TableSample(
            offset: Int(position),
            size: size,
            decodeTime: decodeTime,
            duration: duration,
            compositionOffset: compositionOffset,
            isSync: isSync,
            descriptionIndex: descriptionIndex
        )
        position += UInt64(size)
        decodeTime &+= UInt64(duration)
        durationsLeft -= 1
        if offsetsLeft > 0 { offsetsLeft -= 1 }
        samplesLeftInChunk -= 1
        index += 1
        return sample
    }

    private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ file: RawSpan, _ offset: Int, as: Number.Type)
        -> Number
    {
        Number(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    private func contradiction(_ field: String, _ reason: String) -> ParseError {
        ParseError(
            .invalidValue,
            reading: "\(field) of sample \(index + 1)",
            offset: table.sampleSize.offset,
            reason: reason
        )
    }

    private mutating func advanceDuration(_ file: RawSpan) throws(ParseError) {
        let entries = table.timeToSample.entries
        while durationsLeft == 0 {
            durationEntry += 1
            guard durationEntry < entries.count else {
                throw contradiction("duration", "stts has fewer samples than stsz")
            }
            let offset = entries.offset + durationEntry * 8
            durationsLeft = load(file, offset, as: UInt32.self)
            duration = load(file, offset + 4, as: UInt32.self)
        }
    }

    private mutating func advanceCompositionOffset(_ file: RawSpan) throws(ParseError) {
        guard let entries = table.compositionOffset?.entries else { return }
        while offsetsLeft == 0 {
            offsetEntry += 1
            // Some writers stop where the offsets are 0 from then on.
            guard offsetEntry < entries.count else { return compositionOffset = 0 }
            let offset = entries.offset + offsetEntry * 8
            offsetsLeft = load(file, offset, as: UInt32.self)
            compositionOffset = Int32(bitPattern: load(file, offset + 4, as: UInt32.self))
        }
    }

    private mutating func advanceChunk(_ file: RawSpan) throws(ParseError) {
        guard samplesLeftInChunk == 0 else { return }
        let entries = table.sampleToChunk.entries
        if chunkEntry < 0 || chunk >= lastChunkOfEntry {
            chunkEntry += 1
            guard chunkEntry < entries.count else { throw contradiction("chunk", "stsc has fewer samples than stsz") }
            let offset = entries.offset + chunkEntry * 12
            let first = Int(load(file, offset, as: UInt32.self))
            guard first == chunk + 1 else {
                throw contradiction("chunk", "entry \(chunkEntry + 1) of stsc begins at chunk \(first)")
            }
            samplesPerChunk = load(file, offset + 4, as: UInt32.self)
            descriptionIndex = load(file, offset + 8, as: UInt32.self)
            guard samplesPerChunk > 0 else {
                throw contradiction("chunk", "entry \(chunkEntry + 1) of stsc has no samples")
            }
            lastChunkOfEntry =
                chunkEntry + 1 < entries.count
                ? Int(load(file, offset + 12, as: UInt32.self)) - 1 : table.chunkOffset.entries.count
        }
        guard chunk < table.chunkOffset.entries.count else { throw contradiction("chunk", "stco has too few chunks") }
        let offsets = table.chunkOffset.entries
        let offset = offsets.offset + chunk * offsets.entrySize
        position =
            offsets.entrySize == 8 ? load(file, offset, as: UInt64.self) : UInt64(load(file, offset, as: UInt32.self))
        chunk += 1
        samplesLeftInChunk = samplesPerChunk
    }

    private func sampleSize(_ file: RawSpan) -> Int {
        let sizes = table.sampleSize
        switch sizes.fieldSize {
        case 32: return Int(load(file, sizes.offset + index * 4, as: UInt32.self))
        case 16: return Int(load(file, sizes.offset + index * 2, as: UInt16.self))
        case 8: return Int(load(file, sizes.offset + index, as: UInt8.self))
        case 4:
            let byte = load(file, sizes.offset + index / 2, as: UInt8.self)
            return Int(index.isMultiple(of: 2) ? byte >> 4 : byte & 15)
        default: return Int(sizes.sampleSize)
        }
    }

    private mutating func isSync(_ file: RawSpan) -> Bool {
        guard let entries = table.syncSample?.entries else { return true }
        while syncEntry < entries.count {
            let number = Int(load(file, entries.offset + syncEntry * 4, as: UInt32.self))
            if number == index + 1 {
                syncEntry += 1
                return true
            }
            if number > index + 1 { return false }
            // Out of order: passed over.
            syncEntry += 1
        }
        return false
    }
}
