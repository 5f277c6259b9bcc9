public import ByteCoding

/// The tables with the locations and times of a track's samples (ISO/IEC 14496-12, 8.5).
public struct SampleTable: Hashable, Sendable {
    /// The durations of samples.
    public var timeToSample: TimeToSampleBox
    /// The composition offsets; nil if presentation times equal decode times.
    public var compositionOffset: CompositionOffsetBox?
    /// The numbers of samples in chunks.
    public var sampleToChunk: SampleToChunkBox
    /// The sizes of samples.
    public var sampleSize: SampleSizeBox
    /// The offsets of chunks.
    public var chunkOffset: ChunkOffsetBox
    /// The sync samples; nil if all samples are sync samples.
    public var syncSample: SyncSampleBox?

    /// The number of samples.
    public var sampleCount: Int { sampleSize.sampleCount }

    /// Returns the number of samples for which `stts` has no duration.
    ///
    /// - Parameter file: the file that contains the tables.
    public func missingDurationCount(in file: RawSpan) -> Int {
        var left = sampleCount
        for index in 0..<timeToSample.entries.count where left > 0 {
            left -= Int(file.load(timeToSample.entries.offset + index * 8, as: UInt32.self))
        }
        return max(0, left)
    }

    /// Returns the total duration of all samples, in the timescale of the track.
    ///
    /// - Parameter file: the file that contains the tables.
    public func duration(in file: RawSpan) -> UInt64 {
        var left = UInt64(sampleCount)
        var total: UInt64 = 0
        for index in 0..<timeToSample.entries.count where left > 0 {
            let offset = timeToSample.entries.offset + index * 8
            let count = min(left, UInt64(file.load(offset, as: UInt32.self)))
            let (sum, overflow) = total.addingReportingOverflow(
                count * UInt64(file.load(offset + 4, as: UInt32.self))
            )
            total = overflow ? .max : sum
            left -= count
        }
        return total
    }
}

/// An iterator over the samples of a sample table, which does not expand the table in memory. The cost of a sample does
/// not depend on the number of samples.
public struct SampleTableCursor: Sendable {
    private let table: SampleTable
    private let trackID: UInt32
    private let descriptionCount: Int
    private var protection: ProtectionCursor
    private let isClear: Bool
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
    private let repeatsLastDuration: Bool

    /// Creates an iterator that starts at the first sample of a track. Returns nil if the track has no table.
    public init?(_ track: Track) { self.init(track, spanShift: 0) }

    /// Creates an iterator that starts at the first sample of a track. Returns nil if the track has no table.
    ///
    /// - Parameter repeatsLastDuration: whether samples for which `stts` has no entry have the duration of the last
    ///   entry, as in players.
    init?(_ track: Track, repeatsLastDuration: Bool) {
        self.init(track, spanShift: 0, repeatsLastDuration: repeatsLastDuration)
    }

    /// Creates an iterator for a track whose tables are not read from the file.
    ///
    /// - Parameter spanShift: the distance from an offset in the file to the offset in the span that is passed to
    ///   ``next(_:)``.
    init?(_ track: Track, spanShift: Int, repeatsLastDuration: Bool = false) {
        guard let table = track.table else { return nil }
        self.table = table
        self.repeatsLastDuration = repeatsLastDuration
        trackID = track.id
        descriptionCount = track.descriptions.count
        isClear = track.descriptions.allSatisfy { $0.commonEncryption == nil }
        protection = ProtectionCursor(track, base: spanShift)
    }

    /// The decode time of the sample that ``next(_:)`` returns; after the last sample, the end time of the track.
    var endTime: UInt64 { decodeTime }

    /// Returns the next sample; nil after the last.
    ///
    /// - Parameter file: the file that contains the tables; the same for each call.
    /// - Throws: `ParseError` `truncated` if the tables have too few durations or chunks; `invalid-value` if they are
    ///   inconsistent: an entry without samples, or an offset or a decode time that is not below 2^62.
    public mutating func next(_ file: RawSpan) throws(ParseError) -> Sample? {
        var sample = Sample.none
        return try next(file, into: &sample) ? sample : nil
    }

    /// Reads the next sample into `sample`. Returns false after the last sample.
    mutating func next(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        guard index < table.sampleCount else { return false }
        try advanceDuration(file)
        try advanceCompositionOffset(file)
        try advanceChunk(file)
        let size = sampleSize(file)
        let isSync = isSync(file)
        guard position < 1 << 62 else { throw contradiction("chunk offset", "the offset is not below 2^62") }
        guard decodeTime < 1 << 62 else { throw contradiction("decode time", "the time is not below 2^62") }
        sample.trackID = trackID
        sample.offset = Int(position)
        sample.size = size
        sample.decodeTime = decodeTime
        sample.duration = duration
        sample.compositionOffset = compositionOffset
        sample.isSync = isSync
        sample.descriptionIndex = descriptionIndex
        sample.protection =
            isClear ? nil : try protection.next(file, description: descriptionIndex, run: chunk - 1, size: size)
        position += UInt64(size)
        decodeTime += UInt64(duration)
        durationsLeft -= 1
        if offsetsLeft > 0 { offsetsLeft -= 1 }
        samplesLeftInChunk -= 1
        index += 1
        return true
    }

