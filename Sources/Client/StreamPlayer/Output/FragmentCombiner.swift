/// Combines the tracks of several fragmented MP4 streams into one stream: one `moov` box with all tracks, and the
/// fragments one after the other. Samples are unchanged; track IDs and sequence numbers of fragments are reassigned.
///
///     moov { mvhd  trak, of each stream, with a new track_ID  mvex { trex, of each } }
///     moof { mfhd, numbered through  traf { tfhd, with the new track_ID ... } } mdat
struct FragmentCombiner {
    /// The reason why streams cannot be combined.
    struct Failure: Error {
        let reason: String
    }

    /// The init segments, by stream.
    private var initializations: [[UInt8]?]
    private var sequenceNumber: UInt32 = 0
    /// The number of tracks in the streams before each stream.
    private var offsets: [UInt32] = []
    private var trackIDs: [[UInt32]] = []

    init(streams count: Int) { initializations = Array(repeating: nil, count: count) }

    /// Adds an init segment.
    ///
    /// - Returns: The init segment of all streams, when each stream has one, and again when one changes; otherwise nil.
    mutating func initialize(_ stream: Int, _ bytes: [UInt8]) throws -> [UInt8]? {
        initializations[stream] = bytes
        let all = initializations.compactMap { $0 }
        guard all.count == initializations.count else { return nil }
        return try combine(all)
    }

    /// Returns a fragment for the combined stream.
    mutating func fragment(_ stream: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        guard trackIDs.indices.contains(stream) else {
            throw Failure(reason: "a segment comes before its init segment")
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for box in try Box.all(bytes[...]) {
            switch box.type {
            case "moof":
                var moof = Array(box.bytes)
                sequenceNumber &+= 1
                try renumber(&moof, stream)
                output += moof
            // An index refers to byte offsets of its own stream.
            case "sidx", "ssix", "styp": break
            default: output += box.bytes
            }
        }
        return output
    }

    // MARK: Boxes

    private mutating func combine(_ all: [[UInt8]]) throws -> [UInt8] {
        var (fileType, header): ([UInt8], [UInt8]) = ([], [])
        var (tracks, extends): ([UInt8], [UInt8]) = ([], [])
        (offsets, trackIDs) = ([], [])
        var last: UInt32 = 0
        for (index, bytes) in all.enumerated() {
            let boxes = try Box.all(bytes[...])
            if index == 0, let box = boxes.first(where: { $0.type == "ftyp" }) { fileType = Array(box.bytes) }
            guard let movie = boxes.first(where: { $0.type == "moov" }) else {
                throw Failure(reason: "an init segment has no moov box")
            }
            offsets.append(last)
            var own: [UInt32] = []
            for child in try movie.children {
                switch child.type {
                case "mvhd": if index == 0 { header = Array(child.bytes) }
                case "trak":
                    var track = Array(child.bytes)
                    last += 1
                    own.append(try Self.identify(&track, as: last))
                    tracks += track
                case "mvex":
                    for box in try child.children where box.type == "trex" {
                        var box = Array(box.bytes)
                        guard box.count >= 16, let place = own.firstIndex(of: Self.number(box, 12)) else { continue }
                        Self.write(offsets[index] + UInt32(place) + 1, to: &box, at: 12)
                        extends += box
                    }
                default: break
                }
            }
            trackIDs.append(own)
        }
        guard header.count >= 100 else { throw Failure(reason: "an init segment has no mvhd box") }
        Self.write(last + 1, to: &header, at: header.count - 4)
        return fileType + Box.make("moov", header + tracks + Box.make("mvex", extends))
    }

    /// Sets the track ID of a `trak` box.
    ///
    /// - Returns: The previous track ID.
    private static func identify(_ track: inout [UInt8], as new: UInt32) throws -> UInt32 {
        guard let header = try Box(track[...]).children.first(where: { $0.type == "tkhd" }) else {
            throw Failure(reason: "a trak box has no tkhd box")
        }
        let start = header.bytes.startIndex
        // After size, type, version and flags, and two times of 4 bytes in version 0 or 8 bytes in version 1.
        let place = start + (header.bytes.count > 8 && header.bytes[start + 8] == 1 ? 28 : 20)
        guard place + 4 <= header.bytes.endIndex else { throw Failure(reason: "a tkhd box is too short") }
        defer { write(new, to: &track, at: place) }
        return number(track, place)
    }

    private func renumber(_ moof: inout [UInt8], _ stream: Int) throws {
        for child in try Box(moof[...]).children {
            let start = child.bytes.startIndex
            if child.type == "mfhd", child.bytes.count >= 16 { Self.write(sequenceNumber, to: &moof, at: start + 12) }
            guard child.type == "traf" else { continue }
            for header in try child.children where header.type == "tfhd" {
                let place = header.bytes.startIndex + 12
                guard header.bytes.count >= 16 else { throw Failure(reason: "a tfhd box is too short") }
                guard moof[place - 1] & 1 == 0 else {
                    throw Failure(reason: "a tfhd box has a base-data-offset, which is relative to the original file")
                }
                guard let index = trackIDs[stream].firstIndex(of: Self.number(moof, place)) else {
                    throw Failure(reason: "a fragment has a track that is not in its init segment")
                }
                Self.write(offsets[stream] + UInt32(index) + 1, to: &moof, at: place)
            }
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func write(_ value: UInt32, to bytes: inout [UInt8], at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(index))) }
    }

    /// A box with its bytes, including the header.
    private struct Box {
        let type: String
        let bytes: ArraySlice<UInt8>
        private let headerSize: Int

        init(_ bytes: ArraySlice<UInt8>) throws {
            guard let first = try Self.all(bytes).first else { throw Failure(reason: "a box is missing") }
            self = first
        }

        private init(type: String, bytes: ArraySlice<UInt8>, headerSize: Int) {
            (self.type, self.bytes, self.headerSize) = (type, bytes, headerSize)
        }

        var children: [Box] { get throws { try Self.all(bytes.dropFirst(headerSize)) } }

        static func all(_ bytes: ArraySlice<UInt8>) throws -> [Box] {
            var boxes: [Box] = []
            var rest = bytes
            while !rest.isEmpty {
                guard rest.count >= 8 else { throw Failure(reason: "a box is truncated") }
                let start = rest.startIndex
                var size = rest[start..<start + 4].reduce(0) { $0 << 8 | UInt64($1) }
                var headerSize = 8
                if size == 1, rest.count >= 16 {
                    size = rest[start + 8..<start + 16].reduce(0) { $0 << 8 | UInt64($1) }
                    headerSize = 16
                } else if size == 0 {
                    size = UInt64(rest.count)
                }
                guard size >= UInt64(headerSize), size <= UInt64(rest.count) else {
                    throw Failure(reason: "a box is truncated")
                }
                let type = String(decoding: rest[start + 4..<start + 8], as: UTF8.self)
                boxes.append(Box(type: type, bytes: rest.prefix(Int(size)), headerSize: headerSize))
                rest = rest.dropFirst(Int(size))
            }
            return boxes
        }

        static func make(_ type: StaticString, _ content: [UInt8]) -> [UInt8] {
            var box: [UInt8] = [0, 0, 0, 0]
            FragmentCombiner.write(UInt32(truncatingIfNeeded: content.count + 8), to: &box, at: 0)
            return box + type.withUTF8Buffer { Array($0) } + content
        }
    }
}
