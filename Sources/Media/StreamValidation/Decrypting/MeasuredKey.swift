import FPSCrypto
public import HLSPlaylist
public import MediaFormats

/// A key that a presentation refers to, with the licenses that were requested for it. Its description contains no key.
public struct MeasuredKey: Sendable {
    /// The identity of a key: what a player requests.
    public struct ID: Hashable, Sendable {
        /// The key format.
        public var format: KeyFormat
        /// The URI of the tag; for clear keys resolved against the playlist.
        public var uri: String
        /// The key ID, only for key formats whose URI does not identify one key.
        public var keyID: KeyID?

        /// Creates the identity of the key of a tag.
        init(_ tag: KeyTag, playlist: String, keyID: KeyID?) {
            format = tag.keyFormat
            let text = tag.uri ?? ""
            let isAddress = tag.keyFormat == .identity && URIReference.scheme(of: text) != "urn"
            uri = isAddress ? URIReference.resolve(text, against: playlist) : text
            self.keyID = tag.keyFormat == .fairPlay || tag.keyFormat == .identity ? nil : keyID
        }

        /// The URI for reports, without a query and without data.
        public var printedURI: String {
            let end = uri.firstIndex { $0 == "?" || $0 == "#" || $0 == "," } ?? uri.endIndex
            let text = uri[..<end]
            // User information ends at the last @ of the authority.
            guard let slashes = text.firstRange(of: "://") else { return String(text) }
            let rest = text[slashes.upperBound...]
            let authority = rest.prefix { $0 != "/" }
            guard let at = authority.lastIndex(of: "@") else { return String(text) }
            return text[..<slashes.upperBound] + String(rest[rest.index(after: at)...])
        }
    }

    /// A license for a device class.
    public struct Grant: Sendable {
        /// The device class; nil if the key came from a file or from the web.
        public var deviceClass: String?
        /// The response to the request for a key that is not persistent.
        public var license: ValidationLicense
        /// The response to the request for a persistent key; nil if none was sent.
        public var persistent: ValidationLicense?
    }

    /// The identity.
    public var id: ID
    /// The tag.
    public var tag: KeyTag
    /// The place of the first tag that refers to the key.
    public var place: ValidationFinding.Place
    /// True if no Media Playlist refers to the key: only an EXT-X-SESSION-KEY tag does.
    public var isAhead: Bool
    /// The key IDs that the media declare for it; at most 16.
    public var keyIDs: [KeyID]
    /// The licenses, in the order of the device classes.
    public var grants: [Grant]

    /// The first license with a key.
    public var license: ValidationLicense? { grants.lazy.map(\.license).first { $0.key != nil } }
    /// The key; nil if it is not known.
    var value: SecretBytes? { license?.key }

    /// The description of a key that anyone can guess; nil for other keys.
    var weakness: String? { value.flatMap { WeakKeys.description(of: $0, keyIDs: keyIDs) } }
}

/// Keys that anyone can guess.
enum WeakKeys {
    /// The keys in the documentation of packagers and in published test streams.
    private static let published: [[UInt8]] = [
        (0..<16).map { $0 },
        (1...16).map { $0 },
        (0..<16).map { $0 * 0x11 },
        (0..<16).map { 0xFF - $0 * 0x11 },
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF],
        [0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0x78, 0x90, 0x12],
    ]

    /// Returns why a key is weak; nil if it is not.
    static func description(of key: SecretBytes, keyIDs: [KeyID]) -> String? {
        let bytes = key.reveal()
        if Set(bytes).count == 1 { return "all of its bytes are equal" }
        if keyIDs.contains(where: { $0.bytes == bytes }) { return "it equals the key ID" }
        return published.contains(bytes) ? "it is a published test key" : nil
    }

    /// Returns the weak keys to try on content that its own key does not open.
    static func candidates(keyIDs: [KeyID]) -> [(key: SecretBytes, description: String)] {
        let zero = [UInt8](repeating: 0, count: 16)
        var result = [(SecretBytes(copying: zero), "a key that is all zeros")]
        result += keyIDs.prefix(2).map { (SecretBytes(copying: $0.bytes), "a key that equals the key ID") }
        return result + published.map { (SecretBytes(copying: $0), "a published test key") }
    }
}
