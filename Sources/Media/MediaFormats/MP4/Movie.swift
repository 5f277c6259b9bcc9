public import ByteCoding

/// A `moov` box: the metadata of a presentation (ISO/IEC 14496-12, 8.2.1). The entries of sample tables stay in the
/// file.
///
///     mvhd
///     trak    each, see ``Track``
///     mvex    mehd, and a trex for each track: the presentation continues in fragments
///     pssh    each
///     udta, meta and unknown boxes are skipped
public struct Movie: Hashable, Sendable {
    /// The header of the presentation.
    public var header: MovieHeaderBox
    /// The tracks.
    public var tracks: [Track]
    /// The protection system headers (`pssh`) for DRM systems.
    public var protectionSystemHeaders: [ProtectionSystemHeaderBox]
    /// True if the presentation continues in fragments.
    public var isFragmented: Bool
    /// The total duration of the fragments in the timescale of the movie; nil if it is not known.
    public var fragmentDuration: UInt64?

    /// The maximum number of tracks. A file with more is rejected.
    static let maximumTrackCount = 256

    /// Reads the content of a moov box.
    ///
    /// The offsets of the tables are relative to the reader's base. If the box is read from a file, they are offsets in
    /// the file.
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
                guard tracks.count < Self.maximumTrackCount else {
                    throw ParseError(
                        .notSupported,
                        reading: "moov box",
                        offset: box.offset,
                        reason: "the box has more than \(Self.maximumTrackCount) tracks"
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
                    reason: "compressed boxes (cmov) are not supported"
                )
            default: break
            }
        }
        guard let header else {
            throw ParseError(.missingBox, reading: "moov box", offset: start, reason: "the box has no mvhd box")
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

    /// Returns the track with an ID, if any.
    public func track(_ id: UInt32) -> Track? { tracks.first { $0.id == id } }
}
