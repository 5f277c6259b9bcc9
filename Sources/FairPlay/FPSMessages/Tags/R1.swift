public import ByteCoding

/// R1, returned to the device in the CKC (Tables 2-7 and 2-11).
///
///     bytes    field
///     0-7      tag 0xea74c4645d5efee9
///     8-11     block length
///     12-15    value length: 44
///     16-59    R1
///     60...    padding
public struct R1: TLLVContent {
    /// The 44 bytes.
    public let bytes: [UInt8]

    /// Makes the value from its 44 bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// 0xea74c4645d5efee9.
    public static let tag = TLLVTag.r1
    /// 44 bytes.
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

// R1 opens the CKC's payload for whoever also has the AR seed, so it must not get into a log by interpolation.
extension R1: CustomStringConvertible, CustomReflectable {
    /// Says what it is, not what it holds.
    public var description: String { "R1(44 bytes)" }
    /// Shows nothing of the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
