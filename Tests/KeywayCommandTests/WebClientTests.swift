import Foundation
import HTTPRequests
import OwnThreads
import Synchronization
import Testing

@testable import keyway

@Suite("Cookies of web servers", .timeLimit(.minutes(10)), .ownThreads)
struct CookieJarTests {
    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// Returns the cookies for a URL after one response.
    private static func sent(_ field: String, from: String, to: String) throws -> String? {
        let jar = CookieJar()
        jar.store(field, from: try url(from))
        return jar.field(for: try url(to))
    }

    @Test(
        "are sent to the host that set them, and to the domain, path and scheme that they specify",
        arguments: [
            ("a=1", "http://x.example/", "http://x.example/y/z.ts", true),
            ("a=1", "http://x.example/", "http://x.example:8080/", true),
            ("a=1", "http://x.example/", "http://X.EXAMPLE/", true),
            ("a=1", "http://x.example/", "http://sub.x.example/", false),
            ("a=1", "http://x.example/", "http://example/", false),
            ("a=1; Domain=x.example", "http://x.example/", "http://sub.x.example/", true),
            ("a=1; domain=.x.example", "http://cdn.x.example/", "http://x.example/", true),
            ("a=1; Domain=x.example", "http://x.example/", "http://evilx.example/", false),
            ("a=1; Domain=other.example", "http://x.example/", "http://x.example/", false),
            ("a=1; Domain=sub.x.example", "http://x.example/", "http://sub.x.example/", false),
            ("a=1; Domain=example", "http://x.example/", "http://y.example/", false),
            ("a=1; Domain=co.uk", "http://x.co.uk/", "http://y.co.uk/", false),
            ("a=1; Domain=localhost", "http://localhost/", "http://localhost/", true),
            ("a=1; Domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", false),
            ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", true),
            ("a=1", "http://x.example/live/main.m3u8", "http://x.example/live/v/1.ts", true),
            ("a=1", "http://x.example/live/main.m3u8", "http://x.example/vod/1.ts", false),
            ("a=1", "http://x.example/live/main.m3u8", "http://x.example/live2/1.ts", false),
            ("a=1; Path=/", "http://x.example/live/main.m3u8", "http://x.example/vod/1.ts", true),
            ("a=1; Path=/vod", "http://x.example/live/main.m3u8", "http://x.example/vod/1.ts", true),
            ("a=1; Path=/vod", "http://x.example/", "http://x.example/vod", true),
            ("a=1; Path=/vod", "http://x.example/", "http://x.example/vod2", false),
            ("a=1; Secure", "https://x.example/", "https://x.example/", true),
            ("a=1; Secure", "https://x.example/", "http://x.example/", false),
            ("a=1; Secure", "http://x.example/", "https://x.example/", false),
            ("a=1; Max-Age=60", "http://x.example/", "http://x.example/", true),
            ("a=1; Max-Age=0", "http://x.example/", "http://x.example/", false),
            ("a=1; Max-Age=-1", "http://x.example/", "http://x.example/", false),
            ("a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "http://x.example/", "http://x.example/", true),
            ("a=1; Expires=Wed, 09 Jun 2010 10:18:14 GMT", "http://x.example/", "http://x.example/", false),
            ("a=1; Expires=Wed, 09-Jun-2010 10:18:14 GMT", "http://x.example/", "http://x.example/", false),
            ("a=1; Expires=Wed, 09 Jun 2010 10:18:14 GMT; Max-Age=9", "http://x.example/", "http://x.example/", true),
            ("__Host-a=1; Secure; Path=/", "https://x.example/", "https://x.example/", true),
            ("__Host-a=1; Path=/", "https://x.example/", "https://x.example/", false),
            ("__Secure-a=1", "https://x.example/", "https://x.example/", false),
            ("a", "http://x.example/", "http://x.example/", false),
            ("=1", "http://x.example/", "http://x.example/", false),
            ("a=\u{1}", "http://x.example/", "http://x.example/", false),
        ]
    )
    func matching(field: String, from: String, to: String, isSent: Bool) throws {
        #expect((try Self.sent(field, from: from, to: to) != nil) == isSent)
    }

    @Test("A later cookie replaces an earlier one, longer paths come first, and a past date deletes")
    func order() throws {
        let jar = CookieJar()
        let url = try Self.url("http://x.example/live/main.m3u8")
        for field in ["a=1; Path=/", "b=2; Path=/live", "c=\"3 4\"; Path=/", "a=5; Path=/"] {
            jar.store(field, from: url)
        }
        #expect(jar.field(for: url) == "b=2; a=5; c=\"3 4\"")
        jar.store("a=; Path=/; Max-Age=0", from: url)
        #expect(jar.field(for: url) == "b=2; c=\"3 4\"")
    }

    @Test("Cookies expire")
    func expiry() throws {
        let now = Mutex(Date(timeIntervalSince1970: 1000))
        let jar = CookieJar { now.withLock { $0 } }
        let url = try Self.url("http://x.example/")
        jar.store("a=1; Max-Age=10", from: url)
        #expect(jar.field(for: url) == "a=1")
        now.withLock { $0 += 11 }
        #expect(jar.field(for: url) == nil)
    }
}

@Suite("Headers of a command line", .timeLimit(.minutes(10)), .ownThreads)
struct HeaderPolicyTests {
    private static func names(
        _ url: String,
        first: String = "https://a.example/main.m3u8",
        hosts: [String] = []
    ) throws -> [String] {
        var policy = HeaderPolicy()
        policy.add(try #require(URL(string: first)))
        policy.headers = [("X-Token", "secret")]
        policy.hosts = Set(hosts.compactMap { HeaderPolicy.Host($0) })
        return policy.headers(for: try #require(URL(string: url))).map(\.name)
    }

    @Test("are sent to the first origin and to named hosts only")
    func hosts() throws {
        #expect(try Self.names("https://a.example/1.ts") == ["X-Token"])
        #expect(try Self.names("https://A.example:443/1.ts") == ["X-Token"])
        #expect(try Self.names("https://b.example/1.ts") == [])
        #expect(try Self.names("https://a.example:8443/1.ts") == [])
        #expect(try Self.names("https://b.example/1.ts", hosts: ["b.example"]) == ["X-Token"])
        #expect(try Self.names("https://b.example:8443/1.ts", hosts: ["b.example"]) == [])
        #expect(try Self.names("https://b.example:8443/1.ts", hosts: ["B.example:8443"]) == ["X-Token"])
        #expect(try Self.names("https://sub.b.example/1.ts", hosts: ["b.example"]) == [])
        #expect(try Self.names("https://[::1]:81/1.ts", hosts: ["[::1]:81"]) == ["X-Token"])
        #expect(
            try Self.names("https://u:p@a.example/1.ts", first: "https://u:p@a.example/") == [
                "Authorization", "X-Token",
            ]
        )
    }

    @Test("are not sent over http if the first URL is https")
    func schemes() throws {
        #expect(try Self.names("http://a.example/1.ts") == [])
        #expect(try Self.names("http://b.example/1.ts", hosts: ["b.example"]) == [])
        #expect(
            try Self.names("http://b.example/1.ts", first: "http://a.example/", hosts: ["b.example"]) == ["X-Token"]
        )
        #expect(
            try Self.names("https://b.example/1.ts", first: "http://a.example/", hosts: ["b.example"]) == ["X-Token"]
        )
    }

