extension CPIXDocument.DRMSystem {
    /// The URI by which players request the key: URIExtXKey, or the URI attribute of the first EXT-X-KEY or
    /// EXT-X-SESSION-KEY line in HLSSignalingData; nil if neither is there. SPEKE and CPIX 2.4 have only the latter.
    public var signaledKeyURI: String? {
        if let keyURI, !keyURI.isEmpty { return keyURI }
        for lines in [mediaPlaylistSignaling, multivariantPlaylistSignaling] {
            for line in (lines ?? "").split(whereSeparator: \.isNewline) {
                for tag in ["#EXT-X-KEY:", "#EXT-X-SESSION-KEY:"] where line.hasPrefix(tag) {
                    if let uri = Self.uri(inAttributes: line.dropFirst(tag.count)) { return uri }
                }
            }
        }
        return nil
    }

    /// Returns the value of URI in an attribute list (RFC 8216bis, 4.2).
    private static func uri(inAttributes list: Substring) -> String? {
        var rest = list
        while let sign = rest.firstIndex(of: "=") {
            let name = rest[..<sign].drop { $0 == "," || $0 == " " }
            rest = rest[rest.index(after: sign)...]
            guard rest.first == "\"" else {
                rest = rest.drop { $0 != "," }
                continue
            }
            let value = rest.dropFirst().prefix { $0 != "\"" }
            if name == "URI" { return value.isEmpty ? nil : String(value) }
            rest = rest[value.endIndex...].dropFirst()
        }
        return nil
    }
}
