import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Tokens and the audit log over HTTP", .timeLimit(.minutes(10)))
struct AdministrationTokensTests {
    @Test("A token is shown once, works with its role, and is in no list, log or audit record")
    func tokens() async throws {
        try await LicenseServer.run { server in
            let made = try await server.admin("POST", "/tokens", #"{"name": "ci", "role": "content"}"#)
            #expect(made.status == 201)
            guard case .string(let token)? = made.json["token"] else { throw Fault() }
            #expect(token.utf8.count >= 40)
            #expect(try await server.admin("PUT", "/policies/p", "{}", token: token).status == 201)
            #expect(try await server.admin("GET", "/tokens", token: token).status == 403)

            let conflict = try await server.admin("POST", "/tokens", #"{"name": "ci", "role": "viewer"}"#)
            #expect(conflict.status == 409)
            let reserved = try await server.admin("POST", "/tokens", #"{"name": "admin-token", "role": "viewer"}"#)
            #expect(reserved.status == 409)
            for body in [
                "{}", #"{"name": "a"}"#, #"{"name": "a b", "role": "viewer"}"#, #"{"name": "a", "role": "x"}"#,
            ] {
                #expect(try await server.admin("POST", "/tokens", body).status == 400, "\(body)")
            }
            let listed = try await server.admin("GET", "/tokens")
            #expect(try await server.pages("/tokens", limit: 1).joined().map { $0["name"] } == [.string("ci")])
            let audit = try await server.admin("GET", "/audit")
            for text in [listed.text, audit.text, server.log.text] {
                #expect(!text.contains(token))
                #expect(!text.contains(LicenseServer.token))
            }
            #expect(
                try await server.changes() == [
                    "admin-token-create by admin-token: token ci created, role content",
                    "admin-policy-put by ci: policy p created",
                ]
            )
        }
    }

    @Test("An entry of the audit log has the fields of its record")
    func auditFields() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.license(server.request(server.device()).spc, token: "alice").status == 200)
            let entry = try #require(try await server.store.auditEntries(before: nil, limit: 1).first)
            let shown = try #require(try await server.pages("/audit", limit: 1, parameter: "before").joined().first)
            let record = entry.record
            let transaction = try #require(record.transactionID)
            let (session, device) = (try #require(record.sessionID), try #require(record.device))
            #expect(shown["number"] == .integer(Int(entry.number)))
            #expect(shown["hash"] == .string(Hexadecimal.encode(entry.hash)))
            #expect(shown["transactionId"] == .string(Hexadecimal.encode(transaction)))
            #expect(shown["sessionId"] == .string(Hexadecimal.encode(session)))
            #expect(shown["device"] == .string(Hexadecimal.encode(device.bytes)))
            #expect(shown["account"] == .string("alice"))
            #expect(shown["bundle"] == .string("app"))
            #expect(shown["outcome"] == .string("issued"))
            #expect(shown["route"] == .string("/fps/license"))
            #expect(shown["assetIdHex"] == .string("6d6f766965"))
            #expect(shown["microseconds"] == .integer(Int(record.microseconds)))
            #expect(shown["milliseconds"] == .integer(Int(record.milliseconds)))
        }
    }

    @Test("The audit log is listed in pages, newest first, and verified")
    func audit() async throws {
        try await LicenseServer.run { server in
            for number in 0..<5 { #expect(try await server.admin("PUT", "/policies/p\(number)", "{}").status == 201) }
            let pages = try await server.pages("/audit", limit: 2, parameter: "before")
            #expect(pages.map(\.count) == [2, 2, 1])
            let details = pages.joined().map { $0["policy"] }
            #expect(details == (0..<5).reversed().map { .string("p\($0)") })

            let whole = try await server.admin("GET", "/audit/verify")
            #expect(whole.json["intact"] == .bool(true))
            #expect(whole.json["entries"] == .integer(5))
            guard case .array(let heads)? = whole.json["heads"], case .string(let head)? = heads.first else {
                throw Fault()
            }
            #expect(try await server.admin("GET", "/audit/verify?head=\(head)").json["intact"] == .bool(true))
            let forged = head.dropLast(2) + (head.hasSuffix("00") ? "11" : "00")
            let broken = try await server.admin("GET", "/audit/verify?head=\(forged)")
            #expect(broken.status == 200)
            #expect(broken.json["intact"] == .bool(false))
        }
    }
}
