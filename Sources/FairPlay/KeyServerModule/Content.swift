public import FPSCrypto

/// The AES-128 key and IV that one content is encrypted with.
public struct LicensedKey: Sendable {
    /// The AES-128 key, 16 bytes.
    public let key: SecretBytes
    /// The IV of the samples, 16 bytes.
    public let iv: [UInt8]

    /// Creates a content key. Returns nil unless the key and the IV have 16 bytes each.
    public init?(key: SecretBytes, iv: [UInt8]) {
        guard key.count == 16, iv.count == 16 else { return nil }
        self.key = key
        self.iv = iv
    }
}

/// The content that a license is issued for.
public struct Content: Sendable {
    /// The content's canonical asset ID, if the SPC uses another asset ID for it; nil if both are the same.
    public let assetID: [UInt8]?
    /// The content key.
    public let key: LicensedKey
    /// The type of track that the key encrypts.
    public let track: TrackKind
    /// The stream ID that offline keys contain, 16 bytes.
    public let streamID: [UInt8]?
    /// The title ID that all streams of a title share, 16 bytes. Nil means that the stream is a separate title.
    public let titleID: [UInt8]?

    /// Creates content. Returns nil if a stream ID or title ID does not have 16 bytes.
    public init?(
        key: LicensedKey,
        track: TrackKind = .unspecified,
        streamID: [UInt8]? = nil,
        titleID: [UInt8]? = nil,
        assetID: [UInt8]? = nil
    ) {
        guard streamID.map({ $0.count == 16 }) ?? true, titleID.map({ $0.count == 16 }) ?? true else { return nil }
        self.key = key
        self.track = track
        self.streamID = streamID
        self.titleID = titleID
        self.assetID = assetID
    }
}
