public import ByteCoding

/// An `stsd` box: the sample descriptions of a track (ISO/IEC 14496-12, 8.5.2).
///
///     entry_count   4 bytes
///     entries       boxes, see ``SampleEntry``
public struct SampleDescriptionBox: ListedBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "stsd"
    /// The types that are read in this way.
    public static let types: [FourCC] = [type]

    /// The entries. Samples refer to them by index, from 1.
    public var entries: [SampleEntry]

    /// Creates a box.
    public init(entries: [SampleEntry]) { self.entries = entries }

    /// Reads the content of the box.
    ///
    /// - Parameter handler: the handler type of the track, which determines the fields of the entries.
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader, handler: FourCC) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        let count = try reader.readCount(entrySize: 16, "number of sample descriptions")
        entries = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let box = try BoxHeader(reading: &reader)
            var content = try reader.split(box.contentSize(of: reader.remaining), "\(box.type) sample entry")
            entries.append(
                try SampleEntry(box.type, reading: &content, handler: handler, descriptionVersion: header.version)
            )
        }
    }

    /// Writes the whole box, in version 0.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.write(UInt32(entries.count))
            for entry in entries { entry.write(to: &writer) }
        }
    }

    /// Reads the number of entries. The entries follow.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        let header = try FullBoxHeader(reading: &reader, of: type, newest: 1)
        return BoxSummary(
            [BoxField("entry_count", try reader.readUInt32("number of entries"))],
            content: .sampleEntries(version: header.version)
        )
    }
}

/// An entry of `stsd`: the format of samples and its decoder configuration (ISO/IEC 14496-12, 8.5.2.2).
///
///     reserved               6 bytes
///     data_reference_index   2 bytes   from 1
///     fields                 depend on the type of media, see ``Fields-swift.enum``
///     boxes                  configuration of the codec, color, protection ...
public struct SampleEntry: Hashable, Sendable {
    /// The fields between the data reference index and the child boxes.
    public enum Fields: Hashable, Sendable {
        /// The fields of a video track's entry.
        case visual(VisualSampleFields)
        /// The fields of an audio track's entry.
        case audio(AudioSampleFields)
        /// The fields of a text track's entry in a known format: `wvtt`, `stpp` or `tx3g`.
        case text(TextSampleFields)
        /// All bytes of any other entry, including child boxes.
        case other([UInt8])
    }

    /// The type of the entry, for example `avc1` or `mp4a`; `encv` or `enca` if it is protected.
    public var format: FourCC
    /// The index of the data reference for the samples' file, from 1.
    public var dataReferenceIndex: UInt16
    /// The fields that depend on the type of media.
    public var fields: Fields
    /// The child boxes in order, without `sinf` boxes.
    public var boxes: [RawBox]
    /// The protections of the samples, several if the file supports several schemes. They are written last.
    public var protections: [ProtectionSchemeInfoBox]

    /// Creates an entry.
    public init(format: FourCC, fields: Fields, boxes: [RawBox], protections: [ProtectionSchemeInfoBox] = []) {
        self.format = format
        dataReferenceIndex = 1
        self.fields = fields
        self.boxes = boxes
        self.protections = protections
    }

    /// Reads the content of a sample entry.
    ///
    /// - Throws: `ParseError`.
    init(
        _ format: FourCC,
        reading reader: inout ByteReader,
        handler: FourCC,
        descriptionVersion: UInt8
    ) throws(ParseError) {
        self.format = format
        try reader.skip(6, "reserved")
        dataReferenceIndex = try reader.readUInt16("data reference index")
        boxes = []
        protections = []
        switch handler {
        case "vide": fields = .visual(try VisualSampleFields(reading: &reader))
        case "soun":
            fields = .audio(try AudioSampleFields(reading: &reader, isQuickTime: descriptionVersion == 0))
        default:
            guard let text = try TextSampleFields(reading: &reader, format: format) else {
                fields = .other(try reader.readRest("\(format) sample entry"))
                return
            }
            fields = .text(text)
        }
        try readChildren(&reader, in: format)
    }

