public import ByteCoding
import TextCoding

/// A report on an offline key: the remaining time for which it is valid, or its invalidation.
///
/// An ordinary SPC can contain this block with version 0, which has 28 bytes in practice. Only versions 1 and 2 make
/// the SPC a Sync SPC.
///
///     bytes    field, version 1 (first Table 6-2)
///     0-7      tag 0x77966de1dc1083ad
///     8-11     block length
///     12-15    value length: 28
///     16-19    version of the TLLV: 1
///     20-23    reserved: 0
///     24-39    content ID
///     40-43    duration to expiry, seconds
///     44...    padding
///
///     bytes    field, version 2 (Table 6-3)
///     0-7      tag 0x77966de1dc1083ad
///     8-11     block length
///     12-15    value length: 48, plus 16 for each stream ID
///     16-19    version of the TLLV: 2
///     20-23    reserved: 0
///     24-31    server challenge
///     32-39    flags
///     40-55    title ID
///     56-59    duration to expiry, seconds
///     60-63    records invalidated
///     64...    invalidated stream IDs, 16 bytes each
///     ...      padding
public enum Sync: TLLVContent {
    /// Version 1: a report on one key.
    case version1(contentID: [UInt8], expiry: Expiry, reserved: UInt32 = 0)
    /// Version 2: a report on, or the invalidation of, all keys of a title.
    case version2(Version2)

    /// The remaining time for which the license is valid.
    public struct Expiry: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The time in seconds; 0 means expired, 0xFFFFFFFF means no expiry date.
        public let rawValue: UInt32

        /// Creates an expiry from the number in the message.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The license has expired.
        public static let expired = Expiry(rawValue: 0)
        /// The license has no expiry date.
        public static let never = Expiry(rawValue: .max)

        /// The expiry as text.
        public var description: String {
            switch self {
            case .expired: "expired"
            case .never: "never"
            default: "\(rawValue) s"
            }
        }
    }

    /// The requested operation and its result (Table 6-4).
    public struct Flags: OptionSet, Hashable, Sendable, CustomStringConvertible {
        /// The number in the message, 8 bytes.
        public let rawValue: UInt64

        /// Creates flags from their number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// A report was requested.
        public static let report = Flags(rawValue: 1 << 0)
        /// Secure invalidation was requested.
        public static let secureInvalidation = Flags(rawValue: 1 << 1)
        /// Secure invalidation of all keys was requested.
        public static let secureInvalidationAll = Flags(rawValue: 1 << 2)
        /// The operation succeeded.
        public static let success = Flags(rawValue: 1 << 16)
        /// The persistent key was not found or is not valid.
        public static let objectNotFound = Flags(rawValue: 1 << 17)
        /// The persistent key is valid, but had expired.
        public static let objectExpired = Flags(rawValue: 1 << 18)

        /// The names of the set flags; unknown flags are listed by bit number.
        public var description: String {
            let names: [Int: String] = [
                0: "report", 1: "secure invalidation", 2: "secure invalidation of all",
                16: "success", 17: "object not found", 18: "object expired",
            ]
            let set = (0..<64).filter { rawValue >> UInt64($0) & 1 == 1 }
            return set.isEmpty ? "none" : set.map { names[$0] ?? "bit \($0)" }.joined(separator: ", ")
        }
    }

    /// The fields of version 2.
    public struct Version2: Sendable, Hashable {
        /// The challenge that the server had issued, 8 bytes.
        public let serverChallenge: UInt64
        /// The requested operation and its result.
        public let flags: Flags
        /// The title ID of the Offline Key TLLV, 16 bytes.
        public let titleID: [UInt8]
        /// The remaining time for which the license is valid.
        public let expiry: Expiry
        /// The stream IDs of the invalidated keys, 16 bytes each. Their number equals the field "records invalidated".
        public let invalidatedStreamIDs: [[UInt8]]
        /// The reserved field, with the value of the message.
        public let reserved: UInt32

        /// Creates the fields.
        public init(
            serverChallenge: UInt64,
            flags: Flags,
            titleID: [UInt8],
            expiry: Expiry,
            invalidatedStreamIDs: [[UInt8]] = [],
            reserved: UInt32 = 0
        ) {
            self.serverChallenge = serverChallenge
            self.flags = flags
            self.titleID = titleID
            self.expiry = expiry
            self.invalidatedStreamIDs = invalidatedStreamIDs
            self.reserved = reserved
        }
    }

    /// The tag, 0x77966de1dc1083ad.
    public static let tag = TLLVTag.sync
    /// The size of the value: 28 bytes for version 1; 48 plus a multiple of 16 for version 2. Parsing checks the size
    /// for the version.
    public static let valueLengths = TLLVValueLengths.range(28...Int(UInt32.max))
    /// The version field; versions 1 and 2 are supported.
    public static let versioning: TLLVVersioning? = TLLVVersioning(offset: 0, known: 1...2)

    /// Reads the fields of either version.
    ///
    /// - Throws: `invalid-value-length` for a size that the version does not have, or if the number of stream IDs
    ///   differs from the number in the block.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let length = reader.remaining
        let version = try reader.readUInt32("version of sync")
        guard version == 1 ? length == 28 : length >= 48 && length.isMultiple(of: 16) else {
            throw ParseError(
                .invalidValueLength,
                reading: "value of sync",
                offset: start,
                reason: "\(counted(length, "byte")) for version \(version)"
            )
        }
        let reserved = try reader.readUInt32("reserved field of sync")
        if version == 1 {
            self = .version1(
                contentID: try reader.readBytes(16, "content ID"),
                expiry: Expiry(rawValue: try reader.readUInt32("duration to expiry")),
                reserved: reserved
            )
            return
        }
        let challenge = try reader.readUInt64("server challenge")
        let flags = Flags(rawValue: try reader.readUInt64("flags"))
        let titleID = try reader.readBytes(16, "title ID")
        let expiry = Expiry(rawValue: try reader.readUInt32("duration to expiry"))
        let recordsInvalidated = try reader.readUInt32("records invalidated")
        var streamIDs: [[UInt8]] = []
        while reader.remaining > 0 {
            streamIDs.append(try reader.readBytes(16, "invalidated stream ID"))
        }
        guard streamIDs.count == Int(recordsInvalidated) else {
            throw ParseError(
                .invalidValueLength,
                reading: "records invalidated",
                offset: start + 44,
                reason: "\(counted(recordsInvalidated, "record")), \(streamIDs.count) stream IDs"
            )
        }
        self = .version2(
            Version2(
                serverChallenge: challenge,
                flags: flags,
                titleID: titleID,
                expiry: expiry,
                invalidatedStreamIDs: streamIDs,
                reserved: reserved
            )
        )
    }

    /// Writes the fields of either version.
    public func writeValue(to writer: inout ByteWriter) {
        switch self {
        case .version1(let contentID, let expiry, let reserved):
            writer.write(UInt32(1))
            writer.write(reserved)
            writer.write(contentID)
            writer.write(expiry.rawValue)
        case .version2(let fields):
            writer.write(UInt32(2))
            writer.write(fields.reserved)
            writer.write(fields.serverChallenge)
            writer.write(fields.flags.rawValue)
            writer.write(fields.titleID)
            writer.write(fields.expiry.rawValue)
            writer.write(UInt32(fields.invalidatedStreamIDs.count))
            for streamID in fields.invalidatedStreamIDs { writer.write(streamID) }
        }
    }
}
