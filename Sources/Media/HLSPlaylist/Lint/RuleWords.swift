// The words that docs/playlist-rules.md defines, and how findings show what they are about.

extension KeyTag {
    /// Whether it is a key: METHOD=NONE is none.
    var isKey: Bool { method != .none }
    /// Whether the 16 bytes of the key lie at its URI.
    var isIdentity: Bool { isKey && keyFormat == .identity }
    /// Whether a DRM system delivers it.
    var isDRM: Bool { isKey && keyFormat != .identity }
    /// Whether FairPlay delivers it.
    var isFairPlay: Bool { isKey && keyFormat == .fairPlay }
    /// KEYFORMATVERSIONS with its default.
    var versions: String { keyFormatVersions ?? "1" }

    /// The key system's name, for a message.
    var systemName: String {
        switch keyFormat {
        case .identity: "identity"
        case .fairPlay: "FairPlay"
        case .widevine: "Widevine"
        case .playReady: "PlayReady"
        default: ReadingContext.quoted(keyFormat.rawValue)
        }
    }
}

extension EncryptionMethod {
    /// Whether the draft defines it. Clients ignore a key of any other method (section 6.3.1).
    var isDefined: Bool { Self.defined.contains(self) }
}

extension Resolution {
    /// More than 1024 by 576, in either orientation.
    var isHD: Bool { max(width, height) > 1024 || min(width, height) > 576 }
    /// More than 1920 by 1080, in either orientation.
    var isAboveHD: Bool { max(width, height) > 1920 || min(width, height) > 1080 }
}

/// How findings show values.
enum Shown {
    /// A URI without what may be secret in it: the content of a `data:` URI, which may be a key, and the query, which
    /// may be a token.
    static func uri(_ uri: String) -> String {
        if URIReference.scheme(of: uri) == "data" { return "\"data:…\"" }
        guard let mark = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return ReadingContext.quoted(uri) }
        return ReadingContext.quoted(uri[..<mark] + "?…")
    }

    /// Seconds, to the millisecond.
    static func seconds(_ value: Double) -> String {
        let rounded = value < 1e12 ? (value * 1000).rounded() / 1000 : value
        return (Decimal.text(rounded) ?? "endless") + " s"
    }

    /// Some values between commas: the first few of many.
    static func list(_ values: some Collection<String>) -> String {
        values.isEmpty ? "none" : values.prefix(4).joined(separator: ", ") + (values.count > 4 ? ", …" : "")
    }

    /// Key formats, in alphabetical order.
    static func keyFormats(_ formats: some Sequence<KeyFormat>) -> String {
        list(formats.map(\.rawValue).sorted().map(ReadingContext.quoted))
    }
}
