public import ByteCoding

/// The ID of the transaction, which the key server does not have to use (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x47aa7ad3440577de
///     8-11     block length
///     12-15    value length: 8
///     16-23    transaction ID
///     24...    padding
public struct TransactionID: TLLVContent {
    /// The number, 8 bytes in the message.
    public let number: UInt64

    /// Creates a transaction ID from its number.
    public init(_ number: UInt64) { self.number = number }

    /// The tag, 0x47aa7ad3440577de.
    public static let tag = TLLVTag.transactionID
    /// The size of the value: 8 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(8)

    /// Reads the number.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        number = try reader.readUInt64("transaction ID")
    }

    /// Writes the number.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(number)
    }
}
