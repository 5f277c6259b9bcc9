public import ByteCoding

/// What an SPC asks for and what the device says of itself: the blocks of Table 2-4 that have no part in the exchange of
/// keys, and so mean the same in every version of the SPC.
public struct SPCRequest: Sendable {
    /// Which content is asked for.
    public let assetID: AssetID
    /// The transaction's number; always there in versions 1 and 2.
    public let transactionID: TransactionID?
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

    /// Reads the request from a payload's blocks. Only the asset ID must be there.
    ///
    /// - Throws: `missing-asset-id`; `invalid-value-length` and `invalid-value` for a block that does not hold what its
    ///   table says.
    public init(_ blocks: TLLVSequence) throws(ParseError) {
        var oddities = blocks.filter(\.hasUniformPadding).map { Oddity.uniformPadding($0.tag) }
        func optional<Content: TLLVContent>() throws(ParseError) -> Content? {
            do {
                return try blocks.optional()
            } catch {
                guard error.code == .unknownTLLVVersion else { throw error }
                // Version 0 of Sync is what ordinary SPCs carry, so there is nothing odd about it.
                if Content.tag != .sync || blocks[.sync]?.value.prefix(4).contains(where: { $0 != 0 }) == true {
                    oddities.append(.unknownVersion(Content.tag))
                }
                return nil
            }
        }
        assetID = try blocks.mandatory()
        transactionID = try optional()
        streamingIndicator = try optional()
        mediaPlaybackState = try optional()
        capabilities = try optional()
        deviceIdentity = try optional()
        deviceInfo = try optional()
        sync = try optional()
        kextDenyListVersion = try optional()
        securityLevelReport = try optional()
        vmDeviceInformation = try optional()
        self.oddities = oddities
    }
}
