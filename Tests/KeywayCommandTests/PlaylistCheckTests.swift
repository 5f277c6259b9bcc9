import Dispatch
import Foundation
import HLSPlaylist
import OwnThreads
import Synchronization
import Testing
import TextCoding
import ToolSupport

@testable import keyway

/// Tests of `keyway playlist check` with files and HTTP. Transcripts/ contains its output.
@Suite("keyway playlist check", .timeLimit(.minutes(10)), .ownThreads)
struct PlaylistCheckTests {
    static let playlists = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Playlists")
    static let knowsMissing = LintRule.all.contains { $0.id == "media-playlist-missing" }

    let tool: Tool

    init() throws { tool = try Tool() }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: playlists.appending(path: name)))
    }

    /// A server with the playlists of the folder and the given responses, which counts requests.
    final class Site: Sendable {
        let server: LittleServer
        private let log: Log

        private final class Log: Sendable { let requests = Mutex<[LittleServer.Request]>([]) }

        init(_ pages: [String: LittleServer.Response] = [:]) throws {
            let log = Log()
            self.log = log
            server = try LittleServer { request in
                log.requests.withLock { $0.append(request) }
                let path = String(request.path.prefix { $0 != "?" })
                if let page = pages[path] { return page }
                guard path.hasSuffix(".m3u8"), let bytes = try? PlaylistCheckTests.bytes(path) else {
                    return .init(status: 404)
                }
                return .init(headers: ["Content-Type": "application/vnd.apple.mpegurl"], body: bytes)
            }
        }

        var requests: [LittleServer.Request] { log.requests.withLock { $0 } }
        var paths: [String] { requests.map(\.path).sorted() }
    }

    static func page(_ text: String, type: String = "application/vnd.apple.mpegurl") -> LittleServer.Response {
        .init(headers: ["Content-Type": type], body: Array(text.utf8))
    }

    private static let fairPlayIV =
        "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\",KEYFORMAT=\"com.apple.streamingkeydelivery\",IV=0x01\n"

    // MARK: Findings

    @Test("JSON has the other file and its line, and --clear-playlist declares a clear playlist")
    func clearPlaylist() throws {
        let encrypted =
            "#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:6\n" + Self.fairPlayIV.replacing(",IV=0x01", with: "")
            + "#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n"
        _ = try tool.file("v.m3u8", Array(encrypted.utf8))
        _ = try tool.file("w.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nb.ts\n#EXT-X-ENDLIST\n".utf8))
        let main = ["v", "w"].map { "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1.64001F\"\n\($0).m3u8\n" }.joined()
        _ = try tool.file("clear.m3u8", Array("#EXTM3U\n\(main)".utf8))
        let arguments = ["playlist", "check", "clear.m3u8", "--only", "clear-variant"]
        let outcome = try tool.run(arguments + ["--json"])
        #expect(outcome.status == 1, "\(outcome.errors)")
        let finding = try #require((try outcome.json()["findings"] as? [[String: Any]])?.first)
        #expect(finding["file"] as? String == "clear.m3u8")
        #expect(finding["line"] as? Int == 4)
        let other = try #require(finding["other"] as? [String: Any])
        #expect(other["file"] as? String == "v.m3u8")
        #expect(other["line"] as? Int == 4)
        let declared = try tool.run(arguments + ["--clear-playlist", "w.m3u8"])
        #expect(declared.status == 0, "\(declared.text)")
    }

    // MARK: Following

    @Test("A presentation is loaded over HTTP, each URI once, and output contains no tokens")
    func web() throws {
        let site = try Site()
        let outcome = try tool.run(["playlist", "check", "\(site.server.address)/main.m3u8", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(site.paths == ["/audio.m3u8", "/i-frames.m3u8", "/main.m3u8", "/video.m3u8?token=c2VjcmV0"])
        let files = try #require(try outcome.json()["files"] as? [[String: Any]])
        #expect(
            files.map { $0["file"] as? String }
                == [
                    "main.m3u8", "audio.m3u8", "video.m3u8?…", "i-frames.m3u8",
                ].map { "\(site.server.address)/\($0)" }
        )
        #expect(!outcome.text.contains("c2VjcmV0") && !outcome.errors.contains("c2VjcmV0"))
        let alone = try tool.run(["playlist", "check", "\(site.server.address)/main.m3u8", "--no-follow"])
        #expect(alone.text.contains("in 1 playlist\n"))
        #expect(site.requests.count == 5)
    }

    @Test("--limit-playlists limits the number of playlists")
    func playlistLimit() throws {
        let site = try Site()
        let arguments = ["playlist", "check", "\(site.server.address)/main.m3u8", "--limit-playlists", "1"]
        let outcome = try tool.run(arguments + ["--fail-on", "never"])
        #expect(site.paths == ["/audio.m3u8", "/main.m3u8"])
        #expect(outcome.errors.contains("2 Media Playlists were not read because of --limit-playlists"))
        #expect(!outcome.text.contains("media-playlist-missing"))
    }

    @Test("A playlist from the web does not make the tool read files")
    func localFiles() throws {
        let secret = try tool.file("secret.m3u8", Array("#EXTM3U\n\(Self.fairPlayIV)".utf8))
        let main = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1
            file://\(secret)
            #EXT-X-STREAM-INF:BANDWIDTH=1
            FILE:\(secret)
            #EXT-X-STREAM-INF:BANDWIDTH=1
            \(secret)
            #EXT-X-STREAM-INF:BANDWIDTH=1
            ftp://127.0.0.1/a.m3u8

            """
        let site = try Site(["/main.m3u8": Self.page(main)])
        let arguments = ["playlist", "check", "\(site.server.address)/main.m3u8", "--json"]
        let outcome = try tool.run(arguments + ["--fail-on", "never"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.text.contains("fairplay-iv"))
        // A path is relative to the server.
        #expect(site.paths == ["/main.m3u8", secret])
        let files = try #require(try outcome.json()["files"] as? [[String: Any]])
        let problems = files.compactMap { $0["problem"] as? String }
        #expect(
            problems == [
                "a playlist from the web must not reference a local file",
                "a playlist from the web must not reference a local file",
                "the server responded with status 404",
                "the URI scheme ftp is not supported: use http, https, or a path",
            ]
        )
    }

    @Test("A local playlist may reference files below its folder, or below --root")
    func folder() throws {
        try FileManager.default.createDirectory(atPath: tool.path("a/b"), withIntermediateDirectories: true)
        let media = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(Self.fairPlayIV)".utf8)
        _ = try tool.file("a/b/in side%.m3u8", media)
        _ = try tool.file("a/beside.m3u8", media)
        _ = try tool.file("outside.m3u8", media)
        try FileManager.default.createSymbolicLink(
            atPath: tool.path("a/b/link.m3u8"),
            withDestinationPath: tool.path("outside.m3u8")
        )
        let uris = ["in%20side%25.m3u8?token=1", "../beside.m3u8", "link.m3u8", "%2e%2e/beside.m3u8", "//host/a.m3u8"]
        let main = uris.map { "#EXT-X-STREAM-INF:BANDWIDTH=1\n\($0)\n" }.joined()
        _ = try tool.file("a/b/ma?n#1.m3u8", Array("#EXTM3U\n\(main)".utf8))
        let arguments = ["playlist", "check", "a/b/ma?n#1.m3u8", "--only", "fairplay-iv"]
        let strict = try tool.run(arguments)
        #expect(strict.status == 1)
        #expect(strict.text.contains("  a/b/in side%.m3u8:3:"), "\(strict.text)")
        #expect(strict.text.hasSuffix("1 error, 0 warnings, 0 notes in 2 playlists, 4 not read\n"), "\(strict.text)")
        let wide = try tool.run(arguments + ["--root", "a", "--json"])
        let files = try #require(try wide.json()["files"] as? [[String: Any]])
        #expect(files.compactMap { $0["kind"] as? String }.count == 4)
        #expect(
            files.compactMap { $0["problem"] as? String } == [
                "the file is outside the folder that --root specifies", "the URI has a host, but not http or https",
            ]
        )
    }

    @Test("A missing Media Playlist is a finding with its reason", .enabled(if: knowsMissing))
    func missing() throws {
        let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nnothing.m3u8\n"
        let path = try tool.file("main.m3u8", Array(main.utf8))
        let outcome = try tool.run(["playlist", "check", path, "--only", "media-playlist-missing", "--json"])
        #expect(outcome.status == 1)
        let finding = try #require((try outcome.json()["findings"] as? [[String: Any]])?.first)
        #expect(finding["rule"] as? String == "media-playlist-missing")
        #expect(finding["line"] as? Int == 2)
        #expect((finding["message"] as? String)?.hasSuffix(": No such file or directory") == true, "\(finding)")
    }

    @Test("Media Playlists import variables of the Multivariant Playlist")
    func variables() throws {
        let main = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"name\",VALUE=\"media\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$name}.m3u8\n"
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DEFINE:IMPORT=\"name\"\n#EXT-X-ENDLIST\n"
        let site = try Site(["/main.m3u8": Self.page(main), "/media.m3u8": Self.page(media)])
        let outcome = try tool.run(["playlist", "check", "\(site.server.address)/main.m3u8", "--fail-on", "never"])
        #expect(site.paths == ["/main.m3u8", "/media.m3u8"])
        #expect(!outcome.text.contains("unresolved-import"), "\(outcome.text)")
    }

    // MARK: HTTP

    @Test("Redirects are followed, URIs are relative to the final URL, and headers are sent only to the host")
    func redirection() throws {
        let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
        let there = try Site(["/x/main.m3u8": Self.page(main), "/x/v.m3u8": Self.page("#EXTM3U\n")])
        let hop = LittleServer.Response(
            status: 302,
            headers: ["Location": "\(there.server.address)/x/main.m3u8?token=c2VjcmV0"]
        )
        let site = try Site(["/a.m3u8": hop])
        let address = site.server.address.replacing("http://", with: "http://user:pa55%20word@")
        let outcome = try tool.run(
            ["playlist", "check", "\(address)/a.m3u8", "--header", "X-Token: s3cr3t", "--fail-on", "never", "--json"]
        )
        #expect(site.requests.map { $0.headers["x-token"] } == ["s3cr3t"])
        #expect(site.paths == ["/a.m3u8"])
        #expect(site.requests.map { $0.headers["authorization"] } == ["Basic dXNlcjpwYTU1IHdvcmQ="])
        #expect(there.paths == ["/x/main.m3u8?token=c2VjcmV0", "/x/v.m3u8"])
        #expect(there.requests.allSatisfy { $0.headers["x-token"] == nil && $0.headers["authorization"] == nil })
        let all = outcome.text + outcome.errors
        #expect(!all.contains("c2VjcmV0") && !all.contains("pa55") && !all.contains("s3cr3t"), "\(all)")
        #expect(all.contains("\(there.server.address)/x/v.m3u8"))
    }

    @Test("A server cannot redirect to a file, or endlessly")
    func badRedirection() throws {
        let file = LittleServer.Response(status: 302, headers: ["Location": "file:///etc/passwd"])
        let loop = LittleServer.Response(status: 302, headers: ["Location": "/loop.m3u8"])
        let site = try Site(["/file.m3u8": file, "/loop.m3u8": loop])
        let local = try tool.run(["playlist", "check", "\(site.server.address)/file.m3u8"])
        #expect(local.status == 3)
        #expect(!local.text.contains("root") && !local.errors.contains("root:"))
        let endless = try tool.run(["playlist", "check", "\(site.server.address)/loop.m3u8"])
        #expect(endless.status == 3)
        #expect(site.requests.count < 40)
    }

    @Test("An input that cannot be read exits with 3, and the others are checked")
    func unreadable() throws {
        let site = try Site()
        let outcome = try tool.run(
            ["playlist", "check", "\(site.server.address)/none.m3u8", "\(site.server.address)/faulty.m3u8"]
        )
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("none.m3u8: the server responded with status 404"), "\(outcome.errors)")
        #expect(outcome.text.contains("fairplay-iv"))
        #expect(try tool.run(["playlist", "check", "http://127.0.0.1:1/a.m3u8"]).status == 3)
    }

    @Test("Responses that are too large or too slow are aborted")
    func limits() async throws {
        let body = [UInt8](repeating: 35, count: 100_000)
        let site = try Site(["/long.m3u8": .init(body: body)])
        let url = try #require(URL(string: "\(site.server.address)/long.m3u8"))
        let whole = try await HTTPDownload.get(url, limit: 100_000, timeout: 120, by: WebClient())
        #expect(whole.bytes == body)
        await #expect(throws: HTTPDownload.Failure.self) {
            try await HTTPDownload.get(url, limit: 99_999, timeout: 120, by: WebClient())
        }
        // This server responds only after the command has timed out, or after two minutes.
        let hasEnded = DispatchSemaphore(value: 0)
        let slow = try LittleServer { _ in
            _ = hasEnded.wait(timeout: .now() + 120)
            return .init(body: Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n".utf8))
        }
        let outcome = try tool.run(["playlist", "check", "\(slow.address)/a.m3u8", "--timeout", "0.5s"])
        hasEnded.signal()
        #expect(outcome.status == 3)
    }

    @Test("A note is printed if players may not recognize a playlist")
    func contentType() throws {
        let page = Self.page("#EXTM3U\n", type: "text/plain; charset=utf-8")
        let site = try Site(["/playlist": page, "/playlist.m3u8": page])
        let bare = try tool.run(["playlist", "check", "\(site.server.address)/playlist"])
        #expect(bare.errors.contains("note: \(site.server.address)/playlist: the Content-Type text/plain, and a path"))
        #expect(
            !(try tool.run(["playlist", "check", "\(site.server.address)/playlist.m3u8"])).errors.contains("note:")
        )
        let html = try tool.run(["playlist", "check", "-"], input: Array("<html><body>sign in</body></html>".utf8))
        #expect(
            html.errors.contains("note: standard input: the file does not begin with #EXTM3U; it is a web page (HTML)"),
            "\(html.errors)"
        )
    }

    // MARK: Command line

    @Test(
        "Invalid command lines exit with 2",
        arguments: [
            [], ["a", "--rules"], ["-", "-"], ["a", "b", "--previous", "c"], ["a", "b", "--watch", "1"],
            ["-", "--watch", "1"], ["a", "--watch", "0"], ["a", "--fail-on", "panic"], ["a", "--only", "no-such-rule"],
            ["a", "--header", "X: y"], ["http://127.0.0.1:1/", "--header", "no colon"], ["a", "--timeout", "0s"],
            ["ftp://127.0.0.1/a.m3u8"], ["a", "--limit-playlists", "-1"],
            ["a", "--ignore-query"],
        ]
    )
    func usage(arguments: [String]) throws {
        let outcome = try tool.run(["playlist", "check"] + arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test("The rules are listed, as text and as JSON")
    func rules() throws {
        let general = CheckRule.all(with: [])
        let text = try tool.run(["playlist", "check", "--rules"])
        #expect(text.text.split(separator: "\n").count == general.count)
        let json = try tool.run(["playlist", "check", "--rules", "--json"]).json()
        let rules = try #require(json["rules"] as? [[String: String]])
        #expect(rules.map { $0["rule"] } == general.map(\.id.rawValue))
        #expect(rules.allSatisfy { Set($0.keys) == ["rule", "severity", "subject", "section", "summary"] })
    }

    @Test("The rules of a profile are checked and listed only if it is chosen, or a rule of it is named")
    func profile() throws {
        let path = try tool.file(
            "main.m3u8",
            Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"vp09.00.10.08\",RESOLUTION=2x2\nv\n".utf8)
        )
        func found(_ arguments: String...) throws -> [String] {
            let outcome = try tool.run(["playlist", "check", path, "--no-follow", "--json"] + arguments)
            let findings = try #require(try outcome.json()["findings"] as? [[String: Any]])
            return findings.compactMap { $0["rule"] as? String }
        }
        let general = try found()
        #expect(general.contains("frame-rate-missing") && !general.contains { $0.hasPrefix("apple-") })
        let apple = try found("--profile", "apple")
        #expect(apple.contains("apple-video-codec") && apple.contains("apple-frame-rate-missing"))
        #expect(!apple.contains("frame-rate-missing"))
        #expect(try found("--only", "apple-video-codec") == ["apple-video-codec"])
        #expect(try !found("--profile", "apple", "--disable", "apple-video-codec").contains("apple-video-codec"))
        let listed = try tool.run(["playlist", "check", "--rules", "--profile", "apple"]).text
        #expect(listed.split(separator: "\n").count == CheckRule.all(with: [.apple]).count)
        #expect(listed.contains("Apple 9.15"))
        let failed = try tool.run(["playlist", "check", path, "--no-follow", "--profile", "apple"])
        #expect(failed.status == 1 && failed.errors.contains("see docs/playlist-rules.md and docs/apple-rules.md"))
    }

    @Test("Rules similar to an unknown name are suggested")
    func near() {
        let names = ["fairplay-iv", "fairplay-uri-scheme", "bom", "key-without-uri", "bitrate-zero"]
        #expect(Spelling.similar("fairplay-vi", among: names) == ["fairplay-iv"])
        #expect(Spelling.similar("uri-fairplay-scheme", among: names) == ["fairplay-uri-scheme"])
        #expect(Spelling.similar("xyzzy-plugh", among: names) == [])
        #expect(Spelling.similar(String(repeating: "a", count: 100_000), among: names) == [])
    }

    @Test("Ten locations of a rule are printed, or all")
    func places() throws {
        let path = try tool.file(
            "many.m3u8",
            Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(String(repeating: Self.fairPlayIV, count: 12))".utf8)
        )
        let arguments = ["playlist", "check", path, "--only", "fairplay-iv"]
        let some = try tool.run(arguments)
        #expect(some.text.components(separatedBy: "the CKC contains the IV: remove").count == 11)
        #expect(some.text.contains("  and 2 more; give --all to show them\n"))
        let all = try tool.run(arguments + ["--all"])
        #expect(all.text.components(separatedBy: "the CKC contains the IV: remove").count == 13)
    }

    // MARK: Reloads

    @Test("--previous requires Media Playlists, and --watch requires that they are read")
    func reloadOfMultivariant() throws {
        let main = Self.playlists.appending(path: "main.m3u8").path
        let media = Self.playlists.appending(path: "live/before.m3u8").path
        for arguments in [
            [main, "--watch", "1", "--no-follow"], [main, "--previous", media], [media, "--previous", main],
        ] {
            let outcome = try tool.run(["playlist", "check"] + arguments)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("is a Multivariant Playlist"), "\(outcome.errors)")
        }
    }

    @Test("A live playlist is reloaded until it ends")
    func watch() throws {
        let count = Mutex(0)
        let server = try LittleServer { _ in
            let number = count.withLock { value in
                value += 1
                return value
            }
            let end = number == 3 ? "#EXT-X-ENDLIST\n" : ""
            let key = number == 2 ? Self.fairPlayIV : ""
            return Self.page(
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(number)\n\(key)#EXTINF:0.2,\n\(number).ts\n\(end)"
            )
        }
        let arguments = ["playlist", "check", "\(server.address)/live.m3u8", "--watch", "9", "--only", "fairplay-iv"]
        let outcome = try tool.run(arguments + ["--json"])
        #expect(count.withLock { $0 } == 3)
        let findings = try #require(try outcome.json()["findings"] as? [[String: Any]])
        #expect(findings.map { $0["reload"] as? Int } == [1])
    }

    @Test("A Multivariant Playlist is watched with all its Media Playlists, and findings name them")
    func watchMultivariant() throws {
        let counts = Mutex<[String: Int]>([:])
        let server = try LittleServer { request in
            let path = String(request.path.prefix { $0 != "?" })
            let number = counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path] ?? 0
            }
            let segments = (number...(number + 3)).map { "#EXTINF:0.5,\n\($0).ts\n" }.joined()
            let live =
                "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(number)\n\(segments)"
            switch path {
            case "/main.m3u8":
                return Self.page(
                    """
                    #EXTM3U
                    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="audio.m3u8"
                    #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
                    video.m3u8
                    #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
                    vod.m3u8

                    """
                )
            case "/video.m3u8" where number == 2: return .init(status: 503)
            case "/vod.m3u8": return Self.page(live + "#EXT-X-ENDLIST\n")
            case "/audio.m3u8" where number > 2: return Self.page(live + "#EXT-X-ENDLIST\n")
            default: return Self.page(live)
            }
        }
        let arguments = ["playlist", "check", "\(server.address)/main.m3u8", "--watch", "4", "--json"]
        let outcome = try tool.run(arguments + ["--only", "watch-load-failed"])
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(counts.withLock { $0 } == ["/main.m3u8": 1, "/video.m3u8": 5, "/audio.m3u8": 3, "/vod.m3u8": 1])
        let json = try outcome.json()
        let finding = try #require((json["findings"] as? [[String: Any]])?.first)
        #expect(finding["file"] as? String == "\(server.address)/video.m3u8")
        #expect(finding["message"] as? String == "the reload failed: the server responded with status 503")
        #expect(finding["reload"] as? Int == 1)
        let watched = try #require(json["watched"] as? [[String: Any]])
        #expect(watched.map { $0["end"] as? String } == ["ended", "limit"])
        #expect(watched.map { $0["reloads"] as? Int } == [2, 4])
        #expect(watched.map { $0["failedReloads"] as? Int } == [0, 1])
    }
}
