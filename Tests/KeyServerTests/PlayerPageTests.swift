import Foundation
import NIOCore
import Testing

@testable import KeyServer

@Suite("The playback page", .timeLimit(.minutes(10)))
struct PlayerPageTests {
    private var files: [String: String] {
        Dictionary(
            PlayerPage.files.map { ($0.name, String(buffer: $0.body)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private var setup: TestApplication {
        var setup = TestApplication()
        setup.configuration.playerPage = true
        return setup
    }

    @Test("The policy allows scripts and styles from the server only, and media from any host")
    func policy() async throws {
        try await setup.run { running in
            let answer = try await fetch(running.port, "/player")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            let policy = answer.headers["content-security-policy"] ?? ""
            let directives = Set(policy.components(separatedBy: "; "))
            #expect(
                directives.isSuperset(of: [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self' https: http:",
                    "media-src blob: https: http:", "frame-ancestors 'none'",
                ])
            )
            #expect(!policy.contains("unsafe"))
        }
    }

    @Test("Without the setting and without --dev, there is no page", arguments: [false, true])
    func setting(isDevelopment: Bool) async throws {
        var setup = TestApplication()
        setup.environment.isDevelopment = isDevelopment
        try await setup.runInMemory { (client: ApplicationClient) async throws in
            #expect(try await client.send("GET", "/player").status == (isDevelopment ? 200 : 404))
        }
    }

    @Test("The page itself contains nothing that its policy forbids")
    func inline() throws {
        let page = try #require(files["index.html"])
        for forbidden in ["<script>", "<style", " style=", "javascript:", " onclick=", " onload="] {
            #expect(!page.contains(forbidden), "\(forbidden)")
        }
    }

    @Test("Every file that the page and the module load exists on this server")
    func imports() async throws {
        let files = files
        let page = try #require(files["index.html"])
        for link in page.matches(of: /(?:src|href)="([^"]*)"/) {
            #expect(link.output.1.hasPrefix("/player/"), "\(link.output.1)")
            #expect(files.keys.contains(String(link.output.1.dropFirst(8))), "\(link.output.1)")
        }
        for (name, text) in files where name.hasSuffix(".js") {
            for link in text.matches(of: /^import .* from "\.\/(.*)";$/.anchorsMatchLineEndings()) {
                #expect(files.keys.contains(String(link.output.1)), "\(name): \(link.output.1)")
            }
        }
    }

    @Test("Pages of other origins may load the module, but not the files of this page")
    func sharing() async throws {
        try await setup.run { running in
            let shared = files.keys.filter { $0.hasSuffix(".js") && $0 != "page.js" }
            #expect(shared.count > 10)
            for name in shared {
                let answer = try await fetch(running.port, "/player/\(name)")
                #expect(answer.status == 200, "\(name)")
                #expect(answer.headers["content-type"] == "text/javascript; charset=utf-8", "\(name)")
                #expect(answer.headers["cross-origin-resource-policy"] == "cross-origin", "\(name)")
            }
            for name in ["page.js", "page.css", "icon.svg"] {
                let answer = try await fetch(running.port, "/player/\(name)")
                #expect(answer.headers["cross-origin-resource-policy"] == "same-origin", "\(name)")
            }
        }
    }

    @Test("Pages of permitted origins may load the FairPlay library with a subresource hash, also without the page")
    func library() async throws {
        var setup = TestApplication()
        setup.configuration.crossOrigin = .listed(["https://www.example.com"])
        try await setup.run { running in
            for name in ["keyway-fairplay.js", "keyway-fairplay.classic.js"] {
                let answer = try await fetch(
                    running.port,
                    "/player/\(name)",
                    headers: [("Origin", "https://www.example.com")]
                )
                #expect(answer.status == 200, "\(name)")
                #expect(answer.headers["access-control-allow-origin"] == "https://www.example.com", "\(name)")
                #expect(answer.headers["content-type"] == "text/javascript; charset=utf-8", "\(name)")
            }
            let types = try await fetch(running.port, "/player/keyway-fairplay.d.ts")
            #expect(types.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(try await fetch(running.port, "/player").status == 404)
            #expect(try await fetch(running.port, "/player/keyway-player.js").status == 404)
        }
    }

    @Test("The page loads the build of hls.js that a setting names, and an empty module without it")
    func hls() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).mjs")
        try Data("globalThis.Hls = class {};".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var setup = setup
        setup.configuration.playerLibrary = file.path
        try await setup.run { running in
            let answer = try await fetch(running.port, "/player/hls-library.js")
            #expect(answer.body == "globalThis.Hls = class {};")
            #expect(answer.headers["content-type"] == "text/javascript; charset=utf-8")
        }
        let text = try #require(files["hls-library.js"])
        #expect(text.contains("export {};"))
    }
}
