public import ByteCoding

/// An entry of a `seig` group: the protection of its samples, which overrides `tenc` (ISO/IEC 23001-7, 6).
///
///     reserved             1 byte
///     crypt_byte_block     4 bits
///     skip_byte_block      4 bits
///     isProtected          1 byte
///     Per_Sample_IV_Size   1 byte    0, 8, 16
///     KID                  16 bytes
///     constant_IV_size     1 byte    ┐ if protected and the size is 0
///     constant_IV          8 or 16   ┘
public struct SampleEncryptionGroupEntry: Hashable, Sendable {
    /// The encryption parameters as a `tenc` box, which has the same fields.
    public var encryption: TrackEncryptionBox

    /// Creates an entry.
    public init(_ encryption: TrackEncryptionBox) { self.encryption = encryption }

    /// Reads an entry of an `sgpd` box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the entry.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        try reader.skip(1, "reserved")
        encryption = try TrackEncryptionBox(fieldsOf: &reader, hasPattern: true)
    }

    /// The bytes of the entry.
    public var bytes: [UInt8] {
        var writer = BoxWriter()
        writer.write(UInt8(0))
        encryption.writeFields(to: &writer)
        return writer.bytes
    }
}

/// An entry of a `roll` group: the number of samples that must be decoded before the output is correct (ISO/IEC
/// 14496-12, 10.1).
///
///     roll_distance   2 bytes, signed
public struct RollGroupEntry: Hashable, Sendable {
    /// The roll distance. If negative, decoding must start this number of samples earlier; if positive, the output is
    /// correct this number of samples later.
    public var distance: Int16

    /// Reads an entry of an `sgpd` box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the entry.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        distance = Int16(bitPattern: try reader.readUInt16("roll distance"))
    }
}

/// An entry of a `rap ` group: samples at which decoding can start although they are not sync samples (ISO/IEC
/// 14496-12, 10.4).
///
///     num_leading_samples_known   1 bit
///     num_leading_samples         7 bits
public struct RandomAccessGroupEntry: Hashable, Sendable {
    /// The number of leading samples that follow; nil if it is not known.
    public var leadingSamples: UInt8?

    /// Reads an entry of an `sgpd` box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the entry.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let byte = try reader.readUInt8("number of leading samples")
        leadingSamples = byte >> 7 == 1 ? byte & 0x7F : nil
    }
}
