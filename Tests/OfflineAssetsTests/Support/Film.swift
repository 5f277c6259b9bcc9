/// Presentations for a ``FilmSite``, whose segments have bytes derived from their names.
enum Film {
    /// Returns bytes that only this name has, in an MP4 box, so that they are media.
    static func bytes(_ name: String, count: Int) -> [UInt8] { box(noise(name, count: max(0, count - 8))) }

    /// Returns an `mdat` box with a content.
    static func box(_ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + "mdat".utf8 + content
    }

    /// Returns WebVTT with bytes that only this name has: a segment that the player accepts without an init segment.
    static func segment(_ name: String, count: Int) -> [UInt8] {
        let header = Array("WEBVTT\n\n".utf8)
        return header + noise(name, count: max(0, count - header.count))
    }

    /// Returns packets of a transport stream with bytes that only this name has.
    static func packets(_ name: String, count: Int) -> [UInt8] {
        (0..<count).flatMap { [0x47, 0x01, 0x00, 0x10 | UInt8($0 & 15)] + noise("\(name) \($0)", count: 184) }
    }

    /// Returns bytes that only this name has, and that are not media.
    static func noise(_ name: String, count: Int) -> [UInt8] {
        var state = name.utf8.reduce(UInt64(1469)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    /// Returns a Media Playlist with segments of two seconds.
    static func playlist(_ segments: [String], before: String = "", end: String = "#EXT-X-ENDLIST\n") -> [UInt8] {
        let lines = segments.map { "#EXTINF:2.0,\n\($0)\n" }.joined()
        return Array("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n\(before)\(lines)\(end)".utf8)
    }

    /// Returns a presentation with one Media Playlist at `/film.m3u8`.
    static func single(segments: Int = 4, size: Int = 3000) -> FilmSite {
        let names = (0..<segments).map { "s\($0).ts" }
        var files = ["/film.m3u8": playlist(names)]
        for name in names { files["/" + name] = segment(name, count: size) }
        return FilmSite(files)
    }

    /// Returns a presentation at `/main.m3u8` with two qualities, two languages, subtitles and I-frames, FairPlay keys,
    /// and a clear rendition.
    static func ladder(segments: Int = 3, size: Int = 500) -> FilmSite {
        let main = """
            #EXTM3U
            #EXT-X-VERSION:7
            # made by hand
            #EXT-X-SOMETHING-NEW:1
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://sd",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://hd",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="en/a.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",AUTOSELECT=YES,URI="de/a.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",AUTOSELECT=YES,URI="subs/en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,AUDIO="a",SUBTITLES="s"
            sd/v.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=3000000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
            hd/v.m3u8?token=secret
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.64001e",RESOLUTION=640x360,URI="sd/i.m3u8"

            """
        var files = ["/main.m3u8": Array(main.utf8)]
        for (folder, name) in [("sd", "v"), ("hd", "v"), ("en", "a"), ("de", "a")] {
            let key = ["sd": "sd", "hd": "hd"][folder] ?? "audio"
            let tags = """
                #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://\(key)",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
                #EXT-X-MAP:URI="init.mp4"

                """
            let query = folder == "hd" ? "?token=secret" : ""
            let names = (0..<segments).map { "\(name)\($0).m4s" }
            files["/\(folder)/\(name).m3u8\(query)"] = playlist(names, before: tags)
            for name in names + ["init.mp4"] { files["/\(folder)/\(name)"] = bytes("\(folder)/\(name)", count: size) }
        }
        files["/subs/en.m3u8"] = playlist((0..<segments).map { "\($0).vtt" })
        for number in 0..<segments { files["/subs/\(number).vtt"] = Array("WEBVTT\n\nnumber \(number)\n".utf8) }
        files["/sd/i.m3u8"] = playlist(
            (0..<segments).map { "v\($0).m4s" },
            before: "#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI=\"init.mp4\"\n"
        )
        return FilmSite(files)
    }

    /// Returns a presentation in one file, with byte ranges, at `/film.m3u8`; the last segment is located far after the
    /// others.
    static func ranges(segments: Int = 4, size: Int = 2000, gap: Int = 100_000) -> FilmSite {
        var text =
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"700@0\"\n"
        for number in 0..<segments {
            let offset = number == 0 ? "@700" : number == segments - 1 ? "@\(700 + size * number + gap)" : ""
            text += "#EXTINF:2.0,\n#EXT-X-BYTERANGE:\(size)\(offset)\nall.mp4\n"
        }
        text += "#EXT-X-ENDLIST\n"
        let boxes = [bytes("init", count: 700)] + (0..<segments - 1).map { bytes("\($0)", count: size) }
        let last = bytes("\(segments - 1)", count: size)
        return FilmSite([
            "/film.m3u8": Array(text.utf8),
            "/all.mp4": boxes.flatMap { $0 } + noise("gap", count: gap) + last + noise("rest", count: 5000),
        ])
    }
}
