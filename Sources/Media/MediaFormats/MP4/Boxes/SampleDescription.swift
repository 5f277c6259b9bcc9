public import ByteCoding

/// `stsd`: what a track's samples are (ISO/IEC 14496-12, 8.5.2).
///
///     entry_count   4 bytes
///     entries       boxes, see ``SampleEntry``
public struct SampleDescriptionBox: Hashable, Sendable {
    /// The type.
    public static let type: FourCC = "stsd"

    /// The entries; samples refer to them by number, from 1.
    public var entries: [SampleEntry]

    /// Makes a box.
    public init(entries: [SampleEntry]) { self.entries = entries }

    /// Reads the content.
    ///
    /// - Parameter handler: What kind of media the track is; it decides what form the entries have.
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
}

/// An entry of `stsd`: a format and what a decoder needs for it (ISO/IEC 14496-12, 8.5.2.2).
///
///     reserved               6 bytes
///     data_reference_index   2 bytes   from 1
///     fields                 by the kind of media, see ``Fields-swift.enum``
///     boxes                  configuration of the codec, color, protection ...
public struct SampleEntry: Hashable, Sendable {
    /// What stands between the data reference and the boxes.
    public enum Fields: Hashable, Sendable {
        /// A video track's.
        case visual(VisualSampleFields)
        /// An audio track's.
        case audio(AudioSampleFields)
        /// A text track's, in a format that is known: `wvtt`, `stpp`, `tx3g`.
        case text(TextSampleFields)
        /// Another's; all of its bytes, boxes included.
        case other([UInt8])
    }

    /// The type of the entry: `avc1`, `mp4a`; `encv` or `enca` when it is protected.
    public var format: FourCC
    /// Which data reference says where the samples lie, from 1.
    public var dataReferenceIndex: UInt16
    /// The fields.
    public var fields: Fields
    /// The boxes behind them in their order, `sinf` boxes left out.
    public var boxes: [RawBox]
    /// How samples are protected; several when a file serves several schemes. They are written last.
    public var protections: [ProtectionSchemeInfoBox]

    /// Makes an entry.
    public init(format: FourCC, fields: Fields, boxes: [RawBox], protections: [ProtectionSchemeInfoBox] = []) {
        self.format = format
        dataReferenceIndex = 1
        self.fields = fields
        self.boxes = boxes
        self.protections = protections
    }

    /// Reads the content of an entry.
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

    /// Boxes of the codec in QuickTime's `wave` box come out of it, so that they lie where other files have them.
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

    /// Writes the whole box.
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

    /// The first protection by a scheme of Common Encryption; nil: samples are clear, or protected in another way.
    public var commonEncryption: ProtectionSchemeInfoBox? {
        let schemes: Set<FourCC> = ["cbcs", "cenc", "cens", "cbc1"]
        return protections.first { box in
            box.trackEncryption != nil && box.schemeType.map(schemes.contains) ?? false
        }
    }

    /// The entry of the same samples, encrypted: the format becomes `encv`, `enca` or `enct`, a `sinf` box goes behind
    /// the other boxes.
    ///
    /// An entry that is protected already loses its earlier protection.
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

    /// The entry of the same samples, decrypted: the original format, no `sinf` box.
    public func unprotected() -> SampleEntry {
        var entry = self
        entry.format = originalFormat
        entry.protections = []
        return entry
    }
}
