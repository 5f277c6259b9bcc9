internal import ByteCoding

/// The content of a Sync block.
enum DeviceSyncReport {
    /// Version 0, 28 zero bytes, as in ordinary SPCs.
    case empty
    /// Version 1 (the first Table 6-2), for a key whose Offline Key TLLV had version 1.
    case version1(contentID: [UInt8], remaining: UInt32)
    /// Version 2 (Table 6-3).
    case version2(Version2)

    struct Version2 {
        var challenge: UInt64
        var flags: Flags
        /// The title ID, 16 bytes; zeros if there is no title.
        var titleID = [UInt8](repeating: 0, count: 16)
        /// The duration to expiry in seconds; 0 if the key has expired, 0xFFFFFFFF if it never expires.
        var remaining: UInt32 = 0
        /// The stream IDs of the invalidated keys, 16 bytes each.
        var invalidatedStreamIDs: [[UInt8]] = []
    }

    /// The flags of Table 6-4. `success` means that the requested operation was performed; `objectExpired` can be set
    /// in addition.
    struct Flags: OptionSet {
        let rawValue: UInt64

        static let report = Flags(rawValue: 1 << 0)
        static let secureInvalidation = Flags(rawValue: 1 << 1)
        static let secureInvalidationAll = Flags(rawValue: 1 << 2)
        static let success = Flags(rawValue: 1 << 16)
        static let objectNotFound = Flags(rawValue: 1 << 17)
        static let objectExpired = Flags(rawValue: 1 << 18)
    }

    // version 1: 16-19 version | 20-23 reserved | 24-39 content ID | 40-43 duration to expiry
    // version 2: 16-19 version | 20-23 reserved | 24-31 server challenge | 32-39 flags | 40-55 title ID
    //            56-59 duration to expiry | 60-63 records invalidated | 64-X invalidated stream IDs
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 48)
        switch self {
        case .empty:
            return [UInt8](repeating: 0, count: 28)
        case .version1(let contentID, let remaining):
            writer.write(UInt32(1))
            writer.write(UInt32(0))
            writer.write(contentID)
            writer.write(remaining)
        case .version2(let report):
            writer.write(UInt32(2))
            writer.write(UInt32(0))
            writer.write(report.challenge)
            writer.write(report.flags.rawValue)
            writer.write(report.titleID)
            writer.write(report.remaining)
            writer.write(UInt32(truncatingIfNeeded: report.invalidatedStreamIDs.count))
            for streamID in report.invalidatedStreamIDs { writer.write(streamID) }
        }
        return writer.bytes
    }
}
