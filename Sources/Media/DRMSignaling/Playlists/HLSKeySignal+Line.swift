import TextCoding

extension HLSKeySignal {
    /// Returns the signal as a line of a playlist (RFC 8216bis, 4.4.4.4 and 4.4.6.5), for HLSSignalingData in CPIX.
    ///
    ///     #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://…",KEYFORMAT="…",KEYFORMATVERSIONS="1"
    ///
    /// - Parameter isSessionKey: Whether to return EXT-X-SESSION-KEY, for Multivariant Playlists, instead of EXT-X-KEY.
    public func line(isSessionKey: Bool) -> String {
        var line = isSessionKey ? "#EXT-X-SESSION-KEY:" : "#EXT-X-KEY:"
        line += "METHOD=\(method.rawValue),URI=\"\(uri)\""
        if let keyIDAttribute { line += ",KEYID=\(keyIDAttribute)" }
        if let iv { line += ",IV=0x\(Hexadecimal.encode(iv))" }
        if let keyFormat { line += ",KEYFORMAT=\"\(keyFormat)\"" }
        if let keyFormatVersions { line += ",KEYFORMATVERSIONS=\"\(keyFormatVersions)\"" }
        return line
    }
}
