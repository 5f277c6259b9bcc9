import ByteCoding

/// The fields of a text track's sample entry.
///
///     wvtt: none; the boxes vttC and vlab follow (ISO/IEC 14496-30, 7.5)
///     stpp: namespace, schema_location, auxiliary_mime_types   UTF-8, each with a 0 at the end
///                                                              (ISO/IEC 14496-12, 12.6.3)
///     tx3g: 30 bytes of flags, colors, box and style; the box ftab follows (3GPP TS 26.245, 5.16)
public enum TextSampleFields: Hashable, Sendable {
    /// WebVTT subtitles.
    case webVTT
    /// TTML subtitles: the namespaces, the locations of the schemas, and the MIME types of embedded images.
    case xmlSubtitle(namespace: String, schemaLocation: String, auxiliaryMIMETypes: String)
    /// 3GPP timed text: the 30 bytes of its fields.
    case timedText([UInt8])

    /// Reads the fields. Returns nil if the format is not known; nothing has been read then.
    init?(reading reader: inout ByteReader, format: FourCC) throws(ParseError) {
        switch format {
        case "wvtt": self = .webVTT
        case "stpp":
            self = .xmlSubtitle(
                namespace: try reader.readString("namespace"),
                schemaLocation: try reader.readString("schema location"),
                auxiliaryMIMETypes: try reader.readString("auxiliary MIME types")
            )
        case "tx3g": self = .timedText(try reader.readBytes(30, "fields of timed text"))
        default: return nil
        }
    }

    func write(to writer: inout BoxWriter) {
        switch self {
        case .webVTT: break
        case .xmlSubtitle(let namespace, let schemaLocation, let auxiliaryMIMETypes):
            for text in [namespace, schemaLocation, auxiliaryMIMETypes] {
                writer.write(text.utf8)
                writer.zeros(1)
            }
        case .timedText(let bytes): writer.write(bytes)
        }
    }
}
