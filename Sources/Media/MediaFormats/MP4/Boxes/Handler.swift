public import ByteCoding

/// An `hdlr` box: the type of media of a track (ISO/IEC 14496-12, 8.4.3).
///
///     pre_defined    4 bytes
///     handler_type   4 bytes   vide, soun, text, subt, meta
///     reserved       12 bytes
///     name           UTF-8, 0 at the end; a length byte before it in QuickTime
public struct HandlerBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "hdlr"

    /// The handler type: the type of media.
    public var handlerType: FourCC
    /// The name of the handler for human readers.
    public var name: String

    /// Creates a box.
    public init(handlerType: FourCC, name: String) {
        self.handlerType = handlerType
        self.name = name
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        try reader.skip(4, "pre-defined")
        handlerType = try reader.readFourCC("handler type")
        try reader.skip(12, "reserved")
        var name = try reader.readRest("name of a handler")[...]
        // A name with a length byte has no 0 byte at the end; a name without one has.
        if let first = name.first, Int(first) == name.count - 1, name.last != 0 { name = name.dropFirst() }
        self.name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.zeros(4)
            writer.write(handlerType)
            writer.zeros(12)
            writer.write(name.utf8)
            writer.zeros(1)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("handler_type", handlerType), BoxField("name", name)] }

    /// Reads the fields and the handler type.
    public static func summary(reading reader: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        let box = try Self(reading: &reader)
        return BoxSummary(box.fields, handler: box.handlerType)
    }
}
