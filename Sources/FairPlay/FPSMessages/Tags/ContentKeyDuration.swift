public import ByteCoding

/// Lease, rental and persistence of the content key (Tables 4-3, 4-4 and 5-1).
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
    /// Which of the durations hold, and whether the key may be kept.
    public struct KeyType: NamedNumber {
        /// The number on the wire, 4 bytes.
        public let rawValue: UInt32

        /// Makes a type from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Valid for the lease.
        public static let lease = KeyType(rawValue: 0x1a4b_de7e)
        /// Valid for the rental.
        public static let rental = KeyType(rawValue: 0x3dfe_45a0)
        /// Valid for lease and rental.
        public static let leaseAndRental = KeyType(rawValue: 0x27b5_9bde)
        /// May be kept, without limit.
        public static let persistUnlimited = KeyType(rawValue: 0x3df2_d9fb)
        /// May be kept, for the rental duration.
        public static let persistLimited = KeyType(rawValue: 0x18f0_6048)

        /// Names for people.
        public static let names: [UInt32: String] = [
            lease.rawValue: "lease", rental.rawValue: "rental", leaseAndRental.rawValue: "lease and rental",
            persistUnlimited.rawValue: "persist, unlimited", persistLimited.rawValue: "persist, limited",
        ]
    }

    /// The word that the reserved field must hold.
    public static let reservedWord: UInt32 = 0x86d3_4a3a

    /// Seconds that the lease lasts.
    public let lease: UInt32
    /// Seconds that the rental lasts.
    public let rental: UInt32
    /// Which of them hold.
    public let keyType: KeyType

    /// Makes a duration from its fields, in seconds.
    public init(lease: UInt32 = 0, rental: UInt32 = 0, keyType: KeyType) {
        self.lease = lease
        self.rental = rental
        self.keyType = keyType
    }

    /// 0x47acf6a418cd091a.
    public static let tag = TLLVTag.contentKeyDuration
    /// 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)

    /// Reads the fields.
    ///
    /// - Throws: `invalid-value` when the reserved field is not its fixed word, or the key type is none of the five.
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
                reason: "not 0x86d34a3a"
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
