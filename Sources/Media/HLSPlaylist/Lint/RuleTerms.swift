// The terms that docs/playlist-rules.md defines, and the format of values in messages.

extension KeyTag {
    /// True if the tag specifies a key: false for METHOD=NONE.
    var isKey: Bool { method != .none }
    /// True if the URI refers to the 16 bytes of the key themselves.
    var isIdentity: Bool { isKey && keyFormat == .identity }
    /// True if a DRM system delivers the key.
    var isDRM: Bool { isKey && keyFormat != .identity }
    /// True if FairPlay delivers the key.
    var isFairPlay: Bool { isKey && keyFormat == .fairPlay }
    /// The value of KEYFORMATVERSIONS, or its default.
    var versions: String { keyFormatVersions ?? "1" }

    /// The name of the key system, for messages.
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
    /// True if the draft defines the method. Clients ignore a key with any other method (section 6.3.1).
    var isDefined: Bool { Self.defined.contains(self) }
}

extension Resolution {
    /// True if the resolution is more than 1024 by 576, in either orientation.
    var isHD: Bool { max(width, height) > 1024 || min(width, height) > 576 }
    /// True if the resolution is more than 1920 by 1080, in either orientation.
    var isAboveHD: Bool { max(width, height) > 1920 || min(width, height) > 1080 }
}

/// The format of values in messages.
enum MessageFormat {
    /// Returns a URI without the parts that may be secret: the content of a `data:` URI, which may be a key, and the
    /// query, which may contain a token.
    static func uri(_ uri: String) -> String {
        if URIReference.scheme(of: uri) == "data" { return "\"data:…\"" }
        guard let mark = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return quoted(uri) }
        return quoted(uri[..<mark] + "?…")
    }

    /// Returns the name of a file, which may be a URI.
    static func file(_ name: String) -> String { uri(name) }

    /// Returns untrusted text for a message: quoted, with control characters replaced, and without its middle if it is
    /// long, because the end of a URI names the file.
    static func quoted(_ text: some StringProtocol) -> String {
        let scalars = Array(text.unicodeScalars.prefix(longestText + 1))
        let end = Array(text.unicodeScalars.suffix(longestText - 40))
        let shown = scalars.count > longestText ? scalars.prefix(40) + ["…"] + end : scalars[...]
        var result = "\""
        for scalar in shown {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
        }
        return result + "\""
    }

    /// The number of characters of a text that is not shortened.
    private static let longestText = 200

    /// Returns a number of seconds, rounded to milliseconds.
    static func seconds(_ value: Double) -> String {
        let rounded = value < 1e12 ? (value * 1000).rounded() / 1000 : value
        return (Decimal.text(rounded) ?? "infinite") + " s"
    }

    /// Returns the first values of a list, separated by commas.
    static func list(_ values: some Collection<String>) -> String {
        values.isEmpty ? "none" : values.prefix(4).joined(separator: ", ") + (values.count > 4 ? ", …" : "")
    }

    /// Returns the key formats in alphabetical order, separated by commas.
    static func keyFormats(_ formats: some Sequence<KeyFormat>) -> String {
        list(formats.map(\.rawValue).sorted().map(ReadingContext.quoted))
    }
}