    /// Returns the number of samples that have not been read, and their total duration.
    func rest(_ file: RawSpan) -> (sampleCount: Int, duration: UInt64) {
        let total = table.duration(in: file)
        return (table.sampleCount - index, total > decodeTime ? total - decodeTime : 0)
    }

    /// Returns whether a chunk after the current one starts before an offset.
    func hasChunk(before end: Int, _ file: RawSpan) -> Bool {
        let offsets = table.chunkOffset.entries
        return (min(chunk, offsets.count)..<offsets.count).contains { index in
            let offset = offsets.offset + index * offsets.entrySize
            return offsets.entrySize == 8
                ? file.load(offset, as: UInt64.self) < UInt64(end) : Int(file.load(offset, as: UInt32.self)) < end
        }
    }

    private func contradiction(
        _ field: String,
        _ reason: String,
        _ code: ParseError.Code = .invalidValue
    ) -> ParseError {
        ParseError(
            code,
            reading: "\(field) of sample \(index + 1) of track \(trackID)",
            offset: table.sampleSize.offset,
            reason: reason
        )
    }

    private mutating func advanceDuration(_ file: RawSpan) throws(ParseError) {
        let entries = table.timeToSample.entries
        while durationsLeft == 0 {
            durationEntry += 1
            guard durationEntry < entries.count else {
                if repeatsLastDuration, entries.count > 0 {
                    durationsLeft = .max
                    return
                }
                throw contradiction("duration", "stts has fewer samples than stsz", .truncated)
            }
            let offset = entries.offset + durationEntry * 8
            durationsLeft = file.load(offset, as: UInt32.self)
            duration = file.load(offset + 4, as: UInt32.self)
        }
    }

    private mutating func advanceCompositionOffset(_ file: RawSpan) throws(ParseError) {
        guard let entries = table.compositionOffset?.entries else { return }
        while offsetsLeft == 0 {
            offsetEntry += 1
            // Some writers omit trailing entries whose offsets are 0.
            guard offsetEntry < entries.count else { return compositionOffset = 0 }
            let offset = entries.offset + offsetEntry * 8
            offsetsLeft = file.load(offset, as: UInt32.self)
            compositionOffset = Int32(bitPattern: file.load(offset + 4, as: UInt32.self))
        }
    }

    private mutating func advanceChunk(_ file: RawSpan) throws(ParseError) {
        guard samplesLeftInChunk == 0 else { return }
        let entries = table.sampleToChunk.entries
        if chunkEntry < 0 || chunk >= lastChunkOfEntry {
            chunkEntry += 1
            guard chunkEntry < entries.count else {
                throw contradiction("chunk", "stsc has fewer samples than stsz", .truncated)
            }
            let offset = entries.offset + chunkEntry * 12
            let first = Int(file.load(offset, as: UInt32.self))
            guard first == chunk + 1 else {
                throw contradiction("chunk", "entry \(chunkEntry + 1) of stsc begins at chunk \(first)")
            }
            samplesPerChunk = file.load(offset + 4, as: UInt32.self)
            descriptionIndex = file.load(offset + 8, as: UInt32.self)
            guard descriptionIndex > 0, descriptionIndex <= descriptionCount else {
                throw contradiction("sample description", "sample description \(descriptionIndex) does not exist")
            }
            guard samplesPerChunk > 0 else {
                throw contradiction("chunk", "entry \(chunkEntry + 1) of stsc has no samples")
            }
            lastChunkOfEntry =
                chunkEntry + 1 < entries.count
                ? Int(file.load(offset + 12, as: UInt32.self)) - 1 : table.chunkOffset.entries.count
        }
        guard chunk < table.chunkOffset.entries.count else {
            throw contradiction("chunk", "stco has too few chunks", .truncated)
        }
        let offsets = table.chunkOffset.entries
        let offset = offsets.offset + chunk * offsets.entrySize
        position =
            offsets.entrySize == 8 ? file.load(offset, as: UInt64.self) : UInt64(file.load(offset, as: UInt32.self))
        chunk += 1
        samplesLeftInChunk = samplesPerChunk
    }

    /// Marked `mutating` to avoid a copy of the cursor, although it changes nothing.
    private mutating func sampleSize(_ file: RawSpan) -> Int {
        let sizes = table.sampleSize
        switch sizes.fieldSize {
        case 32: return Int(file.load(sizes.offset + index * 4, as: UInt32.self))
        case 16: return Int(file.load(sizes.offset + index * 2, as: UInt16.self))
        case 8: return Int(file.load(sizes.offset + index, as: UInt8.self))
        case 4:
            let byte = file.load(sizes.offset + index / 2, as: UInt8.self)
            return Int(index.isMultiple(of: 2) ? byte >> 4 : byte & 15)
        default: return Int(sizes.sampleSize)
        }
    }

    private mutating func isSync(_ file: RawSpan) -> Bool {
        guard let entries = table.syncSample?.entries else { return true }
        while syncEntry < entries.count {
            let number = Int(file.load(entries.offset + syncEntry * 4, as: UInt32.self))
            if number == index + 1 {
                syncEntry += 1
                return true
            }
            if number > index + 1 { return false }
            // Entries that are out of order are skipped.
            syncEntry += 1
        }
        return false
    }
}
