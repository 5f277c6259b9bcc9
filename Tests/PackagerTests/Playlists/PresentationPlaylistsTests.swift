import DRMSignaling
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Playlists of a presentation")
struct PresentationPlaylistsTests {
    @Test("of a protected presentation have all tags in the order that players require")
    func protectedFilm() throws {
        let protection = try Renditions.protection()
        let playlists = try Renditions.playlists(
            [
                try Renditions.video(protection: protection),
                Renditions.audio(protection: protection),
            ],
            options: Renditions.options()
        )
        try playlists.check()
        let key =
            #"METHOD=SAMPLE-AES,URI="skd://101112131415161718191a1b1c1d1e1f","#
            + #"KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1""#
        #expect(
            try playlists.text("main.m3u8") == """
                #EXTM3U
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-SESSION-KEY:\(key)
                #EXT-X-MEDIA:TYPE=AUDIO,URI="audio-en/media.m3u8",GROUP-ID="audio-aac",LANGUAGE="en",NAME="English",\
                DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
                #EXT-X-STREAM-INF:BANDWIDTH=5456996,AVERAGE-BANDWIDTH=4123664,CODECS="avc1.4d401f,mp4a.40.2",\
                RESOLUTION=1920x1080,FRAME-RATE=29.97,HDCP-LEVEL=TYPE-0,\
                ALLOWED-CPC="com.apple.streamingkeydelivery:AppleBaseline/Baseline",VIDEO-RANGE=SDR,AUDIO="audio-aac"
                video-1080/media.m3u8
                #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=2664003,AVERAGE-BANDWIDTH=1998002,CODECS="avc1.4d401f",\
                RESOLUTION=1920x1080,HDCP-LEVEL=TYPE-0,\
                ALLOWED-CPC="com.apple.streamingkeydelivery:AppleBaseline/Baseline",VIDEO-RANGE=SDR,\
                URI="video-1080/iframes.m3u8"

                """
        )
        #expect(
            try playlists.text("video-1080/media.m3u8") == """
                #EXTM3U
                #EXT-X-VERSION:6
                #EXT-X-TARGETDURATION:6
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-KEY:\(key)
                #EXT-X-MAP:URI="init.mp4"
                #EXT-X-BITRATE:3996
                #EXTINF:6.006,
                1.m4s
                #EXT-X-BITRATE:5328
                #EXTINF:6.006,
                2.m4s
                #EXT-X-BITRATE:2664
                #EXTINF:6.006,
                3.m4s
                #EXT-X-ENDLIST

                """
        )
        #expect(
            try playlists.text("video-1080/iframes.m3u8") == """
                #EXTM3U
                #EXT-X-VERSION:5
                #EXT-X-TARGETDURATION:4
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-I-FRAMES-ONLY
                #EXT-X-KEY:\(key)
                #EXT-X-MAP:URI="init.mp4"
                #EXTINF:3.003,
                #EXT-X-BYTERANGE:750000@0
                1.m4s
                #EXTINF:3.003,
                #EXT-X-BYTERANGE:750000@1500000
                1.m4s
                #EXTINF:3.003,
                #EXT-X-BYTERANGE:1000000@0
                2.m4s
                #EXTINF:3.003,
                #EXT-X-BYTERANGE:1000000@2000000
                2.m4s
                #EXTINF:3.003,
                #EXT-X-BYTERANGE:500000@0
                3.m4s
                #EXTINF:3.003,
                #EXT-X-BYTERANGE:500000@1000000
                3.m4s
                #EXT-X-ENDLIST

                """
        )
    }

    @Test("with a clear lead start without a key and with a separate init segment")
    func clearLead() throws {
        let protection = try Renditions.protection()
        let video = try Renditions.video(protection: protection, clearLead: 1)
        let playlists = try Renditions.playlists([video], options: Renditions.options())
        try playlists.check()
        for playlist in playlists.media.map(\.playlist) {
            let segments = playlist.segments
            let first = try #require(segments.firstIndex { !$0.keys.isEmpty })
            #expect(segments[0].keys.isEmpty)
            #expect(segments[0].map?.uri == "init-clear.mp4")
            #expect(segments[first].map?.uri == "init.mp4")
            #expect(segments[first].uri == "2.m4s")
            #expect(segments[first].tags.prefix(2) == [.key(segments[first].keys[0]), .map(MapTag(uri: "init.mp4"))])
            #expect(segments[(first + 1)...].allSatisfy { $0.keys.isEmpty && $0.map == nil })
        }
    }

    @Test("end the encryption with METHOD=NONE where a clear segment follows")
    func clearMiddle() throws {
        let video = try Renditions.video(protection: try Renditions.protection(), clearLead: 1)
        var list = RenditionPlaylist(.vod)
        for (index, other) in [1, 0, 2].enumerated() {
            var segment = video.segments[index]
            segment.initialization = video.segments[other].initialization
            segment.keys = video.segments[other].isProtected ? [.fairPlay(uri: "skd://a")] : []
            list.append(segment)
        }
        let playlist = list.playlist()
        #expect(
            playlist.segments[0].tags.prefix(2) == [.key(.fairPlay(uri: "skd://a")), .map(MapTag(uri: "init.mp4"))]
        )
        #expect(playlist.segments[1].tags.prefix(2) == [.key(.none), .map(MapTag(uri: "init-clear.mp4"))])
        #expect(
            playlist.segments[2].tags.prefix(2) == [.key(.fairPlay(uri: "skd://a")), .map(MapTag(uri: "init.mp4"))]
        )
    }

    @Test("of single files have byte ranges and no EXT-X-BITRATE")
    func singleFile() throws {
        let video = try Renditions.video(protection: try Renditions.protection(), clearLead: 1, isSingleFile: true)
        let playlists = try Renditions.playlists([video], options: Renditions.options())
        try playlists.check()
        let segments = playlists.media[0].playlist.segments
        #expect(segments.map(\.byteRange?.offset) == [1000, 3_001_000, 7_001_000])
        #expect(segments[0].map?.byteRange == ByteRange(length: 400, offset: 600))
        #expect(segments[1].map?.byteRange == ByteRange(length: 600, offset: 0))
        #expect(!(try playlists.text("video-1080/media.m3u8").contains("BITRATE")))
        // The second key frame of the second segment, in its middle.
        #expect(
            playlists.media[1].playlist.segments[3].byteRange == ByteRange(length: 1_000_000, offset: 5_001_000)
        )
    }

    @Test("list each key for each system, with IDs and IVs where they are used")
    func systems() throws {
        let video = try Renditions.video(protection: try Renditions.protection())
        let playlists = try Renditions.playlists([video], options: Renditions.options([.fairPlay, .common]))
        try playlists.check()
        let keys = playlists.media[0].playlist.segments[0].keys
        #expect(keys.map(\.keyFormat) == [.fairPlay, .clearKey])
        #expect(keys.allSatisfy { $0.iv == nil && $0.keyFormatVersions == "1" })
        #expect(playlists.multivariant.sessionKeys.map(\.key) == keys)
    }

    @Test("of AES-128 segments have an identity key with its IV after the map, and no I-frames")
    func wholeSegments() throws {
        let protection = try Renditions.protection(.aes128)
        let template = try KeyURITemplate("https://keys.example.com/{kid}")
        let playlists = try Renditions.playlists(
            [try Renditions.video(protection: protection), Renditions.audio(protection: protection)],
            options: Renditions.options([.identity], keyURI: template)
        )
        try playlists.check(except: ["no-i-frame-variants"], tolerating: ["map-before-key"])
        let first = playlists.media[0].playlist.segments[0]
        let key = try #require(first.keys.first)
        #expect(key.method == .aes128)
        #expect(key.uri == "https://keys.example.com/101112131415161718191a1b1c1d1e1f")
        #expect(key.iv?.bytes == [UInt8](0xE0..<0xF0))
        #expect(key.keyFormatAttribute == nil)
        #expect(first.tags.prefix(2) == [.map(MapTag(uri: "init.mp4")), .key(key)])
        #expect(playlists.multivariant.variants[0].hdcpLevel == nil)
        #expect(playlists.media.count == 2)
    }

    @Test("of transport streams have the version and the Target Duration for old clients")
    func transportStreams() throws {
        let clear = try Renditions.playlists(
            [try Renditions.video(suffix: "ts"), Renditions.audio(suffix: "aac")],
            options: PlaylistOptions()
        )
        try clear.check()
        #expect(clear.media.map(\.playlist.version) == [3, 4, 3])
        #expect(clear.media.map(\.playlist.targetDuration) == [7, 4, 7])
        #expect(clear.multivariant.version == nil)
        // PAT and PMT, one packet each, precede an I-frame and are not part of it.
        #expect(
            clear.media[1].playlist.segments.prefix(2).map(\.byteRange)
                == [ByteRange(length: 750_000 - 376, offset: 376), ByteRange(length: 750_000 - 376, offset: 1_500_376)]
        )
        let protection = try Renditions.protection(.sampleAES)
        let protected = try Renditions.playlists(
            [
                try Renditions.video(protection: protection, suffix: "ts"),
                Renditions.audio(protection: protection, suffix: "aac"),
            ],
            options: Renditions.options()
        )
        try protected.check()
        #expect(protected.media.map(\.playlist.version) == [5, 5, 5])
    }

    @Test("whose segments last whole seconds write durations with a decimal point")
    func wholeSeconds() throws {
        let video = try Renditions.video(duration: RationalTime(6, timescale: 1))
        let playlists = try Renditions.playlists([video], options: PlaylistOptions())
        try playlists.check()
        #expect(try playlists.text("video-1080/media.m3u8").contains("#EXTINF:6.0,\n1.m4s"))
    }

    @Test("have no accumulated rounding errors over a thousand segments")
    func rounding() throws {
        let sizes = [Int](repeating: 1_000_000, count: 1000)
        let video = try Renditions.video(sizes: sizes, duration: RationalTime(170_171, timescale: 30_000))
        let playlists = try Renditions.playlists([video], options: PlaylistOptions())
        try playlists.check()
        let playlist = playlists.media[0].playlist
        #expect(abs(playlist.duration - 170_171_000.0 / 30_000) < 1e-6)
        #expect(Set(playlist.segments.map(\.duration)) == [5.672366, 5.672367])
        // The rate never changes.
        #expect(playlist.segments.count { $0.tags.contains { if case .bitrate = $0 { true } else { false } } } == 1)
    }

    @Test("with only audio have audio variants")
    func audioOnly() throws {
        let playlists = try Renditions.playlists(
            [
                Renditions.audio(protection: try Renditions.protection()),
                Renditions.audio("audio-de", name: "Deutsch", language: "deu", protection: try Renditions.protection()),
                Renditions.audio(
                    "audio-en-2",
                    format: .ac3,
                    codecs: "ac-3",
                    channels: "6",
                    sizes: [400_000, 400_000, 400_000],
                    protection: try Renditions.protection()
                ),
            ],
            options: Renditions.options()
        )
        try playlists.check()
        let variants = playlists.multivariant.variants
        #expect(variants.map(\.uri) == ["audio-en/media.m3u8", "audio-en-2/media.m3u8"])
        #expect(variants.map(\.codecs) == [["mp4a.40.2"], ["ac-3", "mp4a.40.2"]])
        #expect(variants.allSatisfy { $0.resolution == nil && $0.frameRate == nil })
        #expect(playlists.multivariant.iFrameVariants.isEmpty)
    }

    @Test("are rejected if different HDCP levels share a key")
    func sharedKeys() throws {
        let protection = try Renditions.protection()
        let ladder = [
            try Renditions.video(protection: protection),
            try Renditions.video("video-360", width: 640, height: 360, protection: protection),
        ]
        #expect(throws: SignalingError(.sharedKey, "", "")) {
            try Renditions.playlists(ladder, options: Renditions.options())
        }
        var rules = OutputProtectionRules.standard
        try rules.require(hdcp: "SD=TYPE-0")
        var options = Renditions.options()
        options.outputProtection = rules
        try Renditions.playlists(ladder, options: options).check()

        let own = try Renditions.protection(keyID: [UInt8](repeating: 7, count: 16))
        let divided = [
            ladder[0], try Renditions.video("video-360", width: 640, height: 360, protection: own),
        ]
        let playlists = try Renditions.playlists(divided, options: Renditions.options())
        try playlists.check()
        #expect(playlists.multivariant.variants.map(\.hdcpLevel) == [.type0, HDCPLevel.none])
        #expect(playlists.multivariant.sessionKeys.count == 2)
    }

    @Test("apply exceptions to a variant, and reject those for a variant that does not exist")
    func exceptions() throws {
        let video = try Renditions.video(protection: try Renditions.protection())
        var options = Renditions.options()
        try options.outputProtection.require(hdcp: "video-1080=TYPE-1")
        try options.outputProtection.require(cpc: "HD=AppleMain")
        let playlists = try Renditions.playlists([video], options: options)
        try playlists.check()
        #expect(playlists.multivariant.variants[0].hdcpLevel == .type1)
        #expect(
            playlists.multivariant.iFrameVariants[0].allowedCPC?.description
                == "com.apple.streamingkeydelivery:AppleMain"
        )
        try options.outputProtection.require(hdcp: "video-720=NONE")
        #expect(throws: JobFailure.self) { try Renditions.playlists([video], options: options) }
    }

    @Test("have output protection only for protected video")
    func clearVideo() throws {
        let playlists = try Renditions.playlists(
            [try Renditions.video(range: .pq), Renditions.audio(protection: try Renditions.protection())],
            options: Renditions.options()
        )
        #expect(playlists.multivariant.variants[0].hdcpLevel == nil)
        #expect(playlists.multivariant.variants[0].allowedCPC == nil)
        #expect(playlists.multivariant.variants[0].videoRange == .pq)
    }

    @Test("use the names of the job")
    func names() throws {
        var options = PlaylistOptions()
        options.names.multivariant = "index.m3u8"
        options.names.media = "prog_index.m3u8"
        options.names.iFrames = nil
        let playlists = try Renditions.playlists([try Renditions.video()], options: options)
        try playlists.check(except: ["no-i-frame-variants"])
        #expect(try playlists.files().map(\.path) == ["video-1080/prog_index.m3u8", "index.m3u8"])
    }
}
