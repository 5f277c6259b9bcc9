import Foundation
import Hummingbird
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

    private func router() -> Router<ServerRequestContext> {
        let router = Listener.makeRouter()
        PlayerPage().add(to: router)
        return router
    }

    @Test("The policy allows scripts and styles from the server only, and media from any host")
    func policy() async throws {
        try await withOperationsServer(router()) { port, _ in
            let answer = try await fetch(port, "/player")
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
        try await withOperationsServer(router()) { port, _ in
            for name in ["keyway-player.js", "errors.js", "hls.js", "init-data.js", "keys.js", "licenses.js", "mse.js"]
            {
                let answer = try await fetch(port, "/player/\(name)")
                #expect(answer.status == 200, "\(name)")
                #expect(answer.headers["content-type"] == "text/javascript; charset=utf-8", "\(name)")
                #expect(answer.headers["cross-origin-resource-policy"] == "cross-origin", "\(name)")
            }
            for name in ["page.js", "page.css", "icon.svg"] {
                let answer = try await fetch(port, "/player/\(name)")
                #expect(answer.headers["cross-origin-resource-policy"] == "same-origin", "\(name)")
            }
        }
    }
}
