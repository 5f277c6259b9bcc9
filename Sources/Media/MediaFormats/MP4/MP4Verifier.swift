import ByteCoding

/// A verifier that checks the consistency of MP4 files: an initialization segment and media segments in order, or a
/// whole file.
///
/// It is as strict as a packager must be. It reads the boxes independently of the cursors, so that an error in a cursor
/// cannot hide an error of the writer.
///
///     var verifier = MP4Verifier()
///     verifier.add(initSegment)
///     for segment in segments { verifier.add(segment) }
///     let findings = verifier.findings
public struct MP4Verifier: Sendable {
    /// An inconsistency that the verifier found.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// The type of an inconsistency.
        public enum Kind: String, Hashable, Sendable {
            /// A box cannot be read, or has unexpected bytes at its end.
            case box
            /// A required box is missing.
            case missingBox
            /// The data offset of a run is not that of its samples, or samples do not fill the mdat box.
            case dataOffset
            /// A sample is outside the media data.
            case sampleRange
            /// The offset in `saio` is not that of the entries in `senc`.
            case auxiliaryOffset
            /// The sizes or numbers of samples in `saiz` differ from those in `senc`.
            case auxiliarySize
            /// The sizes of subsamples do not add up to the size of their sample.
            case subsamples
            /// A fragment does not start at the end of the previous one, or its start is invalid.
            case decodeTime
            /// The sequence numbers of fragments do not ascend.
            case sequenceNumber
            /// The `sidx` box is inconsistent with the segments.
            case index
            /// Sample tables are inconsistent with each other.
            case table
        }

        /// The type of the inconsistency.
        public var kind: Kind
        /// The index of the input, from 0 in the order in which inputs were added.
        public var input: Int
        /// The offset in bytes in the input.
        public var offset: Int
        /// The value that was found and the value that was expected.
        public var detail: String

