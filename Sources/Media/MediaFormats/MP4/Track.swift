public import ByteCoding

/// A `trak` box: a track (ISO/IEC 14496-12, 8.3.1).
///
///     tkhd
///     tref    chap
///     edts    elst
///     mdia    mdhd, hdlr, elng, minf
///     udta    ludt
///     minf    dinf with dref, stbl
///     stbl    stsd, stts, ctts, stsc, stsz or stz2, stco or co64, stss, saiz, saio, senc, sgpd, sbgp
public struct Track: Hashable, Sendable {
    /// The header of the track.
    public var header: TrackHeaderBox
    /// The timescale, the duration and the language.
    public var mediaHeader: MediaHeaderBox
    /// The handler: the type of media and its name.
    public var handler: HandlerBox
    /// The language as a BCP 47 tag; nil if the file has no `elng` box.
    public var extendedLanguage: String?
    /// The IDs of the tracks that contain this track's chapters.
    public var chapterTrackIDs: [UInt32]
    /// The edit list, if any. ``timing()`` interprets it.
    public var editList: EditListBox?
    /// The data references, which specify the files that contain the samples.
    public var dataReferences: DataReferenceBox?
    /// The sample descriptions.
    public var descriptions: [SampleEntry]
    /// The table of the samples outside of fragments; nil if there are none.
    public var table: SampleTable?
    /// The defaults for fragments; nil if the track has no fragments.
    public var extends: TrackExtendsBox?
    /// The loudness in the user data; nil if the track has no `ludt` box.
    public var loudness: LoudnessBox?
    /// The auxiliary information and groups of the samples in ``table``.
    var auxiliary = SampleAuxiliary()
    var movieTimescale: UInt32 = 1

    /// The ID of the track.
    public var id: UInt32 { header.trackID }
    /// The timescale of the media, in units per second.
    public var timescale: UInt32 { mediaHeader.timescale }
    /// The handler type of the media, for example `vide`, `soun`, `text` or `subt`.
    public var kind: FourCC { handler.handlerType }
    /// The language: the BCP 47 tag of `elng`, or the three letters of `mdhd`; `und` if it is not known.
    public var language: String { extendedLanguage ?? mediaHeader.language }

    /// Returns the timing that the edit list specifies.
    ///
    /// - Throws: `ParseError` `not-supported`, with the ID of the track, if the edit list presents several ranges of
    ///   media or has a rate other than 1.
    public func timing() throws(ParseError) -> TrackTiming {
        try TrackTiming(
            editList: editList,
            trackID: id,
            movieTimescale: movieTimescale,
            timescale: timescale
        )
    }

    /// Throws an error unless the samples are in this file.
    ///
    /// - Throws: `ParseError` `not-supported`, with the ID of the track.
    public func requireSelfContained() throws(ParseError) {
        for entry in descriptions where dataReferences?.isSelfContained(entry.dataReferenceIndex) == false {
            throw ParseError(
                .notSupported,
                reading: "track \(id)",
                offset: 0,
                reason: "its samples are in another file, which is not supported"
            )
        }
    }

    init(reading reader: inout ByteReader) throws(ParseError) {
        var parts = TrackParts(offset: reader.offset)
        try reader.readBoxes(in: "trak") { box, content throws(ParseError) in
            switch box.type {
            case "tkhd": parts.header = try TrackHeaderBox(reading: &content)
            case "tref":
                try content.readBoxes(in: "tref") { inner, list throws(ParseError) in
                    guard inner.type == "chap" else { return }
                    while list.remaining >= 4 { parts.chapterTrackIDs.append(try list.readUInt32("track ID")) }
                }
            case "edts":
                try content.readBoxes(in: "edts") { inner, list throws(ParseError) in
                    if inner.type == "elst" { parts.editList = try EditListBox(reading: &list) }
                }
            case "mdia": try parts.readMedia(&content)
            case "udta": parts.readUserData(&content)
            default: break
            }
        }
        header = try parts.require(parts.header, "tkhd")
        mediaHeader = try parts.require(parts.mediaHeader, "mdhd")
        handler = try parts.require(parts.handler, "hdlr")
        extendedLanguage = parts.extendedLanguage
        chapterTrackIDs = parts.chapterTrackIDs
        editList = parts.editList
        dataReferences = parts.dataReferences
        descriptions = try parts.require(parts.descriptions, "stsd").entries
        table = try parts.table()
        auxiliary = parts.auxiliary
        loudness = parts.loudness
        guard header.trackID != 0 else {
            throw ParseError(.invalidValue, reading: "trak box", offset: parts.offset, reason: "its track ID is 0")
        }
    }
}

