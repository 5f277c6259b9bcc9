public import ByteCoding

/// `sinf`: how a track is protected (ISO/IEC 14496-12, 8.12), with the boxes in it:
///
///     frma   data_format                    4 bytes   the sample entry's type without protection
///     schm   scheme_type                    4 bytes   cbcs, cenc, cens, cbc1
///            scheme_version                 4 bytes   0x00010000
///     schi   tenc                           see ``TrackEncryptionBox``
public struct ProtectionSchemeInfoBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "sinf"

    /// The sample entry's type without protection, such as `avc1`.
    public var originalFormat: FourCC
    /// The scheme; nil when the box is missing.
    public var schemeType: FourCC?
    /// The scheme's version.
    public var schemeVersion: UInt32
    /// What holds for all samples; nil when the box is missing.
    public var trackEncryption: TrackEncryptionBox?

    /// Makes a box.
    public init(originalFormat: FourCC, schemeType: FourCC, trackEncryption: TrackEncryptionBox) {
        self.originalFormat = originalFormat
        self.schemeType = schemeType
        schemeVersion = 0x0001_0000
        self.trackEncryption = trackEncryption
    }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        var format: FourCC?
        var scheme: (type: FourCC, version: UInt32)?
        var encryption: TrackEncryptionBox?
        let start = reader.offset
        try reader.readBoxes(in: Self.type) { header, content throws(ParseError) in
            switch header.type {
            case "frma": format = try content.readFourCC("original format")
            case "schm":
                _ = try FullBoxHeader(reading: &content, of: "schm", newest: 0)
                scheme = (try content.readFourCC("scheme type"), try content.readUInt32("scheme version"))
            case "schi":
                try content.readBoxes(in: "schi") { inner, box throws(ParseError) in
                    if inner.type == TrackEncryptionBox.type { encryption = try TrackEncryptionBox(reading: &box) }
                }
            default: break
            }
        }
        guard let format else {
            throw ParseError(.missingBox, reading: "sinf box", offset: start, reason: "it has no frma box")
        }
        originalFormat = format
        schemeType = scheme?.type
        schemeVersion = scheme?.version ?? 0
        trackEncryption = encryption
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.box("frma") { $0.write(originalFormat) }
            if let schemeType {
                writer.fullBox("schm") { writer in
                    writer.write(schemeType)
                    writer.write(schemeVersion)
                }
            }
            if let trackEncryption { writer.box("schi") { trackEncryption.write(to: &$0) } }
        }
    }
}

/// `tenc`: what holds for all samples of a protected track (ISO/IEC 23001-7, 8.2).
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
    /// The type.
    public static let type: FourCC = "tenc"

    /// How many blocks of 16 bytes of each pattern are encrypted; 0 with ``skipByteBlock`` 0: all.
    public var cryptByteBlock: UInt8
    /// How many blocks of each pattern are left clear.
    public var skipByteBlock: UInt8
    /// Whether samples are protected.
    public var isProtected: Bool
    /// The size of each sample's initialization vector in bytes; 0: all have the constant one.
    public var perSampleIVSize: UInt8
    /// The key ID, 16 bytes.
    public var keyID: [UInt8]
    /// The constant initialization vector, 8 or 16 bytes; empty when each sample has its own.
    public var constantIV: [UInt8]

    /// Makes a box.
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

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        try reader.skip(1, "reserved")
        try self.init(fieldsOf: &reader, hasPattern: header.version > 0)
    }

    /// Reads what `tenc` and the entries of `seig` groups share.
    init(fieldsOf reader: inout ByteReader, hasPattern: Bool) throws(ParseError) {
        let pattern = try reader.readUInt8("encryption pattern")
        cryptByteBlock = hasPattern ? pattern >> 4 : 0
        skipByteBlock = hasPattern ? pattern & 15 : 0
        isProtected = try reader.readUInt8("whether samples are protected") != 0
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
        ParseError(.invalidValue, reading: "size of an initialization vector", offset: offset, reason: "\(size) bytes")
    }

    /// Version 1 where there is a pattern or a constant vector, as cbcs has.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = cryptByteBlock != 0 || skipByteBlock != 0 || perSampleIVSize == 0 ? 1 : 0
        writer.fullBox(Self.type, version: version) { writer in
            writer.write(UInt8(0))
            writeFields(to: &writer)
        }
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

/// `pssh`: what one DRM system needs to know (ISO/IEC 23001-7, 8.1).
///
///     SystemID    16 bytes
///     KID_count   4 bytes   ┐ version 1
///     KID         16 bytes  ┘ each
///     DataSize    4 bytes
///     Data        DataSize bytes
public struct ProtectionSystemHeaderBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "pssh"

    /// The DRM system, 16 bytes.
    public var systemID: [UInt8]
    /// The key IDs, 16 bytes each; nil in version 0, which has none.
    public var keyIDs: [[UInt8]]?
    /// What the system defines.
    public var data: [UInt8]

    /// Makes a box; version 1 when there are key IDs.
    public init(systemID: [UInt8], keyIDs: [[UInt8]]? = nil, data: [UInt8] = []) {
        self.systemID = systemID
        self.keyIDs = keyIDs
        self.data = data
    }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        systemID = try reader.readBytes(16, "system ID")
        keyIDs = nil
        if header.version > 0 {
            let count = try reader.readCount(entrySize: 16, "number of key IDs")
            var keyIDs: [[UInt8]] = []
            keyIDs.reserveCapacity(count)
            for _ in 0..<count { keyIDs.append(try reader.readBytes(16, "key ID")) }
            self.keyIDs = keyIDs
        }
        let size = try reader.readCount(entrySize: 1, "size of the data of a pssh box")
        data = try reader.readBytes(size, "data of a pssh box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: keyIDs == nil ? 0 : 1) { writer in
            writer.write(systemID)
            if let keyIDs {
                writer.write(UInt32(keyIDs.count))
                for keyID in keyIDs { writer.write(keyID) }
            }
            writer.write(UInt32(data.count))
            writer.write(data)
        }
    }
}
