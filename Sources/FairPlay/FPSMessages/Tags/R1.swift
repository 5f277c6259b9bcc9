public import ByteCoding

/// R1, which the CKC returns to the device (Tables 2-7 and 2-11).
///
///     bytes    field
///     0-7      tag 0xea74c4645d5efee9
///     8-11     block length
///     12-15    value length: 44
///     16-59    R1
///     60...    padding
public struct R1: TLLVContent {
    /// R1, 44 bytes.
    public let bytes: [UInt8]

    /// Creates the value from its 44 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The tag, 0xea74c4645d5efee9.
    public static let tag = TLLVTag.r1
    /// The size of the value: 44 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(44)

    /// Reads the bytes.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        bytes = try reader.readBytes(44, "R1")
    }

    /// Writes the bytes.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}

// R1 and the anti-replay seed together decrypt the CKC's payload, so string interpolation must not write R1 to a log.
extension R1: CustomStringConvertible, CustomReflectable {
    /// The name and the size, without the bytes.
    public var description: String { "R1(44 bytes)" }
    /// A mirror without children, which does not show the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
