public import ByteCoding

/// The clear payload of an SPC of version 1 or 2: every block with its exact bytes, and the meaning of those that the
/// guide describes (Table 2-4).
public struct SPCPayload: Sendable {
    /// All blocks, unknown ones among them, as they came.
    public let blocks: TLLVSequence
    /// What the device asks for, and what it says of itself.
    public let request: SPCRequest

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
    /// The protocol versions that the device supports.
    public let protocolVersionsSupported: ProtocolVersionsSupported
    /// The protocol version that the device uses.
    public let protocolVersionUsed: ProtocolVersionUsed

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
        self.blocks = blocks
        sessionKeyAndR1 = try blocks.mandatory()
        sessionKeyAndR1Integrity = try blocks.mandatory()
        antiReplaySeed = try blocks.mandatory()
        r2 = try blocks.mandatory()
        tagReturnRequest = try blocks.mandatory()
        protocolVersionsSupported = try blocks.mandatory()
        protocolVersionUsed = try blocks.mandatory()
        request = try SPCRequest(blocks)
    }
}
