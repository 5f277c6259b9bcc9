public import ByteCoding
import TextCoding

/// The storage and playback durations of an offline key (Table 6-1). Not allowed together with a
/// ``ContentKeyDuration``.
///
///     bytes    field
///     0-7      tag 0x6375d9727060218c
///     8-11     block length
///     12-15    value length: 32 for version 1, 48 for version 2
///     16-19    version of the TLLV: 1 or 2
///     20-23    reserved: 0
///     24-39    content ID (version 1) or stream ID (version 2)
///     40-43    storage duration, seconds from acquisition until first play
///     44-47    playback duration, seconds from first play
///     48-63    title ID (version 2 only)
///     ...      padding
public struct OfflineKey: TLLVContent {
    /// The stream ID, 16 bytes; called content ID in version 1.
    public let streamID: [UInt8]
    /// The storage duration from acquisition until first playback, in seconds; 0 means no limit.
    public let storage: UInt32
    /// The playback duration from first playback, in seconds; 0 means no limit.
    public let playback: UInt32
    /// The ID that all streams of a title share, 16 bytes; nil if the block has version 1.
    public let titleID: [UInt8]?
    /// The reserved field, with the value of the message; 0 in a new block.
    public let reserved: UInt32

    /// Creates an offline key from its IDs (16 bytes each) and durations (seconds). Version 2 has a title ID.
    public init(streamID: [UInt8], storage: UInt32, playback: UInt32, titleID: [UInt8]?) {
        self.streamID = streamID
        self.storage = storage
        self.playback = playback
        self.titleID = titleID
        reserved = 0
    }

    /// The version of the TLLV: 1 or 2.
    public var version: UInt32 { titleID == nil ? 1 : 2 }

    /// The tag, 0x6375d9727060218c.
    public static let tag = TLLVTag.offlineKey
    /// The size of the value: 32 bytes for version 1, 48 for version 2. Parsing checks the size for the version.
    public static let valueLengths = TLLVValueLengths.oneOf([32, 48])
    /// The version field; versions 1 and 2 are supported.
    public static let versioning: TLLVVersioning? = TLLVVersioning(offset: 0, known: 1...2)

    /// Reads the fields of either version.
    ///
    /// - Throws: `invalid-value-length` for a size that the version does not have.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let length = reader.remaining
        let version = try reader.readUInt32("version of offline-key")
        guard length == (version == 1 ? 32 : 48) else {
            throw ParseError(
                .invalidValueLength,
                reading: "value of offline-key",
                offset: start,
                reason: "\(counted(length, "byte")) for version \(version)"
            )
        }
        reserved = try reader.readUInt32("reserved field of offline-key")
        streamID = try reader.readBytes(16, "stream ID")
        storage = try reader.readUInt32("storage duration")
        playback = try reader.readUInt32("playback duration")
        titleID = version == 1 ? nil : try reader.readBytes(16, "title ID")
    }

    /// Writes the fields of either version.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(version)
        writer.write(reserved)
        writer.write(streamID)
        writer.write(storage)
        writer.write(playback)
        if let titleID { writer.write(titleID) }
    }
}
