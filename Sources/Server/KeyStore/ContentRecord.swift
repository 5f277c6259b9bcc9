package import FPSCrypto
import TextCoding

/// What a content key decrypts. A security level for video has no meaning on audio.
package enum ContentTrack: String, Sendable, CaseIterable {
    /// Not said: rules for video and for audio both apply.
    case unspecified
    /// Audio samples.
    case audio
    /// Video samples.
    case video
    /// Video in standard definition.
    case sd
    /// Video in high definition.
    case hd
    /// Video above high definition.
    case uhd

    /// Whether it is known to be video, whatever its size.
    package var isVideo: Bool {
        switch self {
        case .video, .sd, .hd, .uhd: true
        case .unspecified, .audio: false
        }
    }
}

/// All about a content key but the key itself: what lists and administration show.
///
/// A key stands alone, or it is a key period: then it refers to a track of a title, has a key ID, and leaves stream ID
/// and title ID to them.
package struct ContentInfo: Sendable, Equatable {
    /// The asset ID that an SPC names, 2 to 200 bytes. The row's identity.
    package let assetID: [UInt8]
    /// The key ID (KID) that CENC and CPIX name, 16 bytes.
    package let keyID: [UInt8]?
    /// What the key decrypts. Of a key period its track says it: ``ContentLookup/kind``.
    package let track: ContentTrack
    /// The policy that governs the key, beside those of title and track; nil when it has none of its own.
    package let policyName: String?
    /// The stream ID of an Offline Key TLLV, 16 bytes; nil in a key period.
    package let streamID: [UInt8]?
    /// The title ID of an Offline Key TLLV, 16 bytes; nil in a key period.
    package let titleID: [UInt8]?
    /// The title of a key period.
    package let titleName: String?
    /// The track of a key period, by its name within the title.
    package let trackName: String?
    /// When media begin to be encrypted with the key, in Unix seconds; nil: not said. 0 or more.
    package let validFrom: Int64?
    /// When another key takes its place, in Unix seconds; nil: not said. After ``validFrom``.
    package let validUntil: Int64?
    /// When the asset ID was first stored, in Unix seconds. Replacing the record keeps it.
    package var created: Int64
    /// When the record was last written, in Unix seconds.
    package let updated: Int64

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field has a wrong size, or two contradict each other.
    package init(
        assetID: [UInt8],
        keyID: [UInt8]?,
        track: ContentTrack,
        policyName: String?,
        streamID: [UInt8]?,
        titleID: [UInt8]?,
        titleName: String? = nil,
        trackName: String? = nil,
        validFrom: Int64? = nil,
        validUntil: Int64? = nil,
        created: Int64,
        updated: Int64
    ) throws(KeyStoreError) {
        let place = "content \(displayName(ofAssetID: assetID))"
        try requireCount(assetID, RecordLimits.assetID, "asset ID", in: "content")
        try requireCount(keyID, 16...16, "key ID", in: place)
        if let policyName { try requireName(policyName, in: "\(place), policy") }
        try requireCount(streamID, 16...16, "stream ID", in: place)
        try requireCount(titleID, 16...16, "title ID", in: place)
        self.assetID = assetID
        self.keyID = keyID
        self.track = track
        self.policyName = policyName
        self.streamID = streamID
        self.titleID = titleID
        self.titleName = titleName
        self.trackName = trackName
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.created = created
        self.updated = updated
        try checkPeriod()
    }

    /// The asset ID of a key period that is given no other: its key ID in 32 lower-case hexadecimal digits, as ASCII.
    /// It is what stands behind `skd://` in the default key URI.
    package static func assetID(forKeyID keyID: [UInt8]) -> [UInt8] { Array(Hexadecimal.encode(keyID).utf8) }

    /// The row in words, for errors.
    package var place: String { "content \(displayName(ofAssetID: assetID))" }
}

/// A content key and what belongs to it.
package struct ContentRecord: Sendable {
    /// All but the key.
    package var info: ContentInfo
    /// The AES-128 key of the media, 16 bytes.
    package let contentKey: SecretBytes
    /// The initialization vector that the CKC carries beside the key, 16 bytes.
    package let iv: [UInt8]

    /// Makes a record that is first stored at `time`, in Unix seconds.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field has a wrong size, or two contradict each other.
    package init(
        assetID: [UInt8],
        keyID: [UInt8]? = nil,
        contentKey: SecretBytes,
        iv: [UInt8],
        track: ContentTrack = .unspecified,
        policyName: String? = nil,
        streamID: [UInt8]? = nil,
        titleID: [UInt8]? = nil,
        titleName: String? = nil,
        trackName: String? = nil,
        validFrom: Int64? = nil,
        validUntil: Int64? = nil,
        time: Int64
    ) throws(KeyStoreError) {
        let info = try ContentInfo(
            assetID: assetID,
            keyID: keyID,
            track: track,
            policyName: policyName,
            streamID: streamID,
            titleID: titleID,
            titleName: titleName,
            trackName: trackName,
            validFrom: validFrom,
            validUntil: validUntil,
            created: time,
            updated: time
        )
        try self.init(info: info, contentKey: contentKey, iv: iv)
    }

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when key or IV have a wrong size.
    package init(info: ContentInfo, contentKey: SecretBytes, iv: [UInt8]) throws(KeyStoreError) {
        try requireCount(contentKey.count, 16, "content key", in: info.place)
        try requireCount(iv, 16...16, "IV", in: info.place)
        self.info = info
        self.contentKey = contentKey
        self.iv = iv
    }
}
