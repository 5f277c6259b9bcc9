/// A playlist to measure. Every peer parses the same bytes.
struct PlaylistFile {
    let name: String
    let text: String
    /// The number of media segments or variants.
    let count: Int
    var bytes: [UInt8] { Array(text.utf8) }

    /// A live playlist: a date on each segment, a FairPlay key every 50 segments, about 130 bytes per segment.
    static func live(_ count: Int) -> PlaylistFile {
        var text = """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:1000

            """
        for index in 0..<count {
            if index % 50 == 0 {
                text += "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://example.com/keys/\(1000 + index / 50)\","
                text += "KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\"\n"
                if index == 0 { text += "#EXT-X-MAP:URI=\"video/1080p/init.mp4\"\n" }
            }
            let milliseconds = index * 6006
            let seconds = milliseconds / 1000
            let date = "2026-01-" + padded(1 + seconds / 86400, 2)
            let time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
            text +=
                "#EXT-X-PROGRAM-DATE-TIME:\(date)T\(time.joined(separator: ":")).\(padded(milliseconds % 1000, 3))Z\n"
            text += "#EXTINF:6.00600,\nvideo/1080p/cbcs/2026-01/channel-one/segment-\(padded(1000 + index, 9)).m4s\n"
        }
        return PlaylistFile(name: "live", text: text, count: count)
    }

    /// A playlist with only durations and URIs.
    static func plain(_ count: Int) -> PlaylistFile {
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n"
        for index in 0..<count { text += "#EXTINF:6.006,\nvideo/1080p/segment-\(padded(index, 9)).ts\n" }
        return PlaylistFile(name: "plain", text: text + "#EXT-X-ENDLIST\n", count: count)
    }

    /// A Multivariant Playlist with three groups of renditions.
    static func multivariant(_ count: Int) -> PlaylistFile {
        var text = "#EXTM3U\n#EXT-X-VERSION:12\n#EXT-X-INDEPENDENT-SEGMENTS\n"
        for group in 0..<3 {
            for language in ["en", "fr", "de", "ja"] {
                text += "#EXT-X-MEDIA:TYPE=AUDIO,URI=\"audio/\(group)/\(language).m3u8\",GROUP-ID=\"audio\(group)\","
                text += "LANGUAGE=\"\(language)\",NAME=\"\(language)\",DEFAULT=\(language == "en" ? "YES" : "NO"),"
                text += "AUTOSELECT=YES,CHANNELS=\"\(group == 2 ? "6" : "2")\"\n"
            }
        }
        for index in 0..<count {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(500_000 + index * 150_000),"
            text +=
                "AVERAGE-BANDWIDTH=\(450_000 + index * 140_000),CODECS=\"avc1.640028,mp4a.40.2\",RESOLUTION=1920x1080,FRAME-RATE=29.970,HDCP-LEVEL=TYPE-0,"
            text += "VIDEO-RANGE=SDR,STABLE-VARIANT-ID=\"v\(index)\",AUDIO=\"audio\(index % 3)\"\n"
            text += "video/\(index)/main.m3u8\n"
        }
        return PlaylistFile(name: "multivariant", text: text, count: count)
    }
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
