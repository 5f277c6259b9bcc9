public import ByteCoding
import TextCoding

/// The `pssh` box (protection system specific header): the initialization data of a DRM system (ISO/IEC 23001-7, 8.1).
///
///     size        4 bytes   of the whole box; 1: largesize follows
///     type        4 bytes   "pssh"
///     largesize   8 bytes   if size is 1
///     version     1 byte    0 or 1
///     flags       3 bytes   0
///     SystemID    16 bytes
///     KID_count   4 bytes   ┐ version 1
///     KID         16 bytes  ┘ each
///     DataSize    4 bytes
///     Data        DataSize bytes
public struct ProtectionSystemSpecificHeader: Hashable, Sendable {
    /// The system ID.
    public var systemID: SystemID
    /// The key IDs; nil in version 0, which contains none.
    public var keyIDs: [ContentKeyID]?
    /// The system-specific data.
    public var data: [UInt8]

    /// Creates a box; version 1 if there is a list of key IDs, even an empty one.
    public init(systemID: SystemID, keyIDs: [ContentKeyID]? = nil, data: [UInt8] = []) {
        self.systemID = systemID
        self.keyIDs = keyIDs
        self.data = data
    }

    /// Creates a box of version 1 with distinct key IDs and no data.
    ///
    /// This is the format of the common system (W3C, "cenc" initialization data format, section 4). It is also used for
    /// FairPlay: its clients read the key ID from `sinf` and the asset ID from the playlist, and Apple has not
    /// published any data for the box.
    ///
    /// - Parameter system: The system; the result is nil if it has no box.
    public init?(listing keyIDs: [ContentKeyID], for system: ProtectionSystem) {
        guard let systemID = system.systemID else { return nil }
        var seen: Set<ContentKeyID> = []
        self.init(systemID: systemID, keyIDs: keyIDs.filter { seen.insert($0).inserted })
    }

    /// Creates the box of a system for keys, for an init segment and a DASH manifest: with the system-specific data if
    /// its format is known, otherwise only with the key IDs as in ``init(listing:for:)``.
    ///
    ///     system     version   data
    ///     widevine   0         WidevineHeader
    ///     playready  0         PlayReadyObject
    ///     others     1         none
    ///
    /// - Parameters:
    ///   - keyIDs: The key IDs; duplicates are removed.
    ///   - system: The system; the result is nil if it has no box.
    ///   - scheme: The encryption scheme.
    /// - Throws: `invalid-playready-header` if there are too many keys for a PlayReady header.
    public init?(
        announcing keyIDs: [ContentKeyID],
        to system: ProtectionSystem,
        scheme: CommonEncryptionScheme
    ) throws(SignalingError) {
        self.init(listing: keyIDs, for: system)
        let listed = self.keyIDs ?? []
        if system == .widevine {
            self.init(systemID: .widevine, data: WidevineHeader(keyIDs: listed, scheme: scheme).bytes)
        } else if system == .playReady {
            let header = PlayReadyHeader(keyIDs: listed, scheme: scheme)
            self.init(systemID: .playReady, data: try PlayReadyObject(header).bytes)
        }
    }

    /// Parses a box, including its header.
    ///
    /// - Throws: `ParseError`: `invalid-value` for another box type or a newer version; `invalid-length`; `truncated`;
    ///   `trailing-bytes` if the box is longer than its fields.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        var content = try reader.split(Self.contentSize(reading: &reader), "content of a pssh box")
        let offset = content.offset
        let version = try content.readUInt32("version and flags of a pssh box") >> 24
        guard version <= 1 else {
            throw ParseError(
                .invalidValue,
                reading: "version of a pssh box",
                offset: offset,
                reason: "version \(version) is not supported; the newest is 1"
            )
        }
        systemID = try SystemID(reading: &content)
        if version == 1 {
            let count = try Self.count(in: &content, ofSize: 16, "number of key IDs of a pssh box")
            var list: [ContentKeyID] = []
            list.reserveCapacity(count)
            for _ in 0..<count { list.append(try ContentKeyID(reading: &content)) }
            keyIDs = list
        }
        let size = try Self.count(in: &content, ofSize: 1, "size of the data of a pssh box")
        data = try content.readBytes(size, "data of a pssh box")
        try content.finish("pssh box")
    }

    /// Parses consecutive boxes, as in initialization data in browsers and in `data:` URIs.
    ///
    /// - Throws: `ParseError`, as for a single box.
    public static func all(in bytes: [UInt8]) throws(ParseError) -> [ProtectionSystemSpecificHeader] {
        var reader = ByteReader(bytes.span.bytes)
        var boxes: [ProtectionSystemSpecificHeader] = []
        while reader.remaining > 0 { boxes.append(try ProtectionSystemSpecificHeader(reading: &reader)) }
        return boxes
    }

    /// Writes the box, including its header. The box must be smaller than 4 GiB.
    public func write(to writer: inout ByteWriter) {
        let size = 32 + (keyIDs.map { 4 + 16 * $0.count } ?? 0) + data.count
        writer.write(UInt32(size))
        writer.write("pssh".utf8)
        writer.write(UInt32(keyIDs == nil ? 0 : 1) << 24)
        writer.write(systemID.bytes)
        if let keyIDs {
            writer.write(UInt32(keyIDs.count))
            for keyID in keyIDs { writer.write(keyID.bytes) }
        }
        writer.write(UInt32(data.count))
        writer.write(data)
    }

    /// The box as bytes, including its header.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// The box in Base64, as in `cenc:pssh` of a DASH manifest.
    public var base64: String { Base64.encode(bytes) }

    /// Reads the header of a box, checks that its content is complete, and returns the size of the content in bytes.
    private static func contentSize(reading reader: inout ByteReader) throws(ParseError) -> Int {
        let offset = reader.offset
        let short = try reader.readUInt32("size of a pssh box")
        let type = try reader.readUInt32("type of a pssh box")
        guard type == 0x7073_7368 else {
            throw ParseError(.invalidValue, reading: "type of a box", offset: offset + 4, reason: "not pssh")
        }
        let size = short == 1 ? try reader.readUInt64("large size of a pssh box") : UInt64(short)
        let headerSize = UInt64(reader.offset - offset)
        guard size >= headerSize, size - headerSize <= UInt64(reader.remaining) else {
            throw ParseError(
                .invalidLength,
                reading: "size of a pssh box",
                offset: offset,
                reason:
                    "the field specifies \(size) bytes, but \(reader.remaining) are left after a header of "
                    + "\(headerSize)"
            )
        }
        return Int(size - headerSize)
    }

    /// Reads a number of entries and checks that they are complete, so that the field cannot cause a large allocation.
    private static func count(
        in reader: inout ByteReader,
        ofSize size: Int,
        _ field: String
    ) throws(ParseError) -> Int {
        let offset = reader.offset
        let count = Int(try reader.readUInt32(field))
        guard count <= reader.remaining / size else {
            throw ParseError(
                .invalidLength,
                reading: field,
                offset: offset,
                reason: "\(count) entries of \(size) bytes exceed the \(reader.remaining) bytes that are left"
            )
        }
        return count
    }
}
