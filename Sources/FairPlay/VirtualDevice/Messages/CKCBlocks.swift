internal import ByteCoding

// Table numbers are those of Apple's FairPlay Streaming Programming Guide. Byte offsets in comments count from the start
// of the block, whose value starts at byte 16. Offsets in errors count from the start of the value.

/// The tags of the blocks that the server creates for a CKC (Table 2-11). The server can also return blocks of the SPC.
enum CKCTag {
    static let encryptedCK: UInt64 = 0x58b3_8165_af0e_3d5a
    static let r1: UInt64 = 0xea74_c464_5d5e_fee9
    static let contentKeyDuration: UInt64 = 0x47ac_f6a4_18cd_091a
    static let requiredSecurityLevel: UInt64 = 0x644c_b1da_c031_3250
    static let offlineKey: UInt64 = 0x6375_d972_7060_218c
    static let hdcpEnforcement: UInt64 = 0x2e52_f153_0d8d_db4a

    static let all = [encryptedCK, r1, contentKeyDuration, requiredSecurityLevel, offlineKey, hdcpEnforcement]

    /// The names of the tags of a CKC and an SPC, for messages.
    private static let names: [UInt64: String] = [
        encryptedCK: "encrypted-ck", r1: "r1", contentKeyDuration: "content-key-duration",
        requiredSecurityLevel: "required-security-level", offlineKey: "offline-key",
        hdcpEnforcement: "hdcp-enforcement",
        SPCDraft.Tag.sessionKeyAndR1.rawValue: "sk-r1", SPCDraft.Tag.integrity.rawValue: "sk-r1-integrity",
        SPCDraft.Tag.antiReplaySeed.rawValue: "ar-seed", SPCDraft.Tag.r2.rawValue: "r2",
        SPCDraft.Tag.tagReturnRequest.rawValue: "tag-return-request", SPCDraft.Tag.assetID.rawValue: "asset-id",
        SPCDraft.Tag.transactionID.rawValue: "transaction-id",
        SPCDraft.Tag.protocolVersionsSupported.rawValue: "versions-supported",
        SPCDraft.Tag.protocolVersionUsed.rawValue: "version-used",
        SPCDraft.Tag.streamingIndicator.rawValue: "streaming-indicator",
        SPCDraft.Tag.mediaPlaybackState.rawValue: "media-playback-state",
        SPCDraft.Tag.capabilities.rawValue: "capabilities", SPCDraft.Tag.deviceIdentity.rawValue: "device-identity",
        SPCDraft.Tag.deviceInfo.rawValue: "device-info", SPCDraft.Tag.sync.rawValue: "sync",
        SPCDraft.Tag.kextDenyListVersion.rawValue: "kext-deny-list-version",
        SPCDraft.Tag.securityLevelReport.rawValue: "security-level-report",
        SPCDraft.Tag.vmDeviceInformation.rawValue: "vm-device-information",
    ]

    /// Returns a tag in hexadecimal, after its name if the guide defines it.
    static func name(_ tag: UInt64) -> String {
        names[tag].map { "\($0) (\(hexadecimal(tag)))" } ?? hexadecimal(tag)
    }
}

/// The content of the Content Key Duration block, 16 bytes (Table 4-3).
struct ReceivedKeyDuration {
    /// The key types of Tables 4-4 and 5-1.
    enum KeyType: UInt32 {
        case lease = 0x1a4b_de7e
        case rental = 0x3dfe_45a0
        case leaseAndRental = 0x27b5_9bde
        case persistent = 0x3df2_d9fb
        case persistentForRentalDuration = 0x18f0_6048
    }

    /// The lease duration, in seconds; 0 means no limit.
    let lease: UInt32
    /// The rental duration, in seconds; 0 means no limit.
    let rental: UInt32
    /// The key type, which determines the durations that apply.
    let type: KeyType

    // 16-19 lease duration | 20-23 rental duration | 24-27 key type | 28-31 reserved, must be 0x86d34a3a
    init(_ value: [UInt8]) throws(ParseError) {
        var reader = ByteReader(value.span.bytes)
        lease = try reader.readUInt32("lease duration of the content key duration")
        rental = try reader.readUInt32("rental duration of the content key duration")
        guard let type = KeyType(rawValue: try reader.readUInt32("key type of the content key duration")) else {
            throw ParseError(
                .invalidValue,
                reading: "key type of the content key duration",
                offset: 8,
                reason: "the guide does not define it"
            )
        }
        self.type = type
        guard try reader.readUInt32("reserved field of the content key duration") == 0x86d3_4a3a else {
            throw ParseError(
                .invalidValue,
                reading: "reserved field of the content key duration",
                offset: 12,
                reason: "must be 0x86d34a3a"
            )
        }
        try reader.finish("content key duration")
    }

    /// The irregularities of the durations, for messages: one that applies and is 0, which limits nothing, and one that
    /// does not apply and is not 0.
    var notes: [String] {
        let (usesLease, usesRental) =
            switch type {
            case .lease: (true, false)
            case .rental, .persistentForRentalDuration: (false, true)
            case .leaseAndRental: (true, true)
            case .persistent: (false, false)
            }
        return [("lease", lease, usesLease), ("rental", rental, usesRental)].compactMap { name, seconds, isUsed in
            switch (isUsed, seconds) {
            case (true, 0): "the \(name) duration is 0, so it limits nothing"
            case (false, 1...): "the \(name) duration of \(seconds) s is not used by the key type"
            default: nil
            }
        }
    }