    @Test(
        "A host that is a URL, a path, or empty is refused",
        arguments: ["", "http://a/", "a/b", "u@a", ":80", "a b"]
    )
    func invalid(host: String) { #expect(HeaderPolicy.Host(host) == nil) }
}

@Suite("Streams from web servers with cookies, headers and proxies", .timeLimit(.minutes(10)), .ownThreads)
struct WebStreamTests {
    private static let media = """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:6
        #EXTINF:6,
        a.ts
        #EXT-X-ENDLIST

        """

    @Test("Cookies of the Multivariant Playlist are sent to the Media Playlists, and a redirect can set one")
    func cookies() throws {
        let requests = Mutex<[LittleServer.Request]>([])
        let server = try LittleServer { request in
            requests.withLock { $0.append(request) }
            switch request.path {
            case "/start":
                return .init(status: 302, headers: ["Location": "/live/main.m3u8", "Set-Cookie": "hop=1; Path=/"])
            case "/live/main.m3u8":
                var page = PlaylistCheckTests.page("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n")
                page.headers["Set-Cookie"] = "session=s3cr3t; HttpOnly"
                return page
            default: return PlaylistCheckTests.page(Self.media)
            }
        }
        let outcome = try Tool().run(["playlist", "check", "\(server.address)/start", "--fail-on", "never", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let cookies = requests.withLock { $0 }.map { $0.headers["cookie"] }
        #expect(cookies == [nil, "hop=1", "session=s3cr3t; hop=1"])
        #expect(!outcome.text.contains("s3cr3t") && !outcome.errors.contains("s3cr3t"))
    }

    @Test("Headers are sent to a further host that is named", arguments: [false, true])
    func headerHosts(isNamed: Bool) throws {
        let cdn = try PlaylistCheckTests.Site(["/v.m3u8": PlaylistCheckTests.page(Self.media)])
        let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(cdn.server.address)/v.m3u8\n"
        let site = try PlaylistCheckTests.Site(["/main.m3u8": PlaylistCheckTests.page(main)])
        let host = String(cdn.server.address.dropFirst("http://".count))
        let arguments = ["playlist", "check", "\(site.server.address)/main.m3u8", "--header", "X-Token: s3cr3t"]
        let outcome = try Tool().run(
            arguments + ["--fail-on", "never"] + (isNamed ? ["--header-host", host] : [])
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(site.requests.map { $0.headers["x-token"] } == ["s3cr3t"])
        #expect(cdn.requests.map { $0.headers["x-token"] } == [isNamed ? "s3cr3t" : nil])
    }

    @Test("--proxy sends requests through a proxy, except to hosts in no_proxy, and its password is in no message")
    func proxy() throws {
        let proxy = try PlaylistCheckTests.Site()
        let tool = try Tool()
        let address = proxy.server.address.replacing("http://", with: "http://user:pa55@")
        let arguments = ["playlist", "check", "http://stream.example/video.m3u8", "--fail-on", "never"]
        let outcome = try tool.run(arguments + ["--proxy", address])
        #expect(proxy.requests.map(\.path) == ["http://stream.example/video.m3u8"])
        #expect(proxy.requests.first?.headers["proxy-authorization"] == "Basic dXNlcjpwYTU1")
        #expect(outcome.status == 3 && !outcome.errors.contains("pa55"), "\(outcome.errors)")
        // This server is not in no_proxy at first.
        let site = try PlaylistCheckTests.Site(["/v.m3u8": PlaylistCheckTests.page(Self.media)])
        let direct = ["playlist", "check", "\(site.server.address)/v.m3u8", "--proxy", address]
        #expect(try tool.run(direct).status == 3)
        #expect(site.requests.isEmpty)
        #expect(try tool.run(direct, environment: ["no_proxy": "127.0.0.1"]).status == 0)
        #expect(site.requests.count == 1)
        let invalid = try tool.run(arguments + ["--proxy", "ftp://user:pa55@127.0.0.1:1"])
        #expect(invalid.status == 2 && !invalid.errors.contains("pa55"), "\(invalid.errors)")
    }

    @Test("A saved playlist is checked with the URL that it was saved from, and with variables")
    func saved() throws {
        let site = try PlaylistCheckTests.Site(["/x/v.m3u8": PlaylistCheckTests.page(Self.media)])
        let tool = try Tool()
        let main =
            "#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"name\"\n#EXT-X-VERSION:11\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$name}.m3u8\n"
        let path = try tool.file("main.m3u8", Array(main.utf8))
        let arguments = ["playlist", "check", path, "--fail-on", "never", "--json"]
        let outcome = try tool.run(
            arguments + ["--url", "\(site.server.address)/x/main.m3u8?name=v", "--header", "X-Token: s3cr3t"]
        )
        #expect(site.paths == ["/x/v.m3u8"], "\(outcome.text)")
        #expect(site.requests.first?.headers["x-token"] == "s3cr3t")
        let media =
            "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:6\n#EXT-X-DEFINE:IMPORT=\"t\"\n#EXTINF:6,\n{$t}.ts\n#EXT-X-ENDLIST\n"
        let saved = try tool.file("media.m3u8", Array(media.utf8))
        #expect(try tool.run(["playlist", "check", saved]).status == 1)
        #expect(try tool.run(["playlist", "check", saved, "--variable", "t=a"]).status == 0)
        let shown = try tool.run(["playlist", "show", "--segments", saved, "--variable", "t=segment-a"])
        #expect(shown.text.contains("segment-a.ts"), "\(shown.text)")
    }

    @Test(
        "Invalid options exit with 2",
        arguments: [
            ["--header-host", "a.example"], ["--header", "X: y", "--header-host", "http://a/"],
            ["--client-key", "key.pem"], ["--client-certificate", "c.pem"], ["--variable", "noequals"],
            ["--variable", "=1"], ["--url", "nothing"],
        ]
    )
    func usage(options: [String]) throws {
        let outcome = try Tool().run(["playlist", "check", "http://127.0.0.1:1/a.m3u8"] + options)
        #expect(outcome.status == 2, "\(outcome.errors)")
    }

    @Test("Certificate files that are not PEM are errors that name the option")
    func certificates() throws {
        let tool = try Tool()
        let file = try tool.file("text.pem", Array("text".utf8))
        let arguments = ["playlist", "check", "https://127.0.0.1:1/a.m3u8"]
        let authority = try tool.run(arguments + ["--ca-file", file])
        #expect(authority.status == 1 && authority.errors.contains("--ca-file"), "\(authority.errors)")
        let client = try tool.run(arguments + ["--client-certificate", file, "--client-key", file])
        #expect(client.status == 1 && client.errors.contains("--client-certificate"), "\(client.errors)")
    }

    @Test("Segments and keys get the cookies and headers too, in play and download")
    func player() throws {
        let site = try OfflineFilmSite(requiringCookie: "session=1")
        let played = try site.tool.run(["play", site.address("film"), "--header", "X-Token: t", "--quiet"])
        #expect(played.status == 0, "\(played.errors)")
        #expect(site.paths.contains("/film.key") && site.paths.contains { $0.hasSuffix(".ts") })
        let download = try site.download("film", "--header", "X-Token: t")
        #expect(download.status == 0, "\(download.errors)")
    }
}
