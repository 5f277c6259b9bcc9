public import FPSCrypto

/// The key of a piece of content.
public struct LicensedKey: Sendable {
    /// The AES-128 key, 16 bytes.
    public let key: SecretBytes
    /// The IV that samples are encrypted with, 16 bytes.
    public let iv: [UInt8]

    /// Makes a content key; nil unless key and IV have 16 bytes each.
    public init?(key: SecretBytes, iv: [UInt8]) {
        guard key.count == 16, iv.count == 16 else { return nil }
        self.key = key
        self.iv = iv
    }
}

/// What a license is given for.
public struct Content: Sendable {
    /// The asset ID under which it is known, where an SPC may name it by another; nil where it is the SPC's.
    public let assetID: [UInt8]?
    /// The key.
    public let key: LicensedKey
    /// What the key is for.
    public let track: TrackKind
    /// The ID of the stream that offline keys carry, 16 bytes.
    public let streamID: [UInt8]?
    /// The ID of the title that all its streams share, 16 bytes. Nil: the stream is a title of its own.
    public let titleID: [UInt8]?

    /// Makes content; nil unless the IDs that are given have 16 bytes.
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
