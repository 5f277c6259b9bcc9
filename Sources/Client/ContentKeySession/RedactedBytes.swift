/// Bytes that never print: not by a description, not in a dump, not by interpolation.
public struct RedactedBytes: Sendable, Equatable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension RedactedBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many there are.
    public var description: String { "<\(bytes.count) bytes>" }
    /// How many there are.
    public var debugDescription: String { description }
    /// A value without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
