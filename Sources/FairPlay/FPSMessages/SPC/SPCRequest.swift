public import ByteCoding

/// The request in an SPC and the reported properties of the device: the blocks of Table 2-4 that do not take part in
/// the key exchange, and so are the same in every version of the SPC.
public struct SPCRequest: Sendable {
    /// The asset ID of the requested content.
    public let assetID: AssetID
    /// The transaction ID, which is mandatory in versions 1 and 2.
    public let transactionID: TransactionID?
    /// The place where the content will be displayed.
    public let streamingIndicator: StreamingIndicator?
    /// The creation date of the SPC and the playback state.
    public let mediaPlaybackState: MediaPlaybackState?
    /// The features that the device can enforce.
    public let capabilities: Capabilities?
    /// The identity of the device.
    public let deviceIdentity: DeviceIdentity?
    /// The type of the device, in the older block.
    public let deviceInfo: DeviceInfo?
    /// The report on offline keys; also nil if the block has version 0, as in ordinary SPCs.
    public let sync: Sync?
    /// The Kext Deny List version of a Mac.
    public let kextDenyListVersion: KextDenyListVersion?
    /// The security level of the device.
    public let securityLevelReport: SecurityLevelReport?
    /// The information about a virtual machine.
    public let vmDeviceInformation: VMDeviceInformation?

    /// The irregularities of the payload, which are not errors.
    public let anomalies: [Anomaly]

    /// An irregularity of a payload, which is not an error.
    public enum Anomaly: Sendable, Hashable, CustomStringConvertible {
        /// The block's padding is all 0x00 or all 0xFF.
        case uniformPadding(TLLVTag)
        /// The block has a version that the guide does not describe, and counts as absent.
        case unknownVersion(TLLVTag)

        /// The irregularity as text.
        public var description: String {
            switch self {
            case .uniformPadding(let tag): "\(tag): the padding is all 0x00 or all 0xFF"
            case .unknownVersion(let tag): "\(tag): unknown version, treated as absent"
            }
        }
    }

    /// Parses the request from a payload's blocks. Only the asset ID is mandatory.
    ///
    /// - Throws: `missing-asset-id`; `invalid-value-length` and `invalid-value` for a block whose value does not match
    ///   its table.
    public init(_ blocks: TLLVSequence) throws(ParseError) {
        var anomalies = blocks.filter(\.hasUniformPadding).map { Anomaly.uniformPadding($0.tag) }
        func optional<Content: TLLVContent>() throws(ParseError) -> Content? {
            do {
                return try blocks.optional()
            } catch {
                guard error.code == .unknownTLLVVersion else { throw error }
                // Ordinary SPCs contain version 0 of Sync, so it is not an irregularity.
                if Content.tag != .sync || blocks[.sync]?.value.prefix(4).contains(where: { $0 != 0 }) == true {
                    anomalies.append(.unknownVersion(Content.tag))
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
        self.anomalies = anomalies
    }
}
