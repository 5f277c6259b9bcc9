import TextCoding

/// What key URIs look like, with places for what differs from key to key.
///
///     template      = *( literal / placeholder )
///     literal       = the characters of a URI (RFC 3986, section 2)
///     placeholder   = "{kid}"     the key ID, 32 lower-case hexadecimal digits
///                   / "{track}"   the track's name
///                   / "{title}"   the title's name
///                   / "{period}"  when the key period begins, in Unix seconds
///
/// Names are percent-encoded, so that whatever stands in them a URI comes out.
public struct KeyURITemplate: Hashable, Sendable {
    /// What a template leaves open.
    public enum Placeholder: String, Hashable, Sendable, CaseIterable {
        /// The key ID.
        case kid
        /// The track's name.
        case track
        /// The title's name.
        case title
        /// When the key period begins.
        case period
    }

    private enum Part: Hashable {
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The template as it was written.
    public let text: String
    private let parts: [Part]

    /// FairPlay's URI unless another is asked for: `skd://{kid}`, so that the key ID is the asset ID.
    public static let fairPlay = KeyURITemplate(text: "skd://{kid}", parts: [.literal("skd://"), .placeholder(.kid)])

    private init(text: String, parts: [Part]) {
        self.text = text
        self.parts = parts
    }

    /// Reads a template.
    ///
    /// - Throws: `invalid-key-uri`: an unknown placeholder, a brace without its other half, or a character that no URI
    ///   has.
    public init(_ text: String) throws(SignalingError) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let first = rest.first {
            if first == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Self.error("a { without its }: close it, or write %7B")
                }
                let name = rest[rest.index(after: rest.startIndex)..<end]
                guard let placeholder = Placeholder(rawValue: String(name)) else {
                    let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                    throw Self.error("there is no placeholder “{\(name)}”; there are \(known)")
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
        guard !parts.isEmpty else { throw Self.error("it is empty") }
        self.init(text: text, parts: parts)
    }

    /// What the template leaves open. Without `kid` and `track` all keys of a title have one URI; without `kid` and
    /// `period` all keys of a track.
    public var placeholders: Set<Placeholder> {
        Set(
            parts.compactMap { part in
                if case .placeholder(let placeholder) = part { placeholder } else { nil }
            }
        )
    }

    /// The URI of a key.
    ///
    /// - Parameter period: When the key period begins, in Unix seconds.
    /// - Throws: `invalid-key-uri` when the template asks for a name that is missing or empty.
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
                guard let period else { throw Self.error("it has {period}, but the key does not say when it begins") }
                uri += "\(period)"
            }
        }
        return uri
    }

    /// Holds that keys have different URIs: a client that has a key for a URI never asks again.
    ///
    /// - Throws: `invalid-key-uri`, which names both keys.
    public static func checkDistinct(
        _ keys: some Sequence<(keyID: ContentKeyID, uri: String)>
    ) throws(SignalingError) {
        var owners: [String: ContentKeyID] = [:]
        for (keyID, uri) in keys {
            let owner = owners[uri, default: keyID]
            guard owner == keyID else {
                throw error("the keys \(owner) and \(keyID) have one URI: put {kid} or {track} into it")
            }
            owners[uri] = keyID
        }
    }

    /// Holds that a URI is one, and is what the system's players look for.
    static func check(_ uri: String, for system: ProtectionSystem) throws(SignalingError) {
        guard !uri.isEmpty else { throw error("it is empty") }
        try checkCharacters(of: Substring(uri))
        if system == .fairPlay {
            guard uri.hasPrefix("skd://"), uri.utf8.count > "skd://".utf8.count else {
                throw error("a FairPlay key's URI begins with skd:// and names the key behind it, as skd://{kid} does")
            }
        } else if system == .identity, uri.lowercased().hasPrefix("skd:") {
            throw error("skd:// is FairPlay's; an identity key lies where a client fetches it, such as https://…/{kid}")
        }
    }

    private static func encoded(_ value: String?, _ placeholder: Placeholder) throws(SignalingError) -> String {
        guard let value, !value.isEmpty else {
            throw error("it has {\(placeholder.rawValue)}, but there is no \(placeholder.rawValue) with a name")
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

    /// Holds that there are only characters that a URI has; a quotation mark or a line break would end the attribute.
    private static func checkCharacters(of text: Substring) throws(SignalingError) {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy({ Hexadecimal.value(of: $0) != nil }) else {
                    throw error("a % stands before two hexadecimal digits; for the sign itself write %25")
                }
            } else if !isUnreserved(byte), !reserved.contains(byte) {
                throw error(
                    "the byte 0x\(Hexadecimal.encode([byte])) does not stand in a URI: write %\(Hexadecimal.encode([byte]))"
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
