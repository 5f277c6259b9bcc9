import TextCoding

/// A template of key URIs, with placeholders for the values that differ between keys.
///
///     template      = *( literal / placeholder )
///     literal       = the characters of a URI (RFC 3986, section 2)
///     placeholder   = "{kid}"     the key ID, 32 lowercase hexadecimal digits
///                   / "{track}"   the track's name
///                   / "{title}"   the title's name
///                   / "{period}"  the start of the key period in Unix seconds
///
/// Names are percent-encoded, so that the result is a valid URI for any name.
public struct KeyURITemplate: Hashable, Sendable {
    /// A placeholder in a template.
    public enum Placeholder: String, Hashable, Sendable, CaseIterable {
        /// The key ID.
        case kid
        /// The track's name.
        case track
        /// The title's name.
        case title
        /// The start of the key period in Unix seconds.
        case period
    }

    private enum Part: Hashable {
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The template as given.
    public let text: String
    private let parts: [Part]

    /// The default for FairPlay: `skd://{kid}`, so that the key ID is the asset ID.
    public static let fairPlay = KeyURITemplate(text: "skd://{kid}", parts: [.literal("skd://"), .placeholder(.kid)])

    private init(text: String, parts: [Part]) {
        self.text = text
        self.parts = parts
    }

    /// Parses a template.
    ///
    /// - Throws: `invalid-key-uri` for an unknown placeholder, an unmatched brace, or a character that is not allowed
    ///   in a URI.
    public init(_ text: String) throws(SignalingError) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let first = rest.first {
            if first == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Self.error("a { has no matching }: add it, or write %7B")
                }
                let name = rest[rest.index(after: rest.startIndex)..<end]
                guard let placeholder = Placeholder(rawValue: String(name)) else {
                    let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                    throw Self.error("“{\(name)}” is not a placeholder: use one of \(known)")
                }
                parts.append(.placeholder(placeholder))
                rest = rest[rest.index(after: end)...]
            } else {
                let literal = rest.prefix { $0 != "{" }
                try Self.checkCharacters(of: literal)
                parts.append(.literal(String(literal)))
                rest = rest[literal.endIndex...]
            }
        }
        guard !parts.isEmpty else { throw Self.error("the template is empty") }
        self.init(text: text, parts: parts)
    }

    /// The placeholders in the template. Without `kid` and `track`, all keys of a title have the same URI; without
    /// `kid` and `period`, all keys of a track.
    public var placeholders: Set<Placeholder> {
        Set(
            parts.compactMap { part in
                if case .placeholder(let placeholder) = part { placeholder } else { nil }
            }
        )
    }

    /// Returns the URI of a key.
    ///
    /// - Parameter period: The start of the key period in Unix seconds.
    /// - Throws: `invalid-key-uri` if the template requires a name that is missing or empty.
    public func uri(
        keyID: ContentKeyID,
        track: String? = nil,
        title: String? = nil,
        period: Int64? = nil
    ) throws(SignalingError) -> String {
        var uri = ""
        for part in parts {
            switch part {
            case .literal(let literal): uri += literal
            case .placeholder(.kid): uri += keyID.hexadecimal
            case .placeholder(.track): uri += try Self.encoded(track, .track)
            case .placeholder(.title): uri += try Self.encoded(title, .title)
            case .placeholder(.period):
                guard let period else {
                    throw Self.error("the template contains {period}, but the key period has no start time")
                }
                uri += "\(period)"
            }
        }
        return uri
    }

    /// Checks that keys have different URIs: a client that has a key for a URI does not request it again.
    ///
    /// - Throws: `invalid-key-uri` with both key IDs.
    public static func checkDistinct(
        _ keys: some Sequence<(keyID: ContentKeyID, uri: String)>
    ) throws(SignalingError) {
        var owners: [String: ContentKeyID] = [:]
        for (keyID, uri) in keys {
            let owner = owners[uri, default: keyID]
            guard owner == keyID else {
                throw error("the keys \(owner) and \(keyID) have the same URI: add {kid} or {track} to the template")
            }
            owners[uri] = keyID
        }
    }

    /// Checks that a URI is valid, and has the scheme that the system's players expect.
    static func check(_ uri: String, for system: ProtectionSystem) throws(SignalingError) {
        guard !uri.isEmpty else { throw error("the URI is empty") }
        try checkCharacters(of: Substring(uri))
        if system == .fairPlay {
            guard uri.hasPrefix("skd://"), uri.utf8.count > "skd://".utf8.count else {
                throw error("a FairPlay key URI must start with skd:// followed by the asset ID, such as skd://{kid}")
            }
        } else if system == .identity, uri.lowercased().hasPrefix("skd:") {
            throw error(
                "skd:// is for FairPlay; an identity key requires a URL that clients can fetch, such as https://…/{kid}"
            )
        }
    }

    private static func encoded(_ value: String?, _ placeholder: Placeholder) throws(SignalingError) -> String {
        guard let value, !value.isEmpty else {
            throw error(
                "the template contains {\(placeholder.rawValue)}, but the name of the \(placeholder.rawValue) is "
                    + "missing"
            )
        }
        var uri: [UInt8] = []
        for byte in value.utf8 {
            if isUnreserved(byte) {
                uri.append(byte)
            } else {
                uri.append(contentsOf: "%\(Hexadecimal.encode([byte]).uppercased())".utf8)
            }
        }
        return String(decoding: uri, as: UTF8.self)
    }

    /// Checks that all characters are allowed in a URI; a quotation mark or a line break would terminate the attribute.
    private static func checkCharacters(of text: Substring) throws(SignalingError) {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy({ Hexadecimal.value(of: $0) != nil }) else {
                    throw error("a % must be followed by two hexadecimal digits; write %25 for a percent sign")
                }
            } else if !isUnreserved(byte), !reserved.contains(byte) {
                throw error(
                    "the byte 0x\(Hexadecimal.encode([byte])) is not allowed in a URI: write "
                        + "%\(Hexadecimal.encode([byte]))"
                )
            }
        }
    }

    private static let reserved = Set(":/?#[]@!$&'()*+,;=".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    private static func error(_ reason: String) -> SignalingError {
        SignalingError(.invalidKeyURI, "key URI", reason)
    }
}
