public import ByteCoding
import TextCoding

/// A type of box that a listing of a file describes. All of them are in ``BoxRegistry``.
public protocol ListedBox: Sendable {
    /// The types of the boxes that are read in this way.
    static var types: [FourCC] { get }
    /// Reads the fields that a listing displays, after the header of the box.
    ///
    /// If child boxes follow, the reader is then at the first of them.
    ///
    /// - Parameter type: the type of the box, one of ``types``.
    /// - Throws: `ParseError`, with the offset in the outermost input.
    static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary
}

/// The fields of a box that a listing displays, and the kind of content that follows them.
public struct BoxSummary: Equatable, Sendable {
    /// The content after the fields.
    public enum Content: Equatable, Sendable {
        /// Nothing, or bytes that are not displayed.
        case none
        /// Boxes, to the end.
        case boxes
        /// Sample entries, to the end. Their fields depend on the handler type, and on the version of `stsd`.
        case sampleEntries(version: UInt8)
    }

    /// The fields, in order.
    public var fields: [BoxField]
    /// The content after the fields.
    public var content: Content
    /// The handler type of the track, if the box specifies it. It determines the fields of sample entries.
    public var handler: FourCC?

    /// Creates a summary.
    public init(_ fields: [BoxField] = [], content: Content = .none, handler: FourCC? = nil) {
        self.fields = fields
        self.content = content
        self.handler = handler
    }
}

/// A field of a box to display.
public struct BoxField: Equatable, Sendable {
    /// The name of the field in the standard.
    public var name: String
    /// The value of the field.
    public var value: String
    /// The unit of the value. Nil: the value has no unit, or its unit depends on another box, such as the timescale.
    public var unit: String?

    /// Creates a field.
    public init(_ name: String, _ value: some CustomStringConvertible, unit: String? = nil) {
        self.name = name
        self.value = value.description
        self.unit = unit
    }

    /// Creates a field whose bytes are secret: the value is only their number.
    public init(_ name: String, hidden bytes: [UInt8]) {
        self.init(name, bytes.isEmpty ? "none" : "\(bytes.count) bytes, hidden")
    }

    /// Creates a field with the first entries of a list, separated by commas.
    public init(_ name: String, list: some Sequence<some CustomStringConvertible>) {
        self.init(name, list.prefix(16).map(\.description).joined(separator: ","))
    }

    /// Creates a field whose value is hexadecimal.
    public init(_ name: String, bytes: some Collection<UInt8>) { self.init(name, Hexadecimal.encode(bytes)) }
}

extension BoxField: CustomStringConvertible {
    /// The name, the value and the unit, for example `avgBitrate=128000 bit/s`.
    public var description: String { "\(name)=\(value)" + (unit.map { " \($0)" } ?? "") }
}
