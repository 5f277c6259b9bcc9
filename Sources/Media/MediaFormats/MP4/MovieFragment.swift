import ByteCoding

/// A `moof` box: the samples of one or more tracks (ISO/IEC 14496-12, 8.8.4), as offsets in the input.
///
///     mfhd
///     traf   tfhd, tfdt, trun (each), saiz, saio, senc, sgpd, sbgp; one for each track
struct MovieFragment: Sendable {
    /// A `trun` box.
    struct Run: Sendable {
        /// The offset of the first entry in the span.
        var entries: Int
        /// The size of an entry in bytes; 0 if all samples have the defaults.
        var entrySize: Int
        /// The fields of each entry: the flags of the box.
        var fields: UInt32
        var count: Int
        /// The offset of the first sample in the file.
        var dataOffset: Int
        var firstSampleFlags: UInt32?
        /// The index of the run's track fragment in ``MovieFragment/tracks``.
        var track: Int
        /// The index of the run in its track fragment, from 0.
        var number: Int

        /// A run without samples.
        static let none = Run(
            entries: 0,
            entrySize: 0,
            fields: 0,
            count: 0,
            dataOffset: 0,
            firstSampleFlags: nil,
            track: 0,
            number: 0
        )
    }

    /// A `traf` box.
    struct TrackFragment: Sendable {
        var decodeTime: UInt64?
        var duration: UInt32
        var size: UInt32
        var flags: UInt32
        var descriptionIndex: UInt32
        var auxiliary = SampleAuxiliary()
        /// The offset in the file that data offsets are relative to.
        var base: Int
    }

    private(set) var tracks: [TrackFragment] = []
    private(set) var runs: [Run] = []
    private let trackID: UInt32
    private let extends: TrackExtendsBox
    /// The end of the previous run's data, if any.
    private var dataEnd: Int?
    private let fileOffset: Int

    /// Reads the parts of a moof box for one track.
    ///
    /// - Parameters:
    ///   - file: the span that contains the box.
    ///   - content: the range of its content in the span.
    ///   - fileOffset: the offset of the box in the file.
    ///   - extends: the defaults of the track.
    init(
        reading file: RawSpan,
        content: Range<Int>,
        fileOffset: Int,
        extends: TrackExtendsBox
    ) throws(ParseError) {
        trackID = extends.trackID
        self.extends = extends
        self.fileOffset = fileOffset
        var reader = ByteReader(file.extracting(content), base: content.lowerBound)
        var isFirst = true
        try reader.readBoxes(in: "moof") { box, content throws(ParseError) in
            guard box.type == "traf" else { return }
            try readTrackFragment(&content, file, isFirst: isFirst)
            isFirst = false
        }
    }

    private mutating func readTrackFragment(
        _ reader: inout ByteReader,
        _ file: RawSpan,
        isFirst: Bool
    ) throws(ParseError) {
        let start = reader.offset
        var header: TrackFragmentHeaderBox?
        var part = TrackFragment(duration: 0, size: 0, flags: 0, descriptionIndex: 1, base: fileOffset)
        var isWanted = false
        var number = 0
        try reader.readBoxes(in: "traf") { box, content throws(ParseError) in
            if box.type == "tfhd", header == nil {
                let fields = try TrackFragmentHeaderBox(reading: &content)
                header = fields
                isWanted = fields.trackID == trackID
                try begin(&part, fields, isFirst: isFirst, offset: box.offset)
                return
            }
            guard header != nil else {
                throw ParseError(
                    .missingBox,
                    reading: "traf box",
                    offset: start,
                    reason: "a tfhd box must precede the other boxes"
                )
            }
            switch box.type {
            case "trun":
                let run = try readRun(&content, part, number: number)
                number += 1
                // The runs of other tracks matter only if data are located relative to them.
                dataEnd = try end(of: run, part, file)
                if isWanted { runs.append(run) }
            case "tfdt":
                if isWanted { part.decodeTime = try TrackFragmentDecodeTimeBox(reading: &content).baseMediaDecodeTime }
            default:
                if isWanted { try part.auxiliary.read(box.type, &content) }
            }
        }
        if isWanted { tracks.append(part) }
    }

    /// Sets the base: the given offset, the start of the moof box, or the end of the previous track's data.
    private mutating func begin(
        _ part: inout TrackFragment,
        _ header: TrackFragmentHeaderBox,
        isFirst: Bool,
        offset: Int
    ) throws(ParseError) {
        part.duration = header.sampleDuration ?? extends.sampleDuration
        part.size = header.sampleSize ?? extends.sampleSize
        part.flags = (header.sampleFlags ?? extends.sampleFlags).rawValue
        part.descriptionIndex = header.sampleDescriptionIndex ?? extends.sampleDescriptionIndex
        if let base = header.baseDataOffset {
            guard base < 1 << 62 else {
                throw ParseError(
                    .invalidValue,
                    reading: "base data offset",
                    offset: offset,
                    reason: "must be below 2^62"
                )
            }
            part.base = Int(base)
        } else if header.isDefaultBaseMoof || isFirst {
            part.base = fileOffset
        } else {
            part.base = dataEnd ?? fileOffset
        }
        dataEnd = nil
    }

    private func readRun(_ reader: inout ByteReader, _ part: TrackFragment, number: Int) throws(ParseError) -> Run {
        let flags = try FullBoxHeader(reading: &reader, of: "trun", newest: 1).flags
        let start = reader.offset
        let count = Int(try reader.readUInt32("number of samples in a run"))
        var dataOffset = dataEnd ?? part.base
        if flags & 1 != 0 {
            dataOffset = part.base + Int(Int32(bitPattern: try reader.readUInt32("data offset of a run")))
        }
        let firstSampleFlags = flags & 4 == 0 ? nil : try reader.readUInt32("first sample flags")
        let entrySize = 4 * (flags >> 8 & 15).nonzeroBitCount
        guard entrySize == 0 ? count == 0 || part.size > 0 : count <= reader.remaining / entrySize else {
            throw ParseError(
                .invalidLength,
                reading: "number of samples in a run",
                offset: start,
                reason: "\(count) samples do not fit in the \(reader.remaining) bytes that are left"
            )
        }
        guard dataOffset >= 0, dataOffset < 1 << 62 else {
            throw ParseError(
                .invalidValue,
                reading: "data offset of a run",
                offset: start,
                reason: "the offset \(dataOffset) is out of range"
            )
        }
        return Run(
            entries: reader.offset,
            entrySize: entrySize,
            fields: flags,
            count: count,
            dataOffset: dataOffset,
            firstSampleFlags: firstSampleFlags,
            track: tracks.count,
            number: number
        )
    }

    private func end(of run: Run, _ part: TrackFragment, _ file: RawSpan) throws(ParseError) -> Int {
        guard run.fields & 0x200 != 0 else {
            // At most 2^32 samples of 2^32 bytes each.
            let (size, overflow) = run.count.multipliedReportingOverflow(by: Int(part.size))
            guard !overflow, size < 1 << 61 else {
                throw ParseError(
                    .invalidLength,
                    reading: "samples of a run",
                    offset: run.entries,
                    reason: "the samples are too large"
                )
            }
            return run.dataOffset + size
        }
        let sizeOffset = run.entries + (run.fields & 0x100 == 0 ? 0 : 4)
        var end = run.dataOffset
        for index in 0..<run.count { end += Int(file.load(sizeOffset + index * run.entrySize, as: UInt32.self)) }
        return end
    }
}
