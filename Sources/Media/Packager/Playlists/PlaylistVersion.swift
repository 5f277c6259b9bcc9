import HLSPlaylist

extension MediaPlaylist {
    /// The lowest protocol version that supports all features of the playlist (RFC 8216bis, 8); nil for version 1,
    /// which requires no tag.
    ///
    ///     2   IV of EXT-X-KEY
    ///     3   EXTINF with a decimal point
    ///     4   EXT-X-BYTERANGE, EXT-X-I-FRAMES-ONLY
    ///     5   METHOD=SAMPLE-AES, KEYFORMAT, KEYFORMATVERSIONS; EXT-X-MAP in I-frame playlists
    ///     6   EXT-X-MAP in other playlists
    var neededVersion: UInt64? {
        var version: UInt64 = isIFramesOnly ? 4 : 1
        for segment in segments {
            if segment.duration != segment.duration.rounded() { version = max(version, 3) }
            if segment.byteRange != nil { version = max(version, 4) }
            if segment.map != nil { version = max(version, isIFramesOnly ? 5 : 6) }
            for key in segment.keys { version = max(version, key.neededVersion) }
        }
        return version > 1 ? version : nil
    }
}

extension KeyTag {
    fileprivate var neededVersion: UInt64 {
        if method == .sampleAES || keyFormatAttribute != nil || keyFormatVersions != nil { return 5 }
        return iv == nil ? 1 : 2
    }
}
