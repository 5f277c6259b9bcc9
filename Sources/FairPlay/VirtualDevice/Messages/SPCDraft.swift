internal import ByteCoding

/// An SPC before encryption, which an ``SPCMutation`` can change. A test can make any changes, including invalid ones.
public struct SPCDraft: Sendable {
    /// The SPC version in bytes 0-3: 1 for RSA-1024, 2 for RSA-2048. A change does not affect the RSA block.
    public var version: UInt32
    /// The reserved bytes 4-7.
    public var reserved: [UInt8] = [0, 0, 0, 0]
    /// The SHA-1 of the certificate, 20 bytes.
    public var certificateHash: [UInt8]
    /// The blocks of the payload, in order.
    public var blocks: [Block]
    /// The payload length in the header; nil means the actual length.
    public var payloadLength: UInt32?
    /// Unencrypted bytes after the payload.
    public var trailingBytes: [UInt8] = []

    /// The first block with `tag`, if any. Setting nil removes all blocks with the tag. Setting a block
    /// replaces the first block with the tag, or appends the block.
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

    /// A TLLV block (Table 2-2). Its length fields can differ from the actual lengths.
    public struct Block: Sendable, Equatable {
        /// The tag.
        public var tag: Tag
        /// The value.
        public var value: [UInt8]
        /// The padding after the value.
        public var padding: [UInt8]
        /// The block length field; nil means the actual length of value and padding.
        public var blockLength: UInt32?
        /// The value length field; nil means the actual length.
        public var valueLength: UInt32?

        /// Creates a block with the actual lengths.
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
        /// The tag as a big-endian number of 8 bytes.
        public let rawValue: UInt64

        /// Creates a tag from its number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The tag in hexadecimal, with the prefix 0x.
        public var description: String { hexadecimal(rawValue) }

        /// The session key, HU, R1 and the integrity bytes, encrypted with DASk.
        public static let sessionKeyAndR1 = Tag(rawValue: 0x3d1a_10b8_bffa_c2ec)
        /// The integrity bytes outside of the [SK...R1] block.
        public static let integrity = Tag(rawValue: 0xb349_d480_9e91_0687)
        /// The anti-replay seed.
        public static let antiReplaySeed = Tag(rawValue: 0x89c9_0f12_2041_06b2)
        /// R2, from which DASk is derived.
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
        /// The streaming indicator: the output for the content.
        public static let streamingIndicator = Tag(rawValue: 0xabb0_256a_3184_3974)
        /// The creation date, the playback state and the session ID.
        public static let mediaPlaybackState = Tag(rawValue: 0xeb8e_fdf2_b25a_b3a0)
        /// The capabilities of the device.
        public static let capabilities = Tag(rawValue: 0x9c02_af32_53c0_7fb2)
        /// The identity of the device.
        public static let deviceIdentity = Tag(rawValue: 0x94c1_7cd6_76c6_9b59)
        /// The type of the device, in the older block.
        public static let deviceInfo = Tag(rawValue: 0xd43f_c6ab_c596_aae7)
        /// The status of persistent keys.
        public static let sync = Tag(rawValue: 0x7796_6de1_dc10_83ad)
        /// The Kext Deny List version.
        public static let kextDenyListVersion = Tag(rawValue: 0x70ec_a657_3388_e329)
        /// The security level of the device.
        public static let securityLevelReport = Tag(rawValue: 0xb18e_e16e_a50f_6c02)
        /// The VM device information.
        public static let vmDeviceInformation = Tag(rawValue: 0x7564_40e2_4049_9f70)

        /// All tags that the guide defines for an SPC.
        public static let known: [Tag] = [
            sessionKeyAndR1, integrity, antiReplaySeed, r2, tagReturnRequest, assetID, transactionID,
            protocolVersionsSupported, protocolVersionUsed, streamingIndicator, mediaPlaybackState, capabilities,
            deviceIdentity, deviceInfo, sync, kextDenyListVersion, securityLevelReport, vmDeviceInformation,
        ]
    }
}
