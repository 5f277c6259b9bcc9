public import ByteCoding

/// A box that is kept as it came: its type and its content. So boxes survive that this library does not know.
public struct RawBox: Hashable, Sendable {
    /// The type.
    public var type: FourCC
    /// The 16 bytes of the extended type when ``type`` is `uuid`; empty otherwise.
    public var userType: [UInt8]
    /// The content, the header left out.
    public var content: [UInt8]

    /// Makes a box.
    public init(type: FourCC, userType: [UInt8] = [], content: [UInt8]) {
        self.type = type
        self.userType = userType
        self.content = content
    }

    /// Takes the content of a box whose header was read.
    ///
    /// - Throws: `ParseError`.
    public init(_ header: BoxHeader, reading reader: inout ByteReader) throws(ParseError) {
        type = header.type
        userType = header.userType ?? []
        content = try reader.readRest("content of a \(header.type) box")
    }

    /// Takes what a typed box writes.
    public init<Kind: Box>(_ box: Kind) {
        var writer = BoxWriter()
        box.write(to: &writer)
        self.init(type: Kind.type, content: Array(writer.bytes.dropFirst(8)))
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(type) { writer in
            writer.write(userType)
            writer.write(content)
        }
    }

    /// Reads the content as a typed box.
    ///
    /// - Throws: `ParseError`, with offsets from the beginning of the content.
    public func parse<Kind: Box>(as _: Kind.Type) throws(ParseError) -> Kind {
        var reader = ByteReader(content.span.bytes)
        return try Kind(reading: &reader)
    }
}

extension [RawBox] {
    /// The first box of a type.
    public func first(_ type: FourCC) -> RawBox? { first { $0.type == type } }
}
