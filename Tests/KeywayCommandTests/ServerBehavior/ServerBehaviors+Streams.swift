// The behaviors of single resources.

extension ServerBehavior {
    private static let notAPlaylist = "EXTM3U"

    static let playlists: [ServerBehavior] = [Resource.main, .media].flatMap { resource -> [ServerBehavior] in
        [
            .init("an HTML page", resource, .fails("missing-extm3u", notAPlaylist)) { $0.page },
            .init("an empty body", resource, .fails("missing-extm3u", notAPlaylist)) { _ in ServerResponse([]).steps },
            .init("binary data", resource, .fails("missing-extm3u", notAPlaylist)) { _ in
                ServerResponse([UInt8](repeating: 0x47, count: 1880)).steps
            },
            .init("a byte order mark and CRLF", resource, .plays) {
                let text = String(decoding: $0.ordinary.body, as: UTF8.self).replacing("\n", with: "\r\n")
                return ServerResponse([0xEF, 0xBB, 0xBF] + Array(text.utf8)).steps
            },
            .init("a body that decodes to more than 64 MiB", resource, .fails("too-large", "decoded body")) { _ in
                ServerResponse(bomb, "Content-Encoding: gzip").steps
            },
        ]
    }

    /// 65 MiB of zeros in gzip: 65 members of one MiB.
    private static let bomb = Array(
        repeatElement(Encoders.gzip([UInt8](repeating: 0, count: 1 << 20)), count: 65).joined()
    )

    /// The Media Playlist of the preferred variant fails at the start, and another variant takes over.
    static let variants: [ServerBehavior] = {
        let main = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=16x16
            other/media.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=32x32
            video/media.m3u8

            """
        return [
            .init("404, with another variant", .media, .playsOther, main: main) {
                $0.status(404)
            },
            .init("403, with another variant", .media, .playsOther, main: main) { $0.status(403) },
            .init("500, with another variant", .media, .init(retries: 3, isOtherVariant: true), main: main) {
                $0.status(500)
            },
            .init("an HTML page, with another variant", .media, .playsOther, main: main) { $0.page },
            .init("an empty body, with another variant", .media, .playsOther, main: main) { _ in
                ServerResponse([]).steps
            },
            .init("a redirect loop, with another variant", .media, .playsOther, main: main) {
                $0.status(302, ["Location: \($0.request.path)"])
            },
            .init("zstd, with another variant", .media, .playsOther, main: main) { $0.with("Content-Encoding: zstd") },
            .init("a playlist without segments, with another variant", .media, .playsOther, main: main) { _ in
                ServerResponse(Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-ENDLIST\n".utf8)).steps
            },
            .init("a Multivariant Playlist, with another variant", .media, .playsOther, main: main) { _ in
                ServerResponse(Array(main.utf8)).steps
            },
        ]
    }()

    /// Attributes that are wrong cost no variant.
    static let attributes: [ServerBehavior] = [
        "", "BANDWIDTH=", "BANDWIDTH=1280000.5", "BANDWIDTH=\"1280000\"", "BANDWIDTH=-1", "BANDWIDTH=0",
        "AVERAGE-BANDWIDTH=1000", "BANDWIDTH=99999999999999999999999", "BANDWIDTH=1,RESOLUTION=1920X1080",
        "BANDWIDTH=1,RESOLUTION=1080p", "BANDWIDTH=1,CODECS=\"\"", "BANDWIDTH=1,CODECS=avc1.42E01E",
        "BANDWIDTH=1,FRAME-RATE=25fps", "BANDWIDTH=1,AUDIO=\"none\"", "BANDWIDTH=1,CODECS=\"avc1,mp4a\"",
        "BANDWIDTH=1,VIDEO-RANGE=\"SDR\"", "PROGRAM-ID=1, BANDWIDTH = 1 ",
    ].map { list in
        .init(
            "#EXT-X-STREAM-INF:\(list)",
            .main,
            .plays,
            main: "#EXTM3U\n#EXT-X-STREAM-INF:\(list)\nvideo/media.m3u8\n"
        )
    }

    static let subtitles: [ServerBehavior] = [
        .init("an ordinary playlist", .subtitles, .plays),
        .init("403", .subtitles, .playsWithoutSubtitles) { $0.status(403) },
        .init("404", .subtitles, .init(retries: 3, omitsSubtitles: true)) { $0.status(404) },
        .init("an HTML page", .subtitles, .playsWithoutSubtitles) { $0.page },
        .init("an empty body", .subtitles, .playsWithoutSubtitles) { _ in ServerResponse([]).steps },
        .init("a redirect loop", .subtitles, .playsWithoutSubtitles) {
            $0.status(302, ["Location: \($0.request.path)"])
        },
        .init("a playlist with a missing segment", .subtitles, .init(retries: 3, omitsSubtitles: true)) { _ in
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nmissing.vtt\n#EXT-X-ENDLIST\n"
            return ServerResponse(Array(text.utf8)).steps
        },
    ]

    static let keys: [ServerBehavior] = [
        .init("an ordinary key", .key, .plays),
        .init("gzip", .key, .plays) { $0.encoded("gzip", Encoders.gzip) },
        .init("15 bytes", .key, .fails("no-response", "a key has 16 bytes")) {
            ServerResponse(Array($0.ordinary.body.dropLast())).steps
        },
        .init("32 digits", .key, .fails("no-response", "a key has 16 bytes")) { _ in
            ServerResponse(Array("00112233445566778899aabbccddeeff".utf8)).steps
        },
        .init("an HTML page", .key, .fails("no-response", "a key has 16 bytes")) { $0.page },
        .init("an empty body", .key, .fails("no-response", "a key has 16 bytes")) { _ in ServerResponse([]).steps },
        .init("403", .key, .fails("no-response", "status 403")) { $0.status(403) },
        .init("404", .key, .fails("no-response", "status 404")) { $0.status(404) },
    ]

    /// Paths that require header fields.
    static let requests: [ServerBehavior] =
        [Resource.main, .media, .initialization, .segment, .key].flatMap { resource in
            [
                .init("a header is required", resource, .plays, headers: [("X-Token", "s3cr3t")]) {
                    $0.requiring("x-token", "s3cr3t", otherwise: 403)
                },
                .init(
                    "basic authentication is required",
                    resource,
                    .plays,
                    headers: [("Authorization", "Basic dXNlcjpwYTU1")]
                ) { $0.requiring("authorization", "Basic dXNlcjpwYTU1", otherwise: 401) },
            ]
        } + [
            .init("a cookie of the command line and one of the server", .segment, .plays, headers: [("Cookie", "a=1")])
            {
                $0.requiring("cookie", "a=1; session=1", otherwise: 403)
            },
            .init("the cookie of the Multivariant Playlist", .media, .plays) {
                $0.requiring("cookie", "session=1", otherwise: 403)
            },
            .init("no Accept-Encoding for media", .segment, .plays) {
                $0.requiring("accept-encoding", "identity", otherwise: 406)
            },
            .init("gzip and br are accepted for playlists", .media, .plays) {
                $0.requiring("accept-encoding", "gzip, br", otherwise: 406)
            },
        ]
}