        /// The finding in one line.
        public var description: String { "\(kind.rawValue) at byte \(offset) of input \(input): \(detail)" }
    }

    /// The findings so far; empty if there is no inconsistency.
    public private(set) var findings: [Finding] = []
    /// The last moov box, whose tracks are used to check fragments.
    private(set) var movie: Movie?
    private var input = -1
    private var sequenceNumber: UInt32?
    /// The maximum number of samples that the runs of the input can still contain: not more than it has bytes.
    private var samplesLeft = 0
    /// The expected decode time of each track's next fragment.
    private var endTimes: [UInt32: UInt64] = [:]

    /// Creates a verifier without any input.
    public init() {}

    /// Verifies a whole file.
    public static func verify(_ file: RawSpan) -> [Finding] {
        var verifier = MP4Verifier()
        verifier.add(file)
        return verifier.findings
    }

    mutating func addFinding(_ kind: Finding.Kind, _ offset: Int, _ detail: String) {
        // The limit prevents a damaged table from filling the memory with findings.
        if findings.count < 1000 {
            findings.append(Finding(kind: kind, input: input, offset: offset, detail: detail))
        }
    }

    /// Verifies the next part, together with the preceding parts.
    ///
    /// - Parameter part: an initialization segment, a media segment or a whole file.
    public mutating func add(_ part: RawSpan) {
        input += 1
        samplesLeft = part.byteCount
        var boxes: [TopLevelBox] = []
        var offset = 0
        do throws(ParseError) {
            while offset < part.byteCount {
                let box = try TopLevelBox(in: part, at: offset)
                guard box.end <= part.byteCount else {
                    addFinding(
                        .box,
                        offset,
                        "the \(box.header.type) box is truncated by \(box.end - part.byteCount) bytes"
                    )
                    break
                }
                boxes.append(box)
                offset = box.end
            }
        } catch {
            addFinding(.box, error.offset, error.description)
        }
        var segments: [FragmentSummary] = []
        for (number, box) in boxes.enumerated() {
            var reader = ByteReader(part.extracting(box.content), base: box.content.lowerBound)
            verifyContent(box.header.type, &reader, depth: 0)
            do throws(ParseError) {
                switch box.header.type {
                case "moov":
                    var reader = ByteReader(part.extracting(box.content), base: box.content.lowerBound)
                    movie = try Movie(reading: &reader)
                case "moof":
                    let data = boxes.dropFirst(number + 1).prefix(4).first { $0.header.type != "free" }
                    segments.append(try verifyFragment(part, box, data: data))
                default: break
                }
            } catch {
                addFinding(.box, error.offset, error.description)
            }
        }
        let edges = Set(boxes.map(\.header.offset) + boxes.map(\.end))
        let end = boxes.last { $0.header.type == "mdat" }?.end ?? part.byteCount
        for box in boxes where box.header.type == "sidx" {
            verifyIndex(part, box, edges: edges, mediaEnd: end, segments)
        }
        verifySampleTables(part, boxes)
    }

    /// The boxes that contain only boxes and that readers parse.
    private static let containers: Set<FourCC> = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf", "mfra",
    ]

    /// Checks that the sizes of boxes add up at each level, and that known boxes have no unexpected bytes.
    private mutating func verifyContent(_ type: FourCC, _ reader: inout ByteReader, depth: Int) {
        let offset = reader.offset
        do throws(ParseError) {
            if Self.containers.contains(type) {
                guard depth < 16 else { return addFinding(.box, offset, "boxes are nested too deep") }
                while reader.remaining > 0 {
                    let header = try BoxHeader(reading: &reader)
                    var content = try reader.split(header.contentSize(of: reader.remaining), "\(header.type) box")
                    verifyContent(header.type, &content, depth: depth + 1)
                }
            } else if try readKnownBox(type, &reader) {
                try reader.finish("\(type) box")
            }
        } catch {
            addFinding(.box, error.offset, error.description)
        }
    }

    /// Reads a known box to the end of its fields. Returns false if the type is not known.
    private func readKnownBox(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) -> Bool {
        switch type {
        case "mvhd", "tkhd", "mdhd", "elst", "stts", "ctts", "stss", "stsc", "stco", "co64", "stsz", "stz2", "mehd",
            "trex",
            "mfhd", "tfhd", "tfdt", "sidx", "tfra", "mfro", "saiz", "saio", "sgpd", "sbgp", "pssh":
            _ = try BoxRegistry.box(type)?.summary(reading: &reader, type: type)
            return true
        case "trun":
            try VerifiedTrackFragment.skipRun(&reader)
            return true
        default: return false
        }
    }

    // MARK: Fragments

    /// The properties of a fragment for checking `sidx`.
    struct FragmentSummary {
        var offset: Int
        var durations: [UInt32: UInt64] = [:]
        var startsWithSync: [UInt32: Bool] = [:]
        var earliest: [UInt32: Int64] = [:]
    }

    private mutating func verifyFragment(
        _ part: RawSpan,
        _ moof: TopLevelBox,
        data: TopLevelBox?
    ) throws(ParseError) -> FragmentSummary {
        var result = FragmentSummary(offset: moof.header.offset)
        var reader = ByteReader(part.extracting(moof.content), base: moof.content.lowerBound)
        guard let data, data.header.type == "mdat" else {
            addFinding(.missingBox, moof.end, "no mdat box follows the moof box")
            return result
        }
        var tracks: [VerifiedTrackFragment] = []
        try reader.readBoxes(in: "moof") { box, content throws(ParseError) in
            if box.type == "mfhd" {
                let number = try MovieFragmentHeaderBox(reading: &content).sequenceNumber
                if let last = sequenceNumber, number <= last {
                    addFinding(.sequenceNumber, box.offset, "fragment \(number) follows fragment \(last)")
                }
                sequenceNumber = number
            }
            if box.type == "traf" {
                tracks.append(try VerifiedTrackFragment(reading: &content, samplesLeft: &samplesLeft))
            }
        }
        var ranges: [Range<Int>] = []
        for track in tracks {
            guard let fields = track.header, let description = movie?.track(fields.trackID) else {
                addFinding(.missingBox, moof.header.offset, "a traf box has no tfhd box, or its track does not exist")
                continue
            }
            let samples = track.samples(extends: description.extends)
            verifyTimes(track, samples, fields.trackID, moof.header.offset)
            var starts = track.dataRanges(moof: moof.header.offset, previousEnd: ranges.last?.upperBound, samples)
            starts.removeAll(where: \.isEmpty)
            ranges += starts
            verifyEncryption(track, samples, description, moof.header.offset)
            result.durations[fields.trackID, default: 0] += samples.reduce(0) { $0 + UInt64($1.duration) }
            if let first = samples.first {
                result.startsWithSync[fields.trackID] = result.startsWithSync[fields.trackID] ?? first.flags.isSync
            }
            var time = Int64(min(track.decodeTime ?? 0, 1 << 62))
            for sample in samples {
                let presentation = time + Int64(sample.compositionOffset)
                result.earliest[fields.trackID] = min(result.earliest[fields.trackID] ?? .max, presentation)
                time += Int64(sample.duration)
            }
        }
        // Runs must fill the mdat box without gaps.
        var position = data.content.lowerBound
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound != position {
                addFinding(
                    .dataOffset,
                    moof.header.offset,
                    "a run begins at byte \(range.lowerBound), expected \(position)"
                )
            }
            position = range.upperBound
        }
        if position != data.end {
            addFinding(
                .dataOffset,
                moof.header.offset,
                "samples end at byte \(position), the mdat box ends at byte \(data.end)"
            )
        }
        return result
    }

    private mutating func verifyTimes(
        _ track: VerifiedTrackFragment,
        _ samples: [VerifiedTrackFragment.Sample],
        _ trackID: UInt32,
        _ offset: Int
    ) {
        guard let time = track.decodeTime else {
            return addFinding(.missingBox, offset, "track \(trackID) has no tfdt box")
        }
        guard time < 1 << 62 else {
            return addFinding(.decodeTime, offset, "the decode time of track \(trackID) is \(time), must be below 2^62")
        }
        if let expected = endTimes[trackID], expected != time {
            let detail = "track \(trackID) begins at \(time), the previous fragment ended at \(expected)"
            addFinding(.decodeTime, offset, detail)
        }
        endTimes[trackID] = samples.reduce(time) { $0 + UInt64($1.duration) }
    }
}