/// The boxes of a `trak` box that have been read, in any order.
private struct TrackParts {
    let offset: Int
    var header: TrackHeaderBox?
    var chapterTrackIDs: [UInt32] = []
    var editList: EditListBox?
    var mediaHeader: MediaHeaderBox?
    var handler: HandlerBox?
    var extendedLanguage: String?
    var dataReferences: DataReferenceBox?
    var descriptions: SampleDescriptionBox?
    var timeToSample: TimeToSampleBox?
    var compositionOffset: CompositionOffsetBox?
    var sampleToChunk: SampleToChunkBox?
    var sampleSize: SampleSizeBox?
    var chunkOffset: ChunkOffsetBox?
    var syncSample: SyncSampleBox?
    var auxiliary = SampleAuxiliary()
    var loudness: LoudnessBox?

    init(offset: Int) { self.offset = offset }

    func require<Part>(_ part: Part?, _ type: FourCC) throws(ParseError) -> Part {
        if let part { return part }
        let track = header.map { "track \($0.trackID)" } ?? "trak box"
        throw ParseError(.missingBox, reading: track, offset: offset, reason: "it has no \(type) box")
    }

    /// Reads the loudness. Damaged user data are no error, because nothing else depends on them.
    mutating func readUserData(_ reader: inout ByteReader) {
        var found: LoudnessBox?
        do throws(ParseError) {
            try reader.readBoxes(in: "udta") { box, content throws(ParseError) in
                if box.type == LoudnessBox.type, found == nil { found = LoudnessBox(reading: &content) }
            }
        } catch {
            // The boxes before the damage were read.
        }
        loudness = loudness ?? found
    }

    mutating func readMedia(_ reader: inout ByteReader) throws(ParseError) {
        try reader.readBoxes(in: "mdia") { box, content throws(ParseError) in
            switch box.type {
            case "mdhd": mediaHeader = try MediaHeaderBox(reading: &content)
            // QuickTime files have a second hdlr box, in minf, which does not describe the media.
            case "hdlr": handler = try HandlerBox(reading: &content)
            case "elng": extendedLanguage = try ExtendedLanguageBox(reading: &content).language
            case "minf": try readMediaInformation(&content)
            default: break
            }
        }
    }

    private mutating func readMediaInformation(_ reader: inout ByteReader) throws(ParseError) {
        try reader.readBoxes(in: "minf") { box, content throws(ParseError) in
            switch box.type {
            case "dinf":
                try content.readBoxes(in: "dinf") { inner, references throws(ParseError) in
                    if inner.type == "dref" { dataReferences = try DataReferenceBox(reading: &references) }
                }
            case "stbl": try readSampleTable(&content)
            default: break
            }
        }
    }

    private mutating func readSampleTable(_ reader: inout ByteReader) throws(ParseError) {
        try reader.readBoxes(in: "stbl") { box, content throws(ParseError) in
            switch box.type {
            case "stsd":
                let kind = try require(handler, "hdlr").handlerType
                descriptions = try SampleDescriptionBox(reading: &content, handler: kind)
            case "stts": timeToSample = try TimeToSampleBox(reading: &content)
            case "ctts": compositionOffset = try CompositionOffsetBox(reading: &content)
            case "stsc": sampleToChunk = try SampleToChunkBox(reading: &content)
            case "stsz", "stz2": sampleSize = try SampleSizeBox(reading: &content, type: box.type)
            case "stco", "co64": chunkOffset = try ChunkOffsetBox(reading: &content, type: box.type)
            case "stss": syncSample = try SyncSampleBox(reading: &content)
            default: try auxiliary.read(box.type, &content)
            }
        }
    }

    func table() throws(ParseError) -> SampleTable? {
        // Writers of fragmented files omit tables, or write them without entries.
        guard let sampleSize, sampleSize.sampleCount > 0 else { return nil }
        return SampleTable(
            timeToSample: try require(timeToSample, "stts"),
            compositionOffset: compositionOffset,
            sampleToChunk: try require(sampleToChunk, "stsc"),
            sampleSize: sampleSize,
            chunkOffset: try require(chunkOffset, "stco"),
            syncSample: syncSample
        )
    }
}
