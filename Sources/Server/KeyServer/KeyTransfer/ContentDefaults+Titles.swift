import DRMSignaling
package import KeyStore

extension ContentDefaults {
    /// The URI of a key period in playlists: the title's template, or `skd://{kid}`.
    ///
    /// - Throws: `SignalingError` `invalid-key-uri` for an invalid template, or one that needs a value the key lacks.
    package static func keyURI(
        title: TitleRecord,
        track: String,
        keyID: [UInt8],
        validFrom: Int64?
    ) throws -> String {
        let template = try title.keyURITemplate.map { text throws(SignalingError) in try KeyURITemplate(text) }
        guard let keyID = ContentKeyID(keyID) else {
            throw KeyStoreError(.invalidRecord, place: "content", reason: "a key ID has 16 bytes")
        }
        return try (template ?? .fairPlay).uri(keyID: keyID, track: track, title: title.name, period: validFrom)
    }

    /// The asset ID of a key period that is given no other: what stands behind `skd://` in its key URI. By default that
    /// is the key ID in hexadecimal digits.
    ///
    /// - Throws: `SignalingError` `invalid-key-uri`, also when the URI has another scheme.
    package static func assetID(
        title: TitleRecord,
        track: String,
        keyID: [UInt8],
        validFrom: Int64?
    ) throws -> [UInt8] {
        let uri = try keyURI(title: title, track: track, keyID: keyID, validFrom: validFrom)
        guard let assetID = assetID(inKeyURI: uri) else {
            throw SignalingError(.invalidKeyURI, "key URI", "it does not begin with skd://: give an asset ID")
        }
        return assetID
    }

    /// What stands behind `skd://`; nil when nothing does.
    static func assetID(inKeyURI uri: String) -> [UInt8]? {
        guard uri.hasPrefix("skd://"), uri.utf8.count > 6 else { return nil }
        return Array(uri.utf8.dropFirst(6))
    }

    /// Holds that a template is one, and begins with what FairPlay's players look for.
    ///
    /// - Throws: `SignalingError` `invalid-key-uri`.
    static func checkKeyURI(_ template: String) throws(SignalingError) {
        _ = try KeyURITemplate(template)
        guard template.hasPrefix("skd://"), template.utf8.count > 6 else {
            throw SignalingError(.invalidKeyURI, "key URI", "FairPlay's begins with skd://, as skd://{kid} does")
        }
    }
}
