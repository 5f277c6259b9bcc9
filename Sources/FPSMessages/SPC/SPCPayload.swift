public import ByteCoding

/// The clear payload of an SPC: every block with its exact bytes, and the meaning of those that the guide describes
/// (Table 2-4).
public struct SPCPayload: Sendable {
    /// All blocks, unknown ones among them, as they came.
    public let blocks: TLLVSequence

    // Mandatory.

    /// Session key, device ID and R1, encrypted.
    public let sessionKeyAndR1: SessionKeyAndR1
    /// What the decrypted [SK...R1] must end with.
    public let sessionKeyAndR1Integrity: SessionKeyAndR1Integrity
    /// The anti-replay seed.
    public let antiReplaySeed: AntiReplaySeed
    /// The input of the function that derives DASk.
    public let r2: R2
    /// The blocks that the CKC must return.
    public let tagReturnRequest: TagReturnRequest
    /// Which content is asked for.
    public let assetID: AssetID
    /// The transaction's number.
    public let transactionID: TransactionID
    /// The protocol versions that the device supports.
    public let protocolVersionsSupported: ProtocolVersionsSupported
    /// The protocol version that the device uses.
    public let protocolVersionUsed: ProtocolVersionUsed

    // Optional.

    /// Where the content will be shown.
    public let streamingIndicator: StreamingIndicator?
    /// When the SPC was made, and what the player was doing.
    public let mediaPlaybackState: MediaPlaybackState?
    /// What the device can enforce.
    public let capabilities: Capabilities?
    /// What the device is.
    public let deviceIdentity: DeviceIdentity?
    /// What the device is, in the older form.
    public let deviceInfo: DeviceInfo?
    /// A report on offline keys; nil as well where the block has version 0, as in ordinary SPCs.
    public let sync: Sync?
    /// A Mac's Kext Deny List version.
    public let kextDenyListVersion: KextDenyListVersion?
    /// The device's security level.
    public let securityLevelReport: SecurityLevelReport?
    /// Whether the device is a virtual machine.
    public let vmDeviceInformation: VMDeviceInformation?

    /// What is odd about the payload, but no reason to refuse it.
    public let oddities: [Oddity]

    /// Something odd about a payload that is no reason to refuse it.
    public enum Oddity: Sendable, Hashable, CustomStringConvertible {
        /// The block's padding is all 0x00 or all 0xFF.
        case uniformPadding(TLLVTag)
        /// The block has a version that the guide does not describe, and counts as absent.
        case unknownVersion(TLLVTag)

        /// In words.
        public var description: String {
            switch self {
            case .uniformPadding(let tag): "\(tag): the padding is all 0x00 or all 0xFF"
            case .unknownVersion(let tag): "\(tag): unknown version, treated as absent"
            }
        }
    }

    /// Which blocks an SPC must have and which it may have.
    public static let blockTable: [(tag: TLLVTag, isMandatory: Bool)] = [
        (.sessionKeyAndR1, true),
        (.sessionKeyAndR1Integrity, true),
        (.antiReplaySeed, true),
        (.r2, true),
        (.tagReturnRequest, true),
        (.assetID, true),
        (.transactionID, true),
        (.protocolVersionsSupported, true),
        (.protocolVersionUsed, true),
        (.streamingIndicator, false),
        (.mediaPlaybackState, false),
        (.capabilities, false),
        (.deviceIdentity, false),
        (.deviceInfo, false),
        (.sync, false),
        (.kextDenyListVersion, false),
        (.securityLevelReport, false),
        (.vmDeviceInformation, false),
    ]

    /// Reads a decrypted payload.
    ///
    /// - Throws: what ``TLLVSequence`` throws; `missing-…` for the first mandatory block of ``blockTable`` that is not
    ///   there; `invalid-value-length` and `invalid-value` for a block that does not hold what its table says.
    public init(parsing payload: [UInt8]) throws(ParseError) {
        let blocks = try TLLVSequence(parsing: payload)
        for row in Self.blockTable where row.isMandatory && blocks[row.tag] == nil {
            throw ParseError(.missing(row.tag), reading: "SPC payload", offset: payload.count)
        }
        var oddities = blocks.filter(\.hasUniformPadding).map { Oddity.uniformPadding($0.tag) }
        self.blocks = blocks

        sessionKeyAndR1 = try Self.mandatory(in: blocks)
        sessionKeyAndR1Integrity = try Self.mandatory(in: blocks)
        antiReplaySeed = try Self.mandatory(in: blocks)
        r2 = try Self.mandatory(in: blocks)
        tagReturnRequest = try Self.mandatory(in: blocks)
        assetID = try Self.mandatory(in: blocks)
        transactionID = try Self.mandatory(in: blocks)
        protocolVersionsSupported = try Self.mandatory(in: blocks)
        protocolVersionUsed = try Self.mandatory(in: blocks)

        streamingIndicator = try Self.optional(in: blocks, &oddities)
        mediaPlaybackState = try Self.optional(in: blocks, &oddities)
        capabilities = try Self.optional(in: blocks, &oddities)
        deviceIdentity = try Self.optional(in: blocks, &oddities)
        deviceInfo = try Self.optional(in: blocks, &oddities)
        sync = try Self.optional(in: blocks, &oddities)
        kextDenyListVersion = try Self.optional(in: blocks, &oddities)
        securityLevelReport = try Self.optional(in: blocks, &oddities)
        vmDeviceInformation = try Self.optional(in: blocks, &oddities)
        self.oddities = oddities
    }

    private static func mandatory<Content: TLLVContent>(in blocks: TLLVSequence) throws(ParseError) -> Content {
        guard let block = blocks[Content.tag] else {
            throw ParseError(.missing(Content.tag), reading: "SPC payload", offset: 0)
        }
        return try Content(block)
    }

    private static func optional<Content: TLLVContent>(
        in blocks: TLLVSequence,
        _ oddities: inout [Oddity]
    ) throws(ParseError) -> Content? {
        guard let block = blocks[Content.tag] else { return nil }
        do {
            return try Content(block)
        } catch {
            guard error.code == .unknownTLLVVersion else { throw error }
            // Version 0 of Sync is what ordinary SPCs carry, so there is nothing odd about it.
            if !(Content.tag == .sync && block.value.prefix(4).allSatisfy { $0 == 0 }) {
                oddities.append(.unknownVersion(block.tag))
            }
            return nil
        }
    }
}
