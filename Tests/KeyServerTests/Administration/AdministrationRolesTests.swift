import Foundation
import HTTPTypes
import KeyStore
import KeyStoreTestSupport
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Permissions of administration roles", .timeLimit(.minutes(10)))
struct AdministrationRolesTests {
    private static let endpoints = Administration(
        store: InMemoryKeyStore(),
        authenticator: SingleAdminToken(LicenseServer.token)
    ).endpoints

    /// Returns a path with values for its parameters.
    private func path(_ endpoint: AdminEndpoint) -> String {
        let values = ["device": "00", "stream": "00", "client": "session:0000000000000001"]
        let parts = endpoint.path.dropFirst("/admin".count).split(separator: "/").map { part -> String in
            guard part.hasPrefix("{") else { return String(part) }
            return values[String(part.dropFirst().dropLast())] ?? "nothing-here"
        }
        return "/" + parts.joined(separator: "/")
    }

    @Test("Every route permits the roles in the table, and requires a token")
    func table() async throws {
        try await LicenseServer.run { server in
            var tokens: [AdminRole: String] = [:]
            for role in AdminRole.allCases { tokens[role] = try await server.token(role) }
            // An event stream does not end; its token is tested with the events.
            for endpoint in Self.endpoints where endpoint.path != "/admin/activity/stream" {
                let body = [.put, .post].contains(endpoint.method) ? "{\"none\": 1}" : nil
                let (method, path) = (endpoint.method.rawValue, path(endpoint))
                let anonymous = try await server.admin(method, path, body, token: nil)
                #expect(anonymous.status == 401, "\(method) \(path)")
                #expect(anonymous.headers["www-authenticate"] == "Bearer")
                #expect(anonymous.headers["cache-control"] == "no-store")
                for role in AdminRole.allCases {
                    let answer = try await server.admin(method, path, body, token: tokens[role])
                    let isForbidden = answer.json["type"] == .string("urn:keyway:problem:forbidden")
                    #expect(isForbidden == !role.allows(endpoint.permission), "\(method) \(path) as \(role)")
                    #expect((answer.status == 403) == isForbidden, "\(method) \(path) as \(role)")
                    #expect(answer.status != 401 && answer.status < 500, "\(method) \(path) as \(role)")
                    #expect(answer.headers["cache-control"] == "no-store", "\(method) \(path) as \(role)")
                }
            }
            #expect(try await server.changes().isEmpty)
        }
    }

    @Test("Reading requires the permission to read and changes nothing; tokens and settings require the administrator")
    func permissions() {
        // These change nothing, except a session, which belongs to its user.
        let questions = ["/admin/policy-trials", "/admin/inspections", "/admin/session"]
        let administered = ["/admin/tokens", "/admin/sign-ins", "/admin/configuration"]
        for endpoint in Self.endpoints {
            if administered.contains(where: { endpoint.path.hasPrefix($0) }) {
                #expect(endpoint.permission == .administer)
            } else {
                let isReading = endpoint.method == .get || questions.contains(endpoint.path)
                #expect(isReading == (endpoint.permission == .read), "\(endpoint.path)")
            }
        }
    }

    @Test("The table in docs/admin-api.md matches the code")
    func documented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let text = try String(contentsOf: root.appending(path: "docs/admin-api.md"), encoding: .utf8)
        var documented: Set<String> = []
        for line in text.split(separator: "\n") where line.hasPrefix("| `") && line.contains("/admin/") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let roles = cells.last ?? ""
            documented.insert("\(cells[0].replacing("`", with: "")): \(roles)")
        }
        let real = Self.endpoints.map { endpoint in
            let roles = AdminRole.allCases.filter { $0.allows(endpoint.permission) }.map(\.rawValue)
            return "\(endpoint.method.rawValue) \(endpoint.path): \(roles.joined(separator: ", "))"
        }
        #expect(documented.subtracting(real).sorted() == [])
        #expect(Set(real).subtracting(documented).sorted() == [])
    }

    @Test("A token of the store stops working when it is deleted, and the day of its use is recorded")
    func stored() async throws {
        try await LicenseServer.run { server in
            let token = try await server.token(.viewer)
            #expect(try await server.admin("GET", "/policies", token: token).status == 200)
            let record = try await server.store.adminTokens().first
            #expect(record?.lastUsedDay == server.clock.now / 86_400)
            let shown = try await server.pages("/tokens", limit: 9).joined().first
            #expect(shown?["lastUsed"] == .integer(Int(server.clock.now / 86_400 * 86_400)))
            // A refusal is logged with the permission that is missing.
            #expect(try await server.admin("GET", "/tokens", token: token).status == 403)
            for field in [#""token": a-viewer"#, #""role": viewer"#, #""needs": administer"#] {
                #expect(server.log.text.contains(field), "\(server.log.text)")
            }
            #expect(try await server.admin("DELETE", "/tokens/a-viewer").status == 204)
            #expect(try await server.admin("GET", "/policies", token: token).status == 401)
        }
    }
}
