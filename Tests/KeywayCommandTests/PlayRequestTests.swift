import Foundation
import OwnThreads
import Synchronization
import Testing

@Suite("Requests of keyway play, download and offline", .timeLimit(.minutes(10)), .ownThreads)
struct PlayRequestTests {
    /// Packages a clear movie, and returns a server of its folder that records the requests.
    private static func site(
        _ tool: Tool,
        _ refuses: @escaping @Sendable (LittleServer.Request) -> Int? = { _ in nil }
    ) throws -> (server: LittleServer, requests: Requests) {
        let run = try tool.run(
            ["package", PackageTests.film, "--out", "site", "--scheme", "none", "--segment-duration", "2s"]
        )
        try #require(run.status == 0, "\(run.errors)")
        let (root, requests) = (tool.path("site"), Requests())
        let server = try LittleServer { request in
            requests.all.withLock { $0.append(request) }
            if let status = refuses(request) { return .init(status: status) }
            guard let data = FileManager.default.contents(atPath: root + request.path) else {
                return .init(status: 404)
            }
            return .init(body: [UInt8](data))
        }
        return (server, requests)
    }

    final class Requests: Sendable {
        let all = Mutex<[LittleServer.Request]>([])
        func values(_ field: String) -> Set<String?> { all.withLock { Set($0.map { $0.headers[field] }) } }
    }

    @Test("--user and the user information of a URL are sent with all requests, and --user-agent too")
    func basicAuthentication() throws {
        let tool = try Tool()
        let (server, requests) = try Self.site(tool) { $0.headers["authorization"] == "Basic dXNlcjpwYTU1" ? nil : 401 }
        let url = "\(server.address)/main.m3u8"
        let refused = try tool.run(["play", url, "--quiet"])
        #expect(
            refused.status == 3 && refused.errors.contains("401") && refused.errors.contains("--user"),
            "\(refused.errors)"
        )
        let secret = try tool.file("user", Array("user:pa55".utf8))
        for (command, options) in [
            (["play", url], ["--user", "user:pa55"]), (["play", url], ["--user", "@\(secret)"]),
            (["play", url.replacing("http://", with: "http://user:pa55@")], []),
            (["download", url, "--out", "films/film", "--no-keys"], ["--user", "user:pa55"]),
        ] {
            requests.all.withLock { $0 = [] }
            let run = try tool.run(command + options + ["--quiet", "--user-agent", "Test/1.0"])
            #expect(run.status == 0, "\(command): \(run.errors)")
            #expect(!run.errors.contains("pa55") && !run.text.contains("pa55"))
            #expect(requests.values("authorization") == ["Basic dXNlcjpwYTU1"])
            #expect(requests.values("user-agent") == ["Test/1.0"])
        }
        for value in ["user", ":pa55"] {
            let run = try tool.run(["play", url, "--user", value])
            #expect(run.status == 2 && run.errors.contains("--user: expected NAME:PASSWORD"), "\(run.errors)")
            #expect(!run.errors.contains("pa55"))
        }
    }

    @Test("--url plays a saved playlist with the rest from the web, and --variable gives the variables that it imports")
    func saved() throws {
        let tool = try Tool()
        let (server, requests) = try Self.site(tool)
        let folders = try FileManager.default.contentsOfDirectory(atPath: tool.path("site"))
        let video = try #require(folders.first { $0.hasPrefix("video") })
        let media = String(decoding: try tool.content(tool.path("site/\(video)/media.m3u8")), as: UTF8.self)
        let imported = media.replacing(
            "#EXT-X-TARGETDURATION",
            with: "#EXT-X-DEFINE:IMPORT=\"s\"\n#EXT-X-TARGETDURATION"
        )
        .replacing(".m4s", with: "{$s}")
        let file = try tool.file("saved.m3u8", Array(imported.utf8))
        let url = "\(server.address)/\(video)/media.m3u8"
        let run = try tool.run(["play", file, "--url", url, "--variable", "s=.m4s", "--quiet", "--out", "played.mp4"])
        #expect(run.status == 0, "\(run.errors)")
        // The playlist itself is not requested.
        #expect(
            requests.all.withLock { $0.map(\.path) }.allSatisfy { $0.hasSuffix(".m4s") || $0.hasSuffix("init.mp4") }
        )
        let direct = try tool.run(["play", url, "--quiet", "--out", "direct.mp4"])
        #expect(direct.status == 0, "\(direct.errors)")
        #expect(try tool.content(tool.path("played.mp4")) == tool.content(tool.path("direct.mp4")))
        #expect(try tool.run(["play", url, "--url", url]).status == 2)
    }

    @Test("--languages chooses a rendition without AUTOSELECT, and notes if the language is not there")
    func languages() throws {
        let tool = try Tool()
        _ = try Self.site(tool)
        let main = String(decoding: try tool.content(tool.path("site/main.m3u8")), as: UTF8.self)
        var lines = main.split(separator: "\n").map(String.init)
        let index = try #require(lines.firstIndex { $0.contains("TYPE=AUDIO") })
        var other = lines[index]
        for (text, replacement) in [
            ("LANGUAGE=\"en\"", "LANGUAGE=\"de\""), ("AUTOSELECT=YES", "AUTOSELECT=NO"), ("DEFAULT=YES", "DEFAULT=NO"),
        ] { other = other.replacing(text, with: replacement) }
        // The default rendition is missing, so only the other one can be played.
        lines[index] = lines[index].replacing(/URI="[^"]*"/, with: "URI=\"missing.m3u8\"")
        lines.append(other)
        let file = try tool.file("site/languages.m3u8", Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(try tool.run(["play", file, "--quiet"]).status == 3)
        let german = try tool.run(["play", file, "--languages", "de", "--json"])
        #expect(german.status == 0, "\(german.errors)")
        #expect(try german.json()["notes"] as? [String] ?? [] == [])
        let french = try tool.run(["play", tool.path("site/main.m3u8"), "--languages", "fr,it", "--json"])
        #expect(french.status == 0, "\(french.errors)")
        #expect(try french.json()["notes"] as? [String] == ["no audio in fr, it: the stream has en"])
    }

    @Test("SSL_CERT_FILE without certificates is an error that names the variable")
    func certificates() throws {
        let tool = try Tool()
        for file in [try tool.file("text.pem", Array("text".utf8)), tool.path("missing.pem")] {
            let run = try tool.run(["play", "https://127.0.0.1:1/a.m3u8"], environment: ["SSL_CERT_FILE": file])
            #expect(run.status == 1 && run.errors.contains("SSL_CERT_FILE"), "\(run.errors)")
        }
    }
}
