import Hummingbird
import Testing

@testable import KeyServer

@Suite("Paths match in one spelling only", .timeLimit(.minutes(10)))
struct ExactPathTests {
    /// Every route of both listeners, with a name for each parameter.
    private static let paths = Set(OpenAPIDocument.operations.map(\.path)).union(["/dashboard", "/player"]).sorted()

    private static func filled(_ path: String) -> String {
        path.replacing(/\{[a-zA-Z]+\}/, with: "0a")
    }

    private static func spellings(of path: String) -> [String] {
        let first = String(path.dropFirst().first ?? "a")
        let escaped = "/%" + String(first.utf8.first ?? 0, radix: 16) + path.dropFirst(2)
        let last = path.utf8.last.map { String($0, radix: 16) } ?? ""
        return [
            path + "/", "/" + path, "//" + path, path.replacing("/", with: "//"), "/." + path, "/a/.." + path,
            path + "/.",
            "/%2e" + path, "/a/%2E%2e" + path, escaped, escaped.uppercased(), path.dropLast() + "%" + last, path + "//",
            "http://a/" + path,
        ]
    }

    @Test("Every route responds at its path, and at no other spelling")
    func all() async throws {
        let router = Listener.makeRouter()
        for path in Self.paths where path != "/healthz" { router.get(RouterPath(path)) { _, _ in "here" } }
        try await withOperationsServer(router) { port, _ in
            for path in Self.paths.map(Self.filled) {
                let answer = try await fetch(port, path)
                #expect(answer.status == 200, "\(path)")
                for spelling in Self.spellings(of: path) {
                    let answer = try await fetch(port, spelling)
                    #expect(answer.status == 404, "\(spelling)")
                    #expect(answer.body.contains("urn:keyway:problem:not-found"), "\(spelling)")
                }
            }
        }
    }

    @Test("Another spelling of a path is not found with any method")
    func methods() async throws {
        try await LicenseServer.run { server in
            for (method, path) in [("POST", "//fps//license"), ("POST", "/fps/license/"), ("GET", "/dashboard/")] {
                let answer = try await fetch(server.port(of: path), path, method: method)
                #expect(answer.status == 404, "\(method) \(path)")
                #expect(answer.headers["allow"] == nil)
            }
        }
    }

    @Test(
        "Names in a path may be percent-encoded where needed",
        arguments: ["/a/b%2Fc", "/a/%C3%A4", "/a/b%20c", "/a/b%2Emp4", "/a/b%7Ec", "/a/...", "/", "/a/b%"]
    )
    func names(path: String) { #expect(RequestPath.isExact(path)) }

    @Test("Invalid paths are refused", arguments: ["", "a", "*", "a/b", "/a/%2e", "/%41"])
    func noPath(path: String) { #expect(!RequestPath.isExact(path)) }
}
