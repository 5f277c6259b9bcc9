public import ByteCoding

/// A box that is stored without interpretation: its type and its content. It preserves boxes that this library does not
/// parse.
public struct RawBox: Hashable, Sendable {
    /// The type of the box.
    public var type: FourCC
    /// The 16 bytes of the user type if ``type`` is `uuid`; otherwise empty.
    public var userType: [UInt8]
    /// The content, without the header.
    public var content: [UInt8]

    /// Creates a box.
    public init(type: FourCC, userType: [UInt8] = [], content: [UInt8]) {
        self.type = type
        self.userType = userType
        self.content = content
    }

    /// Reads the content of a box whose header has been read.
    ///
    /// - Throws: `ParseError`.
    public init(_ header: BoxHeader, reading reader: inout ByteReader) throws(ParseError) {
        type = header.type
        userType = header.userType ?? []
        content = try reader.readRest("content of the \(header.type) box")
    }

    /// Creates a raw box from a typed box.
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

    /// Returns the content of a box within this box, which contains only boxes; nil if there is none, or the boxes are
    /// invalid.
    ///
    /// - Parameter path: the types of the boxes from the outermost one to the wanted one.
    public func content(at path: [FourCC]) -> [UInt8]? {
        guard let type = path.first else { return content }
        var found: RawBox?
        var reader = ByteReader(content.span.bytes)
        try? reader.readBoxes(in: self.type) { header, content throws(ParseError) in
            if found == nil, header.type == type { found = try RawBox(header, reading: &content) }
        }
        return found?.content(at: Array(path.dropFirst()))
    }

    /// Parses the content as a typed box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the content.
    public func parse<Kind: Box>(as _: Kind.Type) throws(ParseError) -> Kind {
        var reader = ByteReader(content.span.bytes)
        return try Kind(reading: &reader)
    }
}

extension [RawBox] {
    /// Returns the first box of a type, if any.
    public func first(_ type: FourCC) -> RawBox? { first { $0.type == type } }
}
