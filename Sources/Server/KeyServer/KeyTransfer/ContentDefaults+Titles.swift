import DRMSignaling
package import KeyStore

extension ContentDefaults {
    /// Returns the key URI of a key period in playlists, from the title's template or from `skd://{kid}`.
    ///
    /// - Throws: `SignalingError` `invalid-key-uri` for an invalid template, or one with a value that the key does not
    ///   have.
    package static func keyURI(
        title: TitleRecord,
        track: String,
        keyID: [UInt8],
        validFrom: Int64?
    ) throws -> String {
        let template = try title.keyURITemplate.map { text throws(SignalingError) in try KeyURITemplate(text) }
        guard let keyID = ContentKeyID(keyID) else {
            throw KeyStoreError(.invalidRecord, place: "content", reason: "the key ID must have 16 bytes")
        }
        return try (template ?? .fairPlay).uri(keyID: keyID, track: track, title: title.name, period: validFrom)
    }

    /// Returns the default asset ID of a key period: the part of its key URI after `skd://`. Without a template, this
    /// is the key ID in hexadecimal digits.
    ///
    /// - Throws: `SignalingError` `invalid-key-uri`, also if the URI has another scheme.
    package static func assetID(
        title: TitleRecord,
        track: String,
        keyID: [UInt8],
        validFrom: Int64?
    ) throws -> [UInt8] {
        let uri = try keyURI(title: title, track: track, keyID: keyID, validFrom: validFrom)
        guard let assetID = assetID(inKeyURI: uri) else {
            throw SignalingError(.invalidKeyURI, "key URI", "it does not start with skd://: give an asset ID")
        }
        return assetID
    }

    /// Returns the part of a key URI after `skd://`, if any.
    static func assetID(inKeyURI uri: String) -> [UInt8]? {
        guard uri.hasPrefix("skd://"), uri.utf8.count > 6 else { return nil }
        return Array(uri.utf8.dropFirst(6))
    }

    /// Checks that a template is valid and starts with the scheme that FairPlay requires.
    ///
    /// - Throws: `SignalingError` `invalid-key-uri`.
    static func checkKeyURI(_ template: String) throws(SignalingError) {
        _ = try KeyURITemplate(template)
        guard template.hasPrefix("skd://"), template.utf8.count > 6 else {
            throw SignalingError(.invalidKeyURI, "key URI", "it must start with skd://, such as skd://{kid}")
        }
    }
}