    /// Reads the child boxes. Codec boxes in QuickTime's `wave` box are moved to the entry, where other files have
    /// them.
    private mutating func readChildren(_ reader: inout ByteReader, in container: FourCC) throws(ParseError) {
        try reader.readBoxes(in: container) { header, content throws(ParseError) in
            switch header.type {
            case "sinf": protections.append(try ProtectionSchemeInfoBox(reading: &content))
            case "wave" where container != "wave": try readWave(&content)
            default: boxes.append(try RawBox(header, reading: &content))
            }
        }
    }

    private mutating func readWave(_ reader: inout ByteReader) throws(ParseError) {
        let known: Set<FourCC> = ["esds", "alac", "dac3", "dec3", "dOps", "dfLa"]
        try reader.readBoxes(in: "wave") { header, content throws(ParseError) in
            if known.contains(header.type) { boxes.append(try RawBox(header, reading: &content)) }
        }
    }

    /// Writes the whole sample entry.
    public func write(to writer: inout BoxWriter) {
        writer.box(format) { writer in
            writer.zeros(6)
            writer.write(dataReferenceIndex)
            switch fields {
            case .visual(let fields): fields.write(to: &writer)
            case .audio(let fields): fields.write(to: &writer)
            case .text(let fields): fields.write(to: &writer)
            case .other(let bytes): writer.write(bytes)
            }
            for box in boxes { box.write(to: &writer) }
            for protection in protections { protection.write(to: &writer) }
        }
    }
}

extension SampleEntry {
    /// The format without protection.
    public var originalFormat: FourCC { protections.first?.originalFormat ?? format }

    /// The first protection with a Common Encryption scheme; nil if the samples are clear or protected in another way.
    public var commonEncryption: ProtectionSchemeInfoBox? {
        let schemes: Set<FourCC> = ["cbcs", "cenc", "cens", "cbc1"]
        return protections.first { box in
            box.trackEncryption != nil && box.schemeType.map(schemes.contains) ?? false
        }
    }

    /// Returns the entry for the same samples, encrypted: the format becomes `encv`, `enca` or `enct`, and a `sinf` box
    /// is added after the other boxes.
    ///
    /// If the entry is already protected, the new protection replaces the previous one.
    public func protected(scheme: FourCC, trackEncryption: TrackEncryptionBox) -> SampleEntry {
        var entry = self
        switch fields {
        case .visual: entry.format = "encv"
        case .audio: entry.format = "enca"
        case .text, .other: entry.format = "enct"
        }
        entry.protections = [
            ProtectionSchemeInfoBox(
                originalFormat: originalFormat,
                schemeType: scheme,
                trackEncryption: trackEncryption
            )
        ]
        return entry
    }

    /// Returns the entry for the same samples, decrypted: with the original format and without `sinf` boxes.
    public func unprotected() -> SampleEntry {
        var entry = self
        entry.format = originalFormat
        entry.protections = []
        return entry
    }
}

extension SampleEntry {
    /// Reads what a listing displays of a sample entry. Its child boxes follow.
    static func summary(
        _ format: FourCC,
        reading reader: inout ByteReader,
        handler: FourCC,
        descriptionVersion: UInt8
    ) throws(ParseError) -> [BoxField] {
        try reader.skip(6, "reserved")
        let reference = BoxField("data_reference_index", try reader.readUInt16("data reference index"))
        switch handler {
        case "vide": return [reference] + (try VisualSampleFields(reading: &reader)).fields
        case "soun":
            return [reference]
                + (try AudioSampleFields(reading: &reader, isQuickTime: descriptionVersion == 0)).fields
        default:
            if try TextSampleFields(reading: &reader, format: format) == nil {
                try reader.skip(reader.remaining, "sample entry")
            }
            return [reference]
        }
    }
}
