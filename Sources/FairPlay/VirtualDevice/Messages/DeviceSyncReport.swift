internal import ByteCoding

/// The content of a Sync block.
package enum DeviceSyncReport: Sendable {
    /// Version 0, 28 zero bytes, as in ordinary SPCs.
    case empty
    /// Version 1 (the first Table 6-2), for a key whose Offline Key TLLV had version 1.
    case version1(contentID: [UInt8], remaining: UInt32)
    /// Version 2 (Table 6-3).
    case version2(Version2)

    /// The fields of version 2.
    package struct Version2: Sendable {
        /// The challenge of the server.
        package var challenge: UInt64
        /// The requested operation and its result.
        package var flags: Flags
        /// The title ID, 16 bytes; zeros if there is no title.
        package var titleID = [UInt8](repeating: 0, count: 16)
        /// The duration to expiry in seconds; 0 if the key has expired, 0xFFFFFFFF if it never expires.
        package var remaining: UInt32 = 0
        /// The stream IDs of the invalidated keys, 16 bytes each.
        package var invalidatedStreamIDs: [[UInt8]] = []

        /// Creates the fields of a report without a title, on a key that has expired.
        package init(challenge: UInt64, flags: Flags) {
            self.challenge = challenge
            self.flags = flags
        }
    }

    /// The flags of Table 6-4. `success` means that the requested operation was performed; `objectExpired` can be set
    /// in addition.
    package struct Flags: OptionSet, Sendable {
        /// The number in the block, 8 bytes.
        package let rawValue: UInt64

        /// Creates flags from their number.
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The device requested a report.
        package static let report = Flags(rawValue: 1 << 0)
        /// The device requested a secure invalidation.
        package static let secureInvalidation = Flags(rawValue: 1 << 1)
        /// The device requested the invalidation of all keys.
        package static let secureInvalidationAll = Flags(rawValue: 1 << 2)
        /// The operation succeeded.
        package static let success = Flags(rawValue: 1 << 16)
        /// The persistent key was not found or is not valid.
        package static let objectNotFound = Flags(rawValue: 1 << 17)
        /// The persistent key is valid, but has expired.
        package static let objectExpired = Flags(rawValue: 1 << 18)
    }

    /// Returns whether the value of a Sync block makes its SPC a Sync SPC: version 1 with 28 bytes, or version 2 with
    /// 48 bytes and 16 for each invalidated record.
    static func isValid(_ value: [UInt8]) -> Bool {
        func number(at offset: Int) -> Int { value[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard value.count >= 28 else { return false }
        return switch number(at: 0) {
        case 1: value.count == 28
        case 2: value.count >= 48 && value.count == 48 + 16 * number(at: 44)
        default: false
        }
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
