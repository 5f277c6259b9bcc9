import FPSCrypto

/// A row of the table `content`, with its key encrypted.
package struct EncryptedContent: Sendable {
    private let assetID: [UInt8]
    private let keyID: [UInt8]?
    private let encryptedKey: [UInt8]
    private let iv: [UInt8]
    private let track: String
    private let policyName: String?
    private let streamID: [UInt8]?
    private let titleID: [UInt8]?
    private let titleName: String?
    private let trackName: String?
    private let validFrom: Int64?
    private let validUntil: Int64?
    private let created: Int64
    private let updated: Int64

    /// Creates a value from the columns of a row.
    package init(
        assetID: [UInt8],
        keyID: [UInt8]?,
        encryptedKey: [UInt8],
        iv: [UInt8],
        track: String,
        policyName: String?,
        streamID: [UInt8]?,
        titleID: [UInt8]?,
        titleName: String?,
        trackName: String?,
        validFrom: Int64?,
        validUntil: Int64?,
        created: Int64,
        updated: Int64
    ) {
        self.assetID = assetID
        self.keyID = keyID
        self.encryptedKey = encryptedKey
        self.iv = iv
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
    }

    /// Returns all fields except the key.
    package func info() throws(KeyStoreError) -> ContentInfo {
        guard let track = ContentTrack(rawValue: track) else {
            throw KeyStoreError(.corrupt, place: "content \(displayName(ofAssetID: assetID)), track")
        }
        return try validatingStored { () throws(KeyStoreError) in
            try ContentInfo(
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
                created: created,
                updated: updated
            )
        }
    }

    /// Returns the complete record, with the key decrypted.
    package func record(_ keys: KeyEncryptionKeyRing) throws(KeyStoreError) -> ContentRecord {
        let info = try info()
        let contentKey = try keys.key(for: encryptedKey).decrypt(encryptedKey, for: Self.keyColumn(assetID: assetID))
        return try validatingStored { () throws(KeyStoreError) in
            try ContentRecord(info: info, contentKey: contentKey, iv: iv)
        }
    }

    package static func keyColumn(assetID: [UInt8]) -> EncryptedColumn {
        EncryptedColumn(
            table: "content",
            column: "content_key",
            row: [assetID],
            rowName: displayName(ofAssetID: assetID)
        )
    }
}

/// Converts the error of an invalid record to ``KeyStoreError/Code/corrupt``: a stored record that breaks the rules was
/// not written by this program.
package func validatingStored<Record>(_ make: () throws(KeyStoreError) -> Record) throws(KeyStoreError) -> Record {
    do { return try make() } catch {
        throw KeyStoreError(
            error.code == .invalidRecord ? .corrupt : error.code,
            place: error.place,
            reason: error.reason
        )
    }
}
