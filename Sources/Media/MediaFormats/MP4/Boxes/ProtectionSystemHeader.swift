public import ByteCoding
import TextCoding

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

    /// The fields to display.
    public var fields: [BoxField] {
        [BoxField("SystemID", bytes: systemID), BoxField("DataSize", data.count)]
            + (keyIDs.map { [BoxField("KID", list: $0.prefix(16).map { Hexadecimal.encode($0) })] } ?? [])
    }
}
