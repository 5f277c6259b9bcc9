public import ByteCoding

/// The blocks of an SPC that contain the request and the properties that the device reports (Table 2-4 of Apple's
/// FairPlay Streaming Programming Guide). They are the same in every version of the SPC, because they are not part of
/// the key exchange.
public struct SPCRequest: Sendable {
    /// The asset ID of the requested content.
    public let assetID: AssetID
    /// The transaction ID; optional, because the key server does not need it (Table 2-4).
    public let transactionID: TransactionID?
    /// The output on which the content will be displayed: the device itself, AirPlay, or a digital AV adapter.
    public let streamingIndicator: StreamingIndicator?
    /// The creation date of the SPC and the playback state.
    public let mediaPlaybackState: MediaPlaybackState?
    /// The features that the device can enforce.
    public let capabilities: Capabilities?
    /// The class, vendor and product of the device, and its FairPlay and OS versions. It identifies a model, not a
    /// single device.
    public let deviceIdentity: DeviceIdentity?
    /// The type and OS version of an Apple device, in an older block that ``deviceIdentity`` supersedes.
    public let deviceInfo: DeviceInfo?
    /// The report on offline keys; also nil if the block is not a valid Sync block (guide, chapter 6), for example
    /// because it has version 0, as in ordinary SPCs, or another length than its version.
    public let sync: Sync?
    /// The Kext Deny List version of a Mac.
    public let kextDenyListVersion: KextDenyListVersion?
    /// The security level of the device.
    public let securityLevelReport: SecurityLevelReport?
    /// The host and the guest of a virtual machine. Physical devices also send this block, with version 0.
    public let vmDeviceInformation: VMDeviceInformation?

    /// The nonfatal irregularities of the payload.
    public let anomalies: [Anomaly]

    /// A nonfatal irregularity of a payload: it is recorded, and parsing continues.
    public enum Anomaly: Sendable, Hashable, CustomStringConvertible {
        /// The block's padding is all 0x00 or all 0xFF.
        case uniformPadding(TLLVTag)
        /// The block has a version that Apple's guide does not describe. The block is treated as absent.
        case unknownVersion(TLLVTag)
        /// The Sync block has another length than its version, so it is not a valid Sync block. The block is treated as
        /// absent.
        case invalidSync

        /// The irregularity as text.
        public var description: String {
            switch self {
            case .uniformPadding(let tag): "\(tag): the padding is all 0x00 or all 0xFF"
            case .unknownVersion(let tag): "\(tag): unknown version, treated as absent"
            case .invalidSync: "\(TLLVTag.sync): the length does not match the version, treated as absent"
            }
        }
    }

    /// Parses the request from a payload's blocks. The asset ID is the only block whose absence is an error here.
    ///
    /// - Throws: `missing-asset-id`; `invalid-value-length` and `invalid-value` for a block other than Sync whose value
    ///   does not match its table.
    public init(_ blocks: TLLVSequence) throws(ParseError) {
        var anomalies = blocks.filter(\.hasUniformPadding).map { Anomaly.uniformPadding($0.tag) }
        func optional<Content: TLLVContent>() throws(ParseError) -> Content? {
            do {
                return try blocks.optional()
            } catch {
                if Content.tag == .sync, error.code == .invalidValueLength {
                    // "Any SPC may contain a Sync TLLV", and one that is not valid does not make it a Sync SPC.
                    anomalies.append(.invalidSync)
                    return nil
                }
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
