public import ByteCoding

/// The decrypted payload of an SPC of version 1 or 2: all blocks with their exact bytes, and the parsed values of the
/// blocks that the guide describes (Table 2-4).
public struct SPCPayload: Sendable {
    /// All unmodified blocks, including unknown blocks.
    public let blocks: TLLVSequence
    /// The request and the reported properties of the device.
    public let request: SPCRequest

    /// The encrypted session key, device ID and R1.
    public let sessionKeyAndR1: SessionKeyAndR1
    /// The integrity value, which the end of the decrypted [SK...R1] must equal.
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

    /// The mandatory and optional blocks of an SPC.
    public static let blockTable: [(tag: TLLVTag, isMandatory: Bool)] = [
        (.sessionKeyAndR1, true),
        (.sessionKeyAndR1Integrity, true),
        (.antiReplaySeed, true),
        (.r2, true),
        (.tagReturnRequest, true),
        (.assetID, true),
        (.transactionID, false),
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

    /// Parses a decrypted payload.
    ///
    /// - Throws: the errors of ``TLLVSequence``; `missing-…` for the first mandatory block of ``blockTable`` that is
    ///   missing; `invalid-value-length` and `invalid-value` for a block whose value does not match its table.
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
