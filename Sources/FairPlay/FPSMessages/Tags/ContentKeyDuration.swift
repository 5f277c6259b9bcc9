public import ByteCoding

/// The lease, rental and persistence of the content key (Tables 4-3, 4-4 and 5-1).
///
///     bytes    field
///     0-7      tag 0x47acf6a418cd091a
///     8-11     block length
///     12-15    value length: 16
///     16-19    lease duration, seconds
///     20-23    rental duration, seconds
///     24-27    key type
///     28-31    reserved: 0x86d34a3a
///     32...    padding
public struct ContentKeyDuration: TLLVContent {
    /// The key type, which specifies the durations that apply and whether the key is persistent.
    public struct KeyType: NamedNumber {
        /// The number in the message, 4 bytes.
        public let rawValue: UInt32

        /// Creates a type from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The key is valid for the lease duration.
        public static let lease = KeyType(rawValue: 0x1a4b_de7e)
        /// The key is valid for the rental duration.
        public static let rental = KeyType(rawValue: 0x3dfe_45a0)
        /// The key is valid for the lease and rental durations.
        public static let leaseAndRental = KeyType(rawValue: 0x27b5_9bde)
        /// The key is persistent, without a time limit.
        public static let persistUnlimited = KeyType(rawValue: 0x3df2_d9fb)
        /// The key is persistent for the rental duration.
        public static let persistLimited = KeyType(rawValue: 0x18f0_6048)

        /// The names for people.
        public static let names: [UInt32: String] = [
            lease.rawValue: "lease", rental.rawValue: "rental", leaseAndRental.rawValue: "lease and rental",
            persistUnlimited.rawValue: "persist, unlimited", persistLimited.rawValue: "persist, limited",
        ]
    }

    /// The value that the reserved field must have.
    public static let reservedWord: UInt32 = 0x86d3_4a3a

    /// The lease duration, in seconds.
    public let lease: UInt32
    /// The rental duration, in seconds.
    public let rental: UInt32
    /// The key type.
    public let keyType: KeyType

    /// Creates a duration from its fields, in seconds.
    public init(lease: UInt32 = 0, rental: UInt32 = 0, keyType: KeyType) {
        self.lease = lease
        self.rental = rental
        self.keyType = keyType
    }

    /// The tag, 0x47acf6a418cd091a.
    public static let tag = TLLVTag.contentKeyDuration
    /// The size of the value: 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)

    /// Reads the fields.
    ///
    /// - Throws: `invalid-value` if the reserved field does not have its fixed value, or if the key type is unknown.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        lease = try reader.readUInt32("lease duration")
        rental = try reader.readUInt32("rental duration")
        keyType = KeyType(rawValue: try reader.readUInt32("key type"))
        guard keyType.name != nil else {
            throw ParseError(.invalidValue, reading: "key type", offset: reader.offset - 4, reason: "\(keyType)")
        }
        guard try reader.readUInt32("reserved field of content-key-duration") == Self.reservedWord else {
            throw ParseError(
                .invalidValue,
                reading: "reserved field of content-key-duration",
                offset: reader.offset - 4,
                reason: "must be 0x86d34a3a"
            )
        }
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(lease)
        writer.write(rental)
        writer.write(keyType.rawValue)
        writer.write(Self.reservedWord)
    }
}
