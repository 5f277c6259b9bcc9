public import ByteCoding

/// `moov`: what a presentation consists of (ISO/IEC 14496-12, 8.2.1). The tables of samples stay where they are.
///
///     mvhd
///     trak    each, see ``Track``
///     mvex    mehd, and a trex for each track: the presentation goes on in fragments
///     pssh    each
///     udta, meta and what is not known are passed over
public struct Movie: Hashable, Sendable {
    /// The presentation as a whole.
    public var header: MovieHeaderBox
    /// The tracks.
    public var tracks: [Track]
    /// What DRM systems need to know.
    public var protectionSystemHeaders: [ProtectionSystemHeaderBox]
    /// Whether the presentation goes on in fragments.
    public var isFragmented: Bool
    /// How long the fragments are, in the timescale of the movie; nil: not known.
    public var fragmentDuration: UInt64?

    /// How many tracks are read; a file with more is no film.
    static let mostTracks = 256

    /// Reads the content of a moov box.
    ///
    /// The offsets of the tables count as the reader's do: read from a file, they are places in the file.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        var header: MovieHeaderBox?
        var tracks: [Track] = []
        var extends: [TrackExtendsBox] = []
        var systems: [ProtectionSystemHeaderBox] = []
        var fragmentDuration: UInt64?
        var isFragmented = false
        try reader.readBoxes(in: "moov") { box, content throws(ParseError) in
            switch box.type {
            case "mvhd": header = try MovieHeaderBox(reading: &content)
            case "trak":
                guard tracks.count < Self.mostTracks else {
                    throw ParseError(
                        .notSupported,
                        reading: "moov box",
                        offset: box.offset,
                        reason: "it has more than \(Self.mostTracks) tracks"
                    )
                }
                tracks.append(try Track(reading: &content))
            case "mvex":
                isFragmented = true
                try content.readBoxes(in: "mvex") { inner, box throws(ParseError) in
                    if inner.type == "trex" { extends.append(try TrackExtendsBox(reading: &box)) }
                    if inner.type == "mehd" {
                        fragmentDuration = try MovieExtendsHeaderBox(reading: &box).fragmentDuration
                    }
                }
            case "pssh": systems.append(try ProtectionSystemHeaderBox(reading: &content))
            case "cmov":
                throw ParseError(
                    .notSupported,
                    reading: "moov box",
                    offset: box.offset,
                    reason: "it is compressed (cmov)"
                )
            default: break
            }
        }
        guard let header else {
            throw ParseError(.missingBox, reading: "moov box", offset: start, reason: "it has no mvhd box")
        }
        var identifiers: Set<UInt32> = []
        for track in tracks where !identifiers.insert(track.id).inserted {
            throw ParseError(
                .invalidValue,
                reading: "moov box",
                offset: start,
                reason: "two tracks have the ID \(track.id)"
            )
        }
        for index in tracks.indices {
            tracks[index].movieTimescale = header.timescale
            tracks[index].extends = extends.last { $0.trackID == tracks[index].id }
        }
        self.header = header
        self.tracks = tracks
        self.isFragmented = isFragmented
        self.fragmentDuration = fragmentDuration
        protectionSystemHeaders = systems
    }

    /// The track with an ID.
    public func track(_ id: UInt32) -> Track? { tracks.first { $0.id == id } }
}
