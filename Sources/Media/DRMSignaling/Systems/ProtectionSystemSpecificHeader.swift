public import ByteCoding
import TextCoding

/// `pssh`, the protection system specific header: what one system needs to know before it fetches keys (ISO/IEC
/// 23001-7, 8.1).
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
    /// Which system.
    public var systemID: SystemID
    /// The keys that it is about; nil in version 0, which does not say.
    public var keyIDs: [ContentKeyID]?
    /// What the system defines.
    public var data: [UInt8]

    /// Makes a box; of version 1 when there are key IDs, even if there are none in the list.
    public init(systemID: SystemID, keyIDs: [ContentKeyID]? = nil, data: [UInt8] = []) {
        self.systemID = systemID
        self.keyIDs = keyIDs
        self.data = data
    }

    /// A box of version 1 with key IDs, each once, and no data.
    ///
    /// That is all that the common system defines (W3C, "cenc" initialization data format, section 4). It is what
    /// FairPlay gets as well: its clients take the key ID from `sinf` and the asset ID from the playlist, and Apple has
    /// published no content for the box.
    ///
    /// - Parameter system: The system; nil comes back for one that has no box.
    public init?(listing keyIDs: [ContentKeyID], for system: ProtectionSystem) {
        guard let systemID = system.systemID else { return nil }
        var seen: Set<ContentKeyID> = []
        self.init(systemID: systemID, keyIDs: keyIDs.filter { seen.insert($0).inserted })
    }

    /// The box of a system for keys, as an init segment and a DASH manifest have it: what the system defines where that
    /// is known, otherwise the key IDs alone, as ``init(listing:for:)`` has it.
    ///
    ///     system     version   data
    ///     widevine   0         WidevineHeader
    ///     playready  0         PlayReadyObject
    ///     others     1         none
    ///
    /// - Parameters:
    ///   - keyIDs: The keys, each listed once.
    ///   - system: The system; nil comes back for one that has no box.
    ///   - scheme: How media is encrypted.
    /// - Throws: `invalid-playready-header` when there are too many keys for one.
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

    /// Reads one box, its header included.
    ///
    /// - Throws: `ParseError`: `invalid-value` for another box or a newer version, `invalid-length`, `truncated`,
    ///   `trailing-bytes` when the box is longer than its fields.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        var content = try reader.split(Self.contentSize(reading: &reader), "content of a pssh box")
        let offset = content.offset
        let version = try content.readUInt32("version and flags of a pssh box") >> 24
        guard version <= 1 else {
            throw ParseError(
                .invalidValue,
                reading: "version of a pssh box",
                offset: offset,
                reason: "version \(version) is not known; 1 is the newest"
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

    /// Reads boxes that stand one after the other, as initialization data of a browser or of a `data:` URI does.
    ///
    /// - Throws: `ParseError`, as reading one does.
    public static func all(in bytes: [UInt8]) throws(ParseError) -> [ProtectionSystemSpecificHeader] {
        var reader = ByteReader(bytes.span.bytes)
        var boxes: [ProtectionSystemSpecificHeader] = []
        while reader.remaining > 0 { boxes.append(try ProtectionSystemSpecificHeader(reading: &reader)) }
        return boxes
    }

    /// Writes the box, its header included. It is shorter than 4 GiB.
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

    /// The box as bytes, its header included.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// The box in Base64, as `cenc:pssh` of a DASH manifest holds it.
    public var base64: String { Base64.encode(bytes) }

    /// Reads the header of a box and holds that its content is there.
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
                reason: "\(size) bytes, of which \(reader.remaining) are left behind a header of \(headerSize)"
            )
        }
        return Int(size - headerSize)
    }

    /// Reads a number of entries and holds that they are there, so that it never decides how much memory is taken.
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
                reason: "\(count) of \(size) bytes each do not fit into the \(reader.remaining) bytes that are left"
            )
        }
        return count
    }
}
