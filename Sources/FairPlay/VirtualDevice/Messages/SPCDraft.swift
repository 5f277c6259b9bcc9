internal import ByteCoding

/// An SPC before its payload is encrypted, open to changes by an ``SPCMutation``. Changes may be as wrong as a test
/// wants them.
public struct SPCDraft: Sendable {
    /// Bytes 0-3: 1 for RSA-1024, 2 for RSA-2048. Changing it does not change the RSA block.
    public var version: UInt32
    /// Bytes 4-7.
    public var reserved: [UInt8] = [0, 0, 0, 0]
    /// The SHA-1 of the certificate, 20 bytes.
    public var certificateHash: [UInt8]
    /// The payload's blocks in their order.
    public var blocks: [Block]
    /// The payload length in the header; nil for the true one.
    public var payloadLength: UInt32?
    /// Bytes behind the payload, not encrypted.
    public var trailingBytes: [UInt8] = []

    /// The first block with `tag`, or nil. Setting nil removes every block with the tag; setting a block replaces the
    /// first one, or appends.
    public subscript(tag: Tag) -> Block? {
        get { blocks.first { $0.tag == tag } }
        set {
            let index = blocks.firstIndex { $0.tag == tag }
            switch (newValue, index) {
            case (nil, _): blocks.removeAll { $0.tag == tag }
            case (let block?, let index?): blocks[index] = block
            case (let block?, nil): blocks.append(block)
            }
        }
    }

    /// A TLLV block (Table 2-2). What it says of its lengths may differ from what they are.
    public struct Block: Sendable, Equatable {
        /// What the block is.
        public var tag: Tag
        /// Its content.
        public var value: [UInt8]
        /// What follows the content.
        public var padding: [UInt8]
        /// The block length that it claims; nil for the true one, value and padding together.
        public var blockLength: UInt32?
        /// The value length that it claims; nil for the true one.
        public var valueLength: UInt32?

        /// Makes a block whose lengths are true.
        public init(_ tag: Tag, value: [UInt8], padding: [UInt8]) {
            self.tag = tag
            self.value = value
            self.padding = padding
        }

        // 0-7 tag | 8-11 block length | 12-15 value length | 16-k value | padding
        var bytes: [UInt8] {
            var writer = ByteWriter(capacity: 16 + value.count + padding.count)
            writer.write(tag.rawValue)
            writer.write(blockLength ?? UInt32(truncatingIfNeeded: value.count + padding.count))
            writer.write(valueLength ?? UInt32(truncatingIfNeeded: value.count))
            writer.write(value)
            writer.write(padding)
            return writer.bytes
        }
    }
}

extension SPCDraft {
    /// The tag of a block in an SPC (Table 2-4).
    public struct Tag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The 8 bytes as a number.
        public let rawValue: UInt64

        /// Makes a tag from its number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The tag in hexadecimal, with 0x in front.
        public var description: String { hexadecimal(rawValue) }

        /// Session key, HU, R1 and integrity bytes, encrypted with DASk.
        public static let sessionKeyAndR1 = Tag(rawValue: 0x3d1a_10b8_bffa_c2ec)
        /// The integrity bytes in the clear payload.
        public static let integrity = Tag(rawValue: 0xb349_d480_9e91_0687)
        /// The anti-replay seed.
        public static let antiReplaySeed = Tag(rawValue: 0x89c9_0f12_2041_06b2)
        /// R2, from which DASk is made.
        public static let r2 = Tag(rawValue: 0x71b5_595a_c152_1133)
        /// The tags of the blocks that the CKC must return.
        public static let tagReturnRequest = Tag(rawValue: 0x19f9_d4e5_ab76_09cb)
        /// The asset ID.
        public static let assetID = Tag(rawValue: 0x1bf7_f53f_5d5d_5a1f)
        /// The transaction ID.
        public static let transactionID = Tag(rawValue: 0x47aa_7ad3_4405_77de)
        /// The protocol versions that the device supports.
        public static let protocolVersionsSupported = Tag(rawValue: 0x67b8_fb79_ecce_1a13)
        /// The protocol version of this SPC.
        public static let protocolVersionUsed = Tag(rawValue: 0x5d81_bcbc_c7f6_1703)
        /// Where the content goes.
        public static let streamingIndicator = Tag(rawValue: 0xabb0_256a_3184_3974)
        /// Creation date, playback state and session ID.
        public static let mediaPlaybackState = Tag(rawValue: 0xeb8e_fdf2_b25a_b3a0)
        /// What the device can do.
        public static let capabilities = Tag(rawValue: 0x9c02_af32_53c0_7fb2)
        /// What the device is.
        public static let deviceIdentity = Tag(rawValue: 0x94c1_7cd6_76c6_9b59)
        /// What the device is, the older block.
        public static let deviceInfo = Tag(rawValue: 0xd43f_c6ab_c596_aae7)
        /// What became of persistent keys.
        public static let sync = Tag(rawValue: 0x7796_6de1_dc10_83ad)
        /// The Kext Deny List version.
        public static let kextDenyListVersion = Tag(rawValue: 0x70ec_a657_3388_e329)
        /// The device's security level.
        public static let securityLevelReport = Tag(rawValue: 0xb18e_e16e_a50f_6c02)
        /// Whether the device is a virtual machine.
        public static let vmDeviceInformation = Tag(rawValue: 0x7564_40e2_4049_9f70)

        /// Every tag that the guide defines for an SPC.
        public static let known: [Tag] = [
            sessionKeyAndR1, integrity, antiReplaySeed, r2, tagReturnRequest, assetID, transactionID,
            protocolVersionsSupported, protocolVersionUsed, streamingIndicator, mediaPlaybackState, capabilities,
            deviceIdentity, deviceInfo, sync, kextDenyListVersion, securityLevelReport, vmDeviceInformation,
        ]
    }
}
