import TextCoding

/// Bytes that are never printed: not by a description, a dump or an interpolation.
public struct RedactedBytes: Sendable, Equatable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension RedactedBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of bytes.
    public var description: String { "<\(counted(bytes.count, "byte"))>" }
    /// The number of bytes.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
