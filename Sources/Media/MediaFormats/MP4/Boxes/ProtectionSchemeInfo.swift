public import ByteCoding

/// A `sinf` box: the protection of a track (ISO/IEC 14496-12, 8.12), with its child boxes:
///
///     frma   see ``OriginalFormatBox``
///     schm   see ``SchemeTypeBox``
///     schi   tenc, see ``TrackEncryptionBox``
public struct ProtectionSchemeInfoBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "sinf"

    /// The type of the sample entry without protection, for example `avc1`.
    public var originalFormat: FourCC
    /// The type of the protection scheme; nil if the `schm` box is missing.
    public var schemeType: FourCC?
    /// The version of the protection scheme.
    public var schemeVersion: UInt32
    /// The default encryption parameters of the track; nil if the `tenc` box is missing.
    public var trackEncryption: TrackEncryptionBox?

    /// Creates a box.
    public init(originalFormat: FourCC, schemeType: FourCC, trackEncryption: TrackEncryptionBox) {
        self.originalFormat = originalFormat
        self.schemeType = schemeType
        schemeVersion = 0x0001_0000
        self.trackEncryption = trackEncryption
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        var format: FourCC?
        var scheme: SchemeTypeBox?
        var encryption: TrackEncryptionBox?
        let start = reader.offset
        try reader.readBoxes(in: Self.type) { header, content throws(ParseError) in
            switch header.type {
            case OriginalFormatBox.type: format = try OriginalFormatBox(reading: &content).format
            case SchemeTypeBox.type: scheme = try SchemeTypeBox(reading: &content)
            case "schi":
                try content.readBoxes(in: "schi") { inner, box throws(ParseError) in
                    if inner.type == TrackEncryptionBox.type { encryption = try TrackEncryptionBox(reading: &box) }
                }
            default: break
            }
        }
        guard let format else {
            throw ParseError(.missingBox, reading: "sinf box", offset: start, reason: "the box has no frma box")
        }
        originalFormat = format
        schemeType = scheme?.scheme
        schemeVersion = scheme?.version ?? 0
        trackEncryption = encryption
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            OriginalFormatBox(format: originalFormat).write(to: &writer)
            if let schemeType { SchemeTypeBox(scheme: schemeType, version: schemeVersion).write(to: &writer) }
            if let trackEncryption { writer.box("schi") { trackEncryption.write(to: &$0) } }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [] }

    /// Reads nothing: a listing displays the child boxes.
    public static func summary(reading _: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        BoxSummary(content: .boxes)
    }
}