    /// The durations that apply, for messages.
    var summary: String {
        func text(_ name: String, _ seconds: UInt32) -> String {
            "\(name): \(seconds == 0 ? "no limit" : "\(seconds) s")"
        }
        return switch type {
        case .lease: text("lease", lease)
        case .rental: text("rental", rental)
        case .leaseAndRental: "\(text("lease", lease)), \(text("rental", rental))"
        case .persistent: "persistent: no limit"
        case .persistentForRentalDuration: text("persistent", rental)
        }
    }

    var terms: DeviceKeyTerms {
        switch type {
        case .lease: .streaming(lease: lease, rental: 0)
        case .rental: .streaming(lease: 0, rental: rental)
        case .leaseAndRental: .streaming(lease: lease, rental: rental)
        case .persistent: .persistent(validity: 0)
        case .persistentForRentalDuration: .persistent(validity: rental)
        }
    }
}

/// The content of the Offline Key block, 32 bytes in version 1 and 48 in version 2 (Table 6-1).
struct ReceivedOfflineKey: Sendable, Equatable {
    /// The version: 1 or 2.
    let version: UInt32
    /// The content ID in version 1, the stream ID in version 2; 16 bytes.
    let streamID: [UInt8]
    /// The time for which the key can be stored before playback first starts, in seconds; 0 means no limit.
    let storageDuration: UInt32
    /// The time for which the key can be used after playback first starts, in seconds; 0 means no limit.
    let playbackDuration: UInt32
    /// The title ID, 16 bytes; nil in version 1.
    let titleID: [UInt8]?

    // 16-19 version | 20-23 reserved, must be 0 | 24-39 content or stream ID | 40-43 storage duration | 44-47 playback duration
    // version 2: 48-63 title ID
    init(_ value: [UInt8]) throws(ParseError) {
        var reader = ByteReader(value.span.bytes)
        version = try reader.readUInt32("version of the offline key")
        guard version == 1 || version == 2 else {
            throw ParseError(
                .unsupportedBlockVersion,
                reading: "version of the offline key",
                offset: 0,
                reason: "\(version)"
            )
        }
        guard try reader.readUInt32("reserved field of the offline key") == 0 else {
            throw ParseError(
                .invalidValue,
                reading: "reserved field of the offline key",
                offset: 4,
                reason: "must be 0"
            )
        }
        streamID = try reader.readBytes(16, "content ID or stream ID of the offline key")
        storageDuration = try reader.readUInt32("storage duration of the offline key")
        playbackDuration = try reader.readUInt32("playback duration of the offline key")
        titleID = version == 2 ? try reader.readBytes(16, "title ID of the offline key") : nil
        try reader.finish("offline key")
    }

    init(version: UInt32, streamID: [UInt8], storage: UInt32, playback: UInt32, titleID: [UInt8]?) {
        (self.version, self.streamID, self.titleID) = (version, streamID, titleID)
        (storageDuration, playbackDuration) = (storage, playback)
    }
}

/// The content of the Required Security Level block, 16 bytes (Table 3-9).
enum ReceivedSecurityLevel: UInt64, Sendable {
    // Table 3-10
    case audio = 0x17d9_9d57_4eed_567d
    case baseline = 0x32f0_0049_66a5_c4f8
    case main = 0x4e7f_d924_21d5_88b4

    // 16-19 version, must be 1 | 20-23 reserved, should be 0 | 24-31 security level
    init(_ value: [UInt8]) throws(ParseError) {
        var reader = ByteReader(value.span.bytes)
        let version = try reader.readUInt32("version of the required security level")
        guard version == 1 else {
            throw ParseError(
                .unsupportedBlockVersion,
                reading: "version of the required security level",
                offset: 0,
                reason: "\(version)"
            )
        }
        try reader.skip(4, "reserved field of the required security level")
        guard let level = Self(rawValue: try reader.readUInt64("required security level")) else {
            throw ParseError(
                .invalidValue,
                reading: "required security level",
                offset: 8,
                reason: "the guide does not define it"
            )
        }
        try reader.finish("required security level")
        self = level
    }

    /// True if the reserved field of a value that has been parsed is not 0. A device ignores the field.
    static func hasReservedField(_ value: [UInt8]) -> Bool { value[4..<8].contains { $0 != 0 } }

    /// The name in the guide, for messages.
    var name: String {
        switch self {
        case .audio: "Audio"
        case .baseline: "Baseline"
        case .main: "Main"
        }
    }
}

/// The HDCP level, which is the content of the HDCP Enforcement block, 16 or 8 bytes (Table 3-12).
enum ReceivedHDCPLevel: UInt64, Sendable {
    // Table 3-13
    case none = 0xef72_894c_a789_5b78
    case type0 = 0x4079_1ac7_8bd5_c571
    case type1 = 0x285a_0863_bba8_e1d3

    // 16-23 HDCP level | 24-31 random, may be absent
    init(_ value: [UInt8]) throws(ParseError) {
        var reader = ByteReader(value.span.bytes)
        guard let level = Self(rawValue: try reader.readUInt64("HDCP level")) else {
            throw ParseError(
                .invalidValue,
                reading: "HDCP level",
                offset: 0,
                reason: "the guide does not define it"
            )
        }
        if reader.remaining > 0 { try reader.skip(8, "random field of the HDCP enforcement") }
        try reader.finish("HDCP enforcement")
        self = level
    }

    /// The name in the guide, for messages.
    var name: String {
        switch self {
        case .none: "not required"
        case .type0: "Type 0"
        case .type1: "Type 1"
        }
    }

    /// Returns whether the HDCP type of `display` is sufficient for the key.
    func isMet(by display: DeviceProfile.Display) -> Bool {
        switch self {
        case .none: true
        case .type0: display >= .hdcpType0
        case .type1: display >= .hdcpType1
        }
    }
}
