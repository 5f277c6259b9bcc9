import ByteCoding

/// Holds MP4 files against themselves: an init segment and media segments one after the other, or a whole file.
///
/// It is strict where a packager must be exact, and it is a reader of its own: boxes are read one by one, without the
/// cursors, so that a mistake of theirs does not hide one of the writer's.
///
///     var verifier = MP4Verifier()
///     verifier.add(initSegment)
///     for segment in segments { verifier.add(segment) }
///     let findings = verifier.findings
public struct MP4Verifier: Sendable {
    /// What is wrong.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// What kind of thing is wrong.
        public enum Kind: String, Hashable, Sendable {
            /// A box cannot be read, or bytes are left over in it.
            case box
            /// A box is missing.
            case missingBox
            /// The data offset of a run does not lead to its samples, or samples do not fill the mdat box.
            case dataOffset
            /// A sample lies outside of the media data.
            case sampleRange
            /// `saio` does not lead to the entries of `senc`.
            case auxiliaryOffset
            /// `saiz` says other sizes or numbers than `senc` has.
            case auxiliarySize
            /// Subsamples do not make up their sample.
            case subsamples
            /// A fragment does not begin where the one before ended, or below 0.
            case decodeTime
            /// The numbers of fragments do not ascend.
            case sequenceNumber
            /// `sidx` does not agree with the segments.
            case index
            /// Tables of samples contradict each other.
            case table
        }

        /// What kind of thing is wrong.
        public var kind: Kind
        /// In which of the inputs, from 0 in the order in which they were added.
        public var input: Int
        /// At which byte of it.
        public var offset: Int
        /// What was found and what was expected.
        public var detail: String

        /// One line.
        public var description: String { "\(kind.rawValue) at byte \(offset) of input \(input): \(detail)" }
    }

    /// What was found so far; empty: all is in order.
    public private(set) var findings: [Finding] = []
    /// What a fragment is held against: the tracks of the last moov box.
    private(set) var movie: Movie?
    private var input = -1
    private var sequenceNumber: UInt32?
    /// How many samples the runs of an input may still list: there are no more than it has bytes.
    private var samplesLeft = 0
    /// When the next fragment of a track begins.
    private var endTimes: [UInt32: UInt64] = [:]

    /// Makes a verifier that has seen nothing.
    public init() {}

    /// Holds a whole file against itself.
    public static func verify(_ file: RawSpan) -> [Finding] {
        var verifier = MP4Verifier()
        verifier.add(file)
        return verifier.findings
    }

    mutating func find(_ kind: Finding.Kind, _ offset: Int, _ detail: String) {
        // A broken table must not fill the memory with findings.
        if findings.count < 1000 {
            findings.append(Finding(kind: kind, input: input, offset: offset, detail: detail))
        }
    }

    /// Holds the next part against what came before.
    ///
    /// - Parameter part: An init segment, a media segment or a whole file.
    public mutating func add(_ part: RawSpan) {
        input += 1
        samplesLeft = part.byteCount
        var boxes: [TopLevelBox] = []
        var offset = 0
        do throws(ParseError) {
            while offset < part.byteCount {
                let box = try TopLevelBox(in: part, at: offset)
                guard box.end <= part.byteCount else {
                    find(.box, offset, "the \(box.header.type) box is cut off by \(box.end - part.byteCount) bytes")
                    break
                }
                boxes.append(box)
                offset = box.end
            }
        } catch {
            find(.box, error.offset, error.description)
        }
        var segments: [IndexedPart] = []
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
                find(.box, error.offset, error.description)
            }
        }
        let edges = Set(boxes.map(\.header.offset) + boxes.map(\.end))
        let end = boxes.last { $0.header.type == "mdat" }?.end ?? part.byteCount
        for box in boxes where box.header.type == "sidx" {
            verifyIndex(part, box, edges: edges, mediaEnd: end, segments)
        }
        verifySampleTables(part, boxes)
    }

    /// Boxes that have nothing but boxes in them, and are not passed over by readers.
    private static let containers: Set<FourCC> = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf", "mfra",
    ]

    /// Sizes of boxes must add up at each level, and boxes that are known must have nothing left over.
    private mutating func verifyContent(_ type: FourCC, _ reader: inout ByteReader, depth: Int) {
        let offset = reader.offset
        do throws(ParseError) {
            if Self.containers.contains(type) {
                guard depth < 16 else { return find(.box, offset, "boxes lie too deep") }
                while reader.remaining > 0 {
                    let header = try BoxHeader(reading: &reader)
                    var content = try reader.split(header.contentSize(of: reader.remaining), "\(header.type) box")
                    verifyContent(header.type, &content, depth: depth + 1)
                }
            } else if try readKnownBox(type, &reader) {
                try reader.finish("\(type) box")
            }
        } catch {
            find(.box, error.offset, error.description)
        }
    }

    /// Reads a box that has an end of its own; false when it is not known.
    private func readKnownBox(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) -> Bool {
        switch type {
        case "mvhd", "tkhd", "mdhd", "elst", "stts", "ctts", "stss", "stsc", "stco", "co64", "stsz", "stz2", "mehd",
            "trex",
            "mfhd", "tfhd", "tfdt", "sidx", "tfra", "mfro", "saiz", "saio", "sgpd", "sbgp", "pssh":
            _ = try boxFields(type, &reader)
            return true
        case "trun":
            try VerifiedTrackFragment.skipRun(&reader)
            return true
        default: return false
        }
    }

    // MARK: Fragments

    /// What `sidx` is held against.
    struct IndexedPart {
        var offset: Int
        var durations: [UInt32: UInt64] = [:]
        var startsWithSync: [UInt32: Bool] = [:]
        var earliest: [UInt32: Int64] = [:]
    }

    private mutating func verifyFragment(
        _ part: RawSpan,
        _ moof: TopLevelBox,
        data: TopLevelBox?
    ) throws(ParseError) -> IndexedPart {
        var result = IndexedPart(offset: moof.header.offset)
        var reader = ByteReader(part.extracting(moof.content), base: moof.content.lowerBound)
        guard let data, data.header.type == "mdat" else {
            find(.missingBox, moof.end, "no mdat box follows the moof box")
            return result
        }
        var tracks: [VerifiedTrackFragment] = []
        try reader.readBoxes(in: "moof") { box, content throws(ParseError) in
            if box.type == "mfhd" {
                let number = try MovieFragmentHeaderBox(reading: &content).sequenceNumber
                if let last = sequenceNumber, number <= last {
                    find(.sequenceNumber, box.offset, "fragment \(number) follows fragment \(last)")
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
                find(.missingBox, moof.header.offset, "a traf box has no tfhd box, or there is no such track")
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
        // Runs must fill the mdat box, one behind the other.
        var position = data.content.lowerBound
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound != position {
                find(.dataOffset, moof.header.offset, "a run begins at byte \(range.lowerBound), expected \(position)")
            }
            position = range.upperBound
        }
        if position != data.end {
            find(.dataOffset, moof.header.offset, "samples end at byte \(position), the mdat box at \(data.end)")
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
            return find(.missingBox, offset, "track \(trackID) has no tfdt box")
        }
        guard time < 1 << 62 else {
            return find(.decodeTime, offset, "track \(trackID) begins before 0, or absurdly late")
        }
        if let expected = endTimes[trackID], expected != time {
            find(.decodeTime, offset, "track \(trackID) begins at \(time), the fragment before ended at \(expected)")
        }
        endTimes[trackID] = samples.reduce(time) { $0 + UInt64($1.duration) }
    }
}
