import Testing
import TextCoding

@testable import KeyServer

@Suite("Unsupported methods", .timeLimit(.minutes(10)))
struct MethodNotAllowedTests {
    @Test(
        "A known path responds 405 and lists its methods",
        arguments: [
            ("DELETE", "/healthz", "GET, HEAD"), ("GET", "/fps/license", "POST"),
            ("POST", "/admin/content/some%2Fthing", "DELETE, GET, HEAD, PUT"),
            ("PATCH", "/admin/tokens", "GET, HEAD, POST"),
            ("TRACE", "/admin/leases/a/device:00", "DELETE"),
        ]
    )
    func known(method: String, path: String, allow: String) async throws {
        try await LicenseServer.run { server in
            let answer = try await server.send(method, path)
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == allow)
            #expect(answer.json["type"] == .string("urn:keyway:problem:method-not-allowed"))
        }
    }

    @Test("An unknown path responds 404 with any method", arguments: ["GET", "POST", "DELETE", "PATCH"])
    func unknown(method: String) async throws {
        try await LicenseServer.run { server in
            for path in ["/nothing", "/admin", "/admin/content/a/b", "/fps", "/fps/license/x"] {
                let answer = try await server.send(method, path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.headers["allow"] == nil)
            }
        }
    }

    @Test("A missing record stays 404")
    func notFound() async throws {
        try await LicenseServer.run { (server: LicenseServer) async throws in
            #expect(try await server.admin("GET", "/policies/none").status == 404)
            #expect(try await server.send("GET", "/fps/certificate?app=none").status == 404)
        }
    }
}
