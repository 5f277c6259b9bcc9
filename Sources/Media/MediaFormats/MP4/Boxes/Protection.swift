public import ByteCoding

/// A `sinf` box: the protection of a track (ISO/IEC 14496-12, 8.12), with its child boxes:
///
///     frma   data_format                    4 bytes   the sample entry's type without protection
///     schm   scheme_type                    4 bytes   cbcs, cenc, cens, cbc1
///            scheme_version                 4 bytes   0x00010000
///     schi   tenc                           see ``TrackEncryptionBox``
public struct ProtectionSchemeInfoBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "sinf"

    /// The type of the sample entry without protection, for example `avc1`.
    public var originalFormat: FourCC
    /// The type of the protection scheme; nil if the `schm` box is missing.
    public var schemeType: FourCC?
    /// The version of the protection scheme.
    public var schemeVersion: UInt32
    /// The default encryption parameters of the track; nil if the `tenc` box is missing.
    public var trackEncryption: TrackEncryptionBox?

    /// Creates a box.
    public init(originalFormat: FourCC, schemeType: FourCC, trackEncryption: TrackEncryptionBox) {
        self.originalFormat = originalFormat
        self.schemeType = schemeType
        schemeVersion = 0x0001_0000
        self.trackEncryption = trackEncryption
    }

    /// Reads the content of the box.
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
            throw ParseError(.missingBox, reading: "sinf box", offset: start, reason: "the box has no frma box")
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

/// A `pssh` box: the header for one DRM system (ISO/IEC 23001-7, 8.1).
///
///     SystemID    16 bytes
///     KID_count   4 bytes   ┐ version 1
///     KID         16 bytes  ┘ each
///     DataSize    4 bytes
///     Data        DataSize bytes
public struct ProtectionSystemHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "pssh"

    /// The system ID of the DRM system, 16 bytes.
    public var systemID: [UInt8]
    /// The key IDs, 16 bytes each; nil in version 0, which has no key IDs.
    public var keyIDs: [[UInt8]]?
    /// The data, which the DRM system defines.
    public var data: [UInt8]

    /// Creates a box, in version 1 if there are key IDs.
    public init(systemID: [UInt8], keyIDs: [[UInt8]]? = nil, data: [UInt8] = []) {
        self.systemID = systemID
        self.keyIDs = keyIDs
        self.data = data
    }

    /// Reads the content of the box.
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
        let size = try reader.readCount(entrySize: 1, "size of the data of the pssh box")
        data = try reader.readBytes(size, "data of the pssh box")
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
