public import ByteCoding

/// A `tenc` box: the default encryption parameters of a protected track's samples (ISO/IEC 23001-7, 8.2).
///
///     reserved                         1 byte
///     default_crypt_byte_block         4 bits   ┐ version 1; a reserved byte in version 0
///     default_skip_byte_block          4 bits   ┘
///     default_isProtected              1 byte
///     default_Per_Sample_IV_Size       1 byte   0, 8, 16
///     default_KID                      16 bytes
///     default_constant_IV_size         1 byte   ┐ if protected and the size is 0
///     default_constant_IV              8 or 16  ┘
public struct TrackEncryptionBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "tenc"

    /// The number of encrypted blocks of 16 bytes in each pattern. If 0 and ``skipByteBlock`` is 0, all blocks are
    /// encrypted.
    public var cryptByteBlock: UInt8
    /// The number of clear blocks in each pattern.
    public var skipByteBlock: UInt8
    /// True if the samples are protected.
    public var isProtected: Bool
    /// The size of each sample's initialization vector in bytes; 0 if all samples use the constant one.
    public var perSampleIVSize: UInt8
    /// The key ID, 16 bytes.
    public var keyID: [UInt8]
    /// The constant initialization vector, 8 or 16 bytes; empty if each sample has its own.
    public var constantIV: [UInt8]

    /// Creates a box.
    public init(
        cryptByteBlock: UInt8,
        skipByteBlock: UInt8,
        isProtected: Bool = true,
        perSampleIVSize: UInt8 = 0,
        keyID: [UInt8],
        constantIV: [UInt8] = []
    ) {
        self.cryptByteBlock = cryptByteBlock
        self.skipByteBlock = skipByteBlock
        self.isProtected = isProtected
        self.perSampleIVSize = perSampleIVSize
        self.keyID = keyID
        self.constantIV = constantIV
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        try reader.skip(1, "reserved")
        try self.init(fieldsOf: &reader, hasPattern: header.version > 0)
    }

    /// Reads the fields that `tenc` and the entries of `seig` groups share.
    init(fieldsOf reader: inout ByteReader, hasPattern: Bool) throws(ParseError) {
        let pattern = try reader.readUInt8("encryption pattern")
        cryptByteBlock = hasPattern ? pattern >> 4 : 0
        skipByteBlock = hasPattern ? pattern & 15 : 0
        isProtected = try reader.readUInt8("protection flag") != 0
        let offset = reader.offset
        perSampleIVSize = try reader.readUInt8("size of initialization vectors")
        guard [0, 8, 16].contains(perSampleIVSize) else { throw Self.size(perSampleIVSize, offset) }
        keyID = try reader.readBytes(16, "key ID")
        constantIV = []
        if isProtected, perSampleIVSize == 0 {
            let offset = reader.offset
            let size = try reader.readUInt8("size of the constant initialization vector")
            guard size == 8 || size == 16 else { throw Self.size(size, offset) }
            constantIV = try reader.readBytes(Int(size), "constant initialization vector")
        }
    }

    private static func size(_ size: UInt8, _ offset: Int) -> ParseError {
        ParseError(
            .invalidValue,
            reading: "size of an initialization vector",
            offset: offset,
            reason: "\(size) bytes is not a valid size"
        )
    }

    /// Writes the whole box, in version 1 if there is a pattern or a constant initialization vector, as in cbcs.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = cryptByteBlock != 0 || skipByteBlock != 0 || perSampleIVSize == 0 ? 1 : 0
        writer.fullBox(Self.type, version: version) { writer in
            writer.write(UInt8(0))
            writeFields(to: &writer)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("isProtected", isProtected), BoxField("pattern", "\(cryptByteBlock):\(skipByteBlock)"),
            BoxField("Per_Sample_IV_Size", perSampleIVSize), BoxField("KID", bytes: keyID),
            // With FairPlay, the constant IV is delivered with the key and is as secret as the key.
            BoxField("constant_IV", hidden: constantIV),
        ]
    }

    func writeFields(to writer: inout BoxWriter) {
        writer.write(cryptByteBlock << 4 | skipByteBlock & 15)
        writer.write(UInt8(isProtected ? 1 : 0))
        writer.write(perSampleIVSize)
        writer.write(keyID)
        if isProtected, perSampleIVSize == 0 {
            writer.write(UInt8(truncatingIfNeeded: constantIV.count))
            writer.write(constantIV)
        }
    }
}
