/// The 8-byte tag at the start of a TLLV.
public struct TLLVTag: NamedNumber {
    /// The number in the message, 8 bytes.
    public let rawValue: UInt64

    /// Creates a tag from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    // The payload of an SPC (Table 2-4).

    /// The encrypted session key, anonymous device ID and R1.
    public static let sessionKeyAndR1 = TLLVTag(rawValue: 0x3d1a_10b8_bffa_c2ec)
    /// The integrity value, which the last 16 bytes of the decrypted [SK...R1] must equal.
    public static let sessionKeyAndR1Integrity = TLLVTag(rawValue: 0xb349_d480_9e91_0687)
    /// The anti-replay seed.
    public static let antiReplaySeed = TLLVTag(rawValue: 0x89c9_0f12_2041_06b2)
    /// The input of the function that derives DASk.
    public static let r2 = TLLVTag(rawValue: 0x71b5_595a_c152_1133)
    /// The tags of the TLLVs that the CKC must return.
    public static let tagReturnRequest = TLLVTag(rawValue: 0x19f9_d4e5_ab76_09cb)
    /// The asset ID of the requested content.
    public static let assetID = TLLVTag(rawValue: 0x1bf7_f53f_5d5d_5a1f)
    /// The transaction ID.
    public static let transactionID = TLLVTag(rawValue: 0x47aa_7ad3_4405_77de)
    /// The protocol versions that the device supports.
    public static let protocolVersionsSupported = TLLVTag(rawValue: 0x67b8_fb79_ecce_1a13)
    /// The protocol version that the device uses.
    public static let protocolVersionUsed = TLLVTag(rawValue: 0x5d81_bcbc_c7f6_1703)
    /// The place where the content will be displayed.
    public static let streamingIndicator = TLLVTag(rawValue: 0xabb0_256a_3184_3974)
    /// The creation date of the SPC and the playback state.
    public static let mediaPlaybackState = TLLVTag(rawValue: 0xeb8e_fdf2_b25a_b3a0)
    /// The features that the device can enforce.
    public static let capabilities = TLLVTag(rawValue: 0x9c02_af32_53c0_7fb2)
    /// The identity of the device.
    public static let deviceIdentity = TLLVTag(rawValue: 0x94c1_7cd6_76c6_9b59)
    /// The type of the device, in the older block.
    public static let deviceInfo = TLLVTag(rawValue: 0xd43f_c6ab_c596_aae7)
    /// A report on offline keys.
    public static let sync = TLLVTag(rawValue: 0x7796_6de1_dc10_83ad)
    /// The Kext Deny List version of a Mac.
    public static let kextDenyListVersion = TLLVTag(rawValue: 0x70ec_a657_3388_e329)
    /// The security level of the device.
    public static let securityLevelReport = TLLVTag(rawValue: 0xb18e_e16e_a50f_6c02)
    /// The information about a virtual machine.
    public static let vmDeviceInformation = TLLVTag(rawValue: 0x7564_40e2_4049_9f70)

    // The payload of a CKC (Table 2-11).

    /// The content key, encrypted with the session key, and its IV.
    public static let encryptedContentKey = TLLVTag(rawValue: 0x58b3_8165_af0e_3d5a)
    /// R1, which is returned from the SPC.
    public static let r1 = TLLVTag(rawValue: 0xea74_c464_5d5e_fee9)
    /// The lease, rental and persistence of the key.
    public static let contentKeyDuration = TLLVTag(rawValue: 0x47ac_f6a4_18cd_091a)
    /// The security level that the content requires.
    public static let requiredSecurityLevel = TLLVTag(rawValue: 0x644c_b1da_c031_3250)
    /// The storage and playback durations of an offline key.
    public static let offlineKey = TLLVTag(rawValue: 0x6375_d972_7060_218c)
    /// The HDCP type that the content requires.
    public static let hdcpEnforcement = TLLVTag(rawValue: 0x2e52_f153_0d8d_db4a)

    /// The short names of the tags. They are used in error codes and never change.
    public static let names: [UInt64: String] = [
        sessionKeyAndR1.rawValue: "sk-r1",
        sessionKeyAndR1Integrity.rawValue: "sk-r1-integrity",
        antiReplaySeed.rawValue: "ar-seed",
        r2.rawValue: "r2",
        tagReturnRequest.rawValue: "tag-return-request",
        assetID.rawValue: "asset-id",
        transactionID.rawValue: "transaction-id",
        protocolVersionsSupported.rawValue: "versions-supported",
        protocolVersionUsed.rawValue: "version-used",
        streamingIndicator.rawValue: "streaming-indicator",
        mediaPlaybackState.rawValue: "media-playback-state",
        capabilities.rawValue: "capabilities",
        deviceIdentity.rawValue: "device-identity",
        deviceInfo.rawValue: "device-info",
        sync.rawValue: "sync",
        kextDenyListVersion.rawValue: "kext-deny-list-version",
        securityLevelReport.rawValue: "security-level-report",
        vmDeviceInformation.rawValue: "vm-device-information",
        encryptedContentKey.rawValue: "encrypted-ck",
        r1.rawValue: "r1",
        contentKeyDuration.rawValue: "content-key-duration",
        requiredSecurityLevel.rawValue: "required-security-level",
        offlineKey.rawValue: "offline-key",
        hdcpEnforcement.rawValue: "hdcp-enforcement",
    ]
}
