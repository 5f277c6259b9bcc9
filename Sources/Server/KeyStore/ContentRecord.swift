package import FPSCrypto
import TextCoding

/// The kind of media that a content key decrypts. Security levels for video do not apply to audio.
package enum ContentTrack: String, Sendable, CaseIterable {
    /// The kind is not known: rules for video and for audio both apply.
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

    /// True if the media are known to be video, of any resolution.
    package var isVideo: Bool {
        switch self {
        case .video, .sd, .hd, .uhd: true
        case .unspecified, .audio: false
        }
    }
}

/// All fields of a content key except the key itself, as lists and administration show them.
///
/// A key is either separate, or it is a key period: then it refers to a track of a title, has a key ID, and uses the
/// stream ID and title ID of its track and title.
package struct ContentInfo: Sendable, Equatable {
    /// The asset ID that an SPC contains, 2 to 200 bytes. The primary key.
    package let assetID: [UInt8]
    /// The key ID (KID) that CENC and CPIX use, 16 bytes.
    package let keyID: [UInt8]?
    /// The kind of media that the key decrypts. For a key period, the track determines it: ``ContentLookup/kind``.
    package let track: ContentTrack
    /// The name of the key's own policy, which applies in addition to those of title and track, or nil.
    package let policyName: String?
    /// The stream ID of an Offline Key TLLV, 16 bytes; nil for a key period.
    package let streamID: [UInt8]?
    /// The title ID of an Offline Key TLLV, 16 bytes; nil for a key period.
    package let titleID: [UInt8]?
    /// The name of a key period's title.
    package let titleName: String?
    /// The name of a key period's track within the title.
    package let trackName: String?
    /// The time from which media are encrypted with the key, in Unix seconds, 0 or more; nil if unspecified.
    package let validFrom: Int64?
    /// The time when another key replaces it, in Unix seconds, later than ``validFrom``; nil if unspecified.
    package let validUntil: Int64?
    /// The time when the asset ID was first stored, in Unix seconds. Replacing the record preserves it.
    package var created: Int64
    /// The time when the record was last written, in Unix seconds.
    package let updated: Int64

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field has the wrong size, or two fields contradict each
    ///   other.
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

    /// Returns the default asset ID of a key period: its key ID in 32 lowercase hexadecimal digits, as ASCII. It is the
    /// part after `skd://` in the default key URI.
    package static func assetID(forKeyID keyID: [UInt8]) -> [UInt8] { Array(Hexadecimal.encode(keyID).utf8) }

    /// The description of the row for error messages.
    package var place: String { "content \(displayName(ofAssetID: assetID))" }
}

/// A content key and its metadata.
package struct ContentRecord: Sendable {
    /// All fields except key and IV.
    package var info: ContentInfo
    /// The AES-128 key of the media, 16 bytes.
    package let contentKey: SecretBytes
    /// The initialization vector that the CKC contains with the key, 16 bytes.
    package let iv: [UInt8]

    /// Creates a record that is first stored at `time`, in Unix seconds.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field has the wrong size, or two fields contradict each
    ///   other.
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

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if key or IV has the wrong size.
    package init(info: ContentInfo, contentKey: SecretBytes, iv: [UInt8]) throws(KeyStoreError) {
        try requireCount(contentKey.count, 16, "content key", in: info.place)
        try requireCount(iv, 16...16, "IV", in: info.place)
        self.info = info
        self.contentKey = contentKey
        self.iv = iv
    }
}
