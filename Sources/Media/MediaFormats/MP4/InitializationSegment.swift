/// The init segment of a fragmented file: `ftyp` and `moov` (ISO/IEC 14496-12, 8.16; ISO/IEC 23000-19).
///
///     ftyp
///     moov   mvhd, trak (each), mvex (mehd where the length is known, trex for each track), pssh (each)
///     trak   tkhd, edts, mdia
///     mdia   mdhd, hdlr, elng where given, minf
///     minf   vmhd, smhd, sthd or nmhd; dinf, stbl with empty tables
public struct InitializationSegment: Hashable, Sendable {
    /// A track.
    public struct Track: Hashable, Sendable {
        /// What identifies it; not 0.
        public var id: UInt32
        /// The kind of media: `vide`, `soun`, `text`, `subt`.
        public var kind: FourCC
        /// A name for people.
        public var name: String
        /// Units per second of the media's times.
        public var timescale: UInt32
        /// Three letters of ISO 639-2/T.
        public var language: String
        /// A BCP 47 tag, where it says more; nil: no `elng` box.
        public var extendedLanguage: String?
        /// The width on display as 16.16.
        public var width: UInt32
        /// The height on display as 16.16.
        public var height: UInt32
        /// What the samples are.
        public var descriptions: [SampleEntry]
        /// What of the media is presented; nil: all.
        public var editList: EditListBox?

        /// Makes a track.
        public init(
            id: UInt32,
            kind: FourCC,
            name: String = "",
            timescale: UInt32,
            language: String = "und",
            extendedLanguage: String? = nil,
            width: UInt32 = 0,
            height: UInt32 = 0,
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
            self.descriptions = descriptions
            self.editList = editList
        }
    }

    /// What the file conforms to.
    public var fileType: FileTypeBox
    /// Units per second of ``duration`` and of the edits' durations.
    public var timescale: UInt32
    /// How long the presentation is; nil: not known, as in live streams.
    public var duration: UInt64?
    /// The tracks; in CMAF there is one.
    public var tracks: [Track]
    /// What DRM systems need to know.
    public var protectionSystemHeaders: [ProtectionSystemHeaderBox]

    /// Makes an init segment.
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

    /// Writes the segment.
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

    /// The bytes of the segment.
    public var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 2048)
        write(to: &writer)
        return writer.bytes
    }
}

extension InitializationSegment.Track {
    fileprivate func write(to writer: inout BoxWriter) {
        writer.box("trak") { writer in
            TrackHeaderBox(trackID: id, hasVolume: kind == "soun", width: width, height: height).write(to: &writer)
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

    /// The tables are there, and empty.
    private func writeSampleTable(to writer: inout BoxWriter) {
        SampleDescriptionBox(entries: descriptions).write(to: &writer)
        writer.fullBox(TimeToSampleBox.type) { $0.zeros(4) }
        writer.fullBox(SampleToChunkBox.type) { $0.zeros(4) }
        writer.fullBox(SampleSizeBox.type) { $0.zeros(8) }
        writer.fullBox(ChunkOffsetBox.type) { $0.zeros(4) }
    }
}
