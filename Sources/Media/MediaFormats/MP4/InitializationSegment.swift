/// The initialization segment of a fragmented file: `ftyp` and `moov` (ISO/IEC 14496-12, 8.16; ISO/IEC 23000-19).
///
///     ftyp
///     moov   mvhd, trak (each), mvex (mehd if the duration is known, trex for each track), pssh (each)
///     trak   tkhd, edts, mdia
///     mdia   mdhd, hdlr, elng (optional), minf
///     minf   vmhd, smhd, sthd or nmhd; dinf, stbl with empty tables
public struct InitializationSegment: Hashable, Sendable {
    /// A track of the initialization segment.
    public struct Track: Hashable, Sendable {
        /// The ID of the track; not 0.
        public var id: UInt32
        /// The handler type of the media: `vide`, `soun`, `text` or `subt`.
        public var kind: FourCC
        /// The name of the track for human readers.
        public var name: String
        /// The timescale of the media, in units per second.
        public var timescale: UInt32
        /// The language as three letters of ISO 639-2/T.
        public var language: String
        /// The language as a BCP 47 tag; nil for no `elng` box.
        public var extendedLanguage: String?
        /// The display width in pixels as a 16.16 fixed-point number.
        public var width: UInt32
        /// The display height in pixels as a 16.16 fixed-point number.
        public var height: UInt32
        /// The transformation matrix of `tkhd`, 36 bytes; nil for none.
        public var matrix: [UInt8]?
        /// The sample descriptions.
        public var descriptions: [SampleEntry]
        /// The edit list; nil if all media are presented.
        public var editList: EditListBox?

        /// Creates a track.
        public init(
            id: UInt32,
            kind: FourCC,
            name: String = "",
            timescale: UInt32,
            language: String = "und",
            extendedLanguage: String? = nil,
            width: UInt32 = 0,
            height: UInt32 = 0,
            matrix: [UInt8]? = nil,
            descriptions: [SampleEntry],
            editList: EditListBox? = nil
        ) {
            self.id = id
            self.kind = kind
            self.name = name
            self.timescale = timescale
            self.language = language
            self.extendedLanguage = extendedLanguage
            self.width = width
            self.height = height
            self.matrix = matrix
            self.descriptions = descriptions
            self.editList = editList
        }
    }

    /// The file type.
    public var fileType: FileTypeBox
    /// The timescale of ``duration`` and of the edits' durations, in units per second.
    public var timescale: UInt32
    /// The duration of the presentation in ``timescale``; nil if it is not known, as in live streams.
    public var duration: UInt64?
    /// The tracks; exactly one in CMAF.
    public var tracks: [Track]
    /// The protection system headers (`pssh`) for DRM systems.
    public var protectionSystemHeaders: [ProtectionSystemHeaderBox]

    /// Creates an initialization segment.
    public init(
        fileType: FileTypeBox,
        timescale: UInt32 = 1000,
        duration: UInt64? = nil,
        tracks: [Track],
        protectionSystemHeaders: [ProtectionSystemHeaderBox] = []
    ) {
        self.fileType = fileType
        self.timescale = timescale
        self.duration = duration
        self.tracks = tracks
        self.protectionSystemHeaders = protectionSystemHeaders
    }

    /// Writes the initialization segment.
    public func write(to writer: inout BoxWriter) {
        fileType.write(to: &writer)
        writer.box("moov") { writer in
            let nextTrackID = (tracks.map(\.id).max() ?? 0) &+ 1
            MovieHeaderBox(timescale: timescale, duration: 0, nextTrackID: nextTrackID).write(to: &writer)
            for track in tracks { track.write(to: &writer) }
            writer.box("mvex") { writer in
                if let duration { MovieExtendsHeaderBox(fragmentDuration: duration).write(to: &writer) }
                for track in tracks { TrackExtendsBox(trackID: track.id).write(to: &writer) }
            }
            for system in protectionSystemHeaders { system.write(to: &writer) }
        }
    }

    /// The bytes of the initialization segment.
    public var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 2048)
        write(to: &writer)
        return writer.bytes
    }
}

extension InitializationSegment.Track {
    fileprivate func write(to writer: inout BoxWriter) {
        writer.box("trak") { writer in
            var header = TrackHeaderBox(trackID: id, hasVolume: kind == "soun", width: width, height: height)
            if let matrix { header.matrix = matrix }
            header.write(to: &writer)
            if let editList { writer.box("edts") { editList.write(to: &$0) } }
            writer.box("mdia") { writer in
                MediaHeaderBox(timescale: timescale, language: language).write(to: &writer)
                HandlerBox(handlerType: kind, name: name).write(to: &writer)
                if let extendedLanguage { ExtendedLanguageBox(language: extendedLanguage).write(to: &writer) }
                writer.box("minf") { writer in
                    switch kind {
                    case "vide": VideoMediaHeaderBox().write(to: &writer)
                    case "soun": SoundMediaHeaderBox().write(to: &writer)
                    case "subt": SubtitleMediaHeaderBox().write(to: &writer)
                    default: NullMediaHeaderBox().write(to: &writer)
                    }
                    writer.box("dinf") { DataReferenceBox().write(to: &$0) }
                    writer.box("stbl") { writeSampleTable(to: &$0) }
                }
            }
        }
    }

    /// Writes the required sample tables without entries.
    private func writeSampleTable(to writer: inout BoxWriter) {
        SampleDescriptionBox(entries: descriptions).write(to: &writer)
        writer.fullBox(TimeToSampleBox.type) { $0.zeros(4) }
        writer.fullBox(SampleToChunkBox.type) { $0.zeros(4) }
        writer.fullBox(SampleSizeBox.type) { $0.zeros(8) }
        writer.fullBox(ChunkOffsetBox.type) { $0.zeros(4) }
    }
}
