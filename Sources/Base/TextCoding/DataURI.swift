/// A `data:` URI, which contains its data instead of an address (RFC 2397).
///
///     dataurl   = "data:" [ mediatype ] [ ";base64" ] "," data
///     mediatype = [ type "/" subtype ] *( ";" parameter )
///
/// The data of a key URI is a content key: print such a URI only as ``placeholder``.
package struct DataURI {
    /// The text to print instead of a `data:` URI.
    package static let placeholder = "data:…"

    /// The data. It is percent-encoded in the URI, or base64 (RFC 4648, sections 4 and 5), with or without padding.
    package let bytes: [UInt8]

    /// Returns whether the scheme of a URI is `data`, in any case.
    package static func isDataURI(_ uri: some StringProtocol) -> Bool {
        uri.utf8.count >= 5 && uri.utf8.prefix(5).elementsEqual("data:".utf8) { $0 | 0x20 == $1 || $0 == $1 }
    }

    /// Parses a URI. Returns nil if it is not a `data:` URI, or if its data is malformed.
    package init?(_ uri: some StringProtocol) {
        guard Self.isDataURI(uri) else { return nil }
        let content = uri.utf8.dropFirst(5).prefix { $0 != UInt8(ascii: "#") }
        guard let comma = content.firstIndex(of: UInt8(ascii: ",")),
            let data = PercentEncoding.decode(content[content.index(after: comma)...])
        else { return nil }
        let type = content[..<comma].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard type.suffix(7).elementsEqual(";base64".utf8) else {
            bytes = data
            return
        }
        guard let decoded = Base64.decode(data, [.standardAlphabet, .urlSafeAlphabet, .missingPadding, .whitespace])
        else { return nil }
        bytes = decoded
    }
}
