import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("The history and the uses of policies", .timeLimit(.minutes(10)))
struct PolicyHistoryTests {
    @Test("Changes over HTTP are listed with the token and the document before, newest first")
    func history() async throws {
        try await LicenseServer.run { server in
            let token = try await server.token(.content)
            #expect(try await server.admin("PUT", "/policies/uhd", #"{"lease":"PT10M"}"#).status == 201)
            #expect(try await server.admin("PUT", "/policies/uhd", #"{"lease":"PT20M"}"#, token: token).status == 200)
            #expect(try await server.admin("DELETE", "/policies/uhd").status == 204)
            let history = try await server.admin("GET", "/policies/uhd/history")
            let items = try #require(history.json["items"]?.items)
            #expect(items.map { $0["change"] } == ["deleted", "replaced", "created"].map { .string($0) })
            #expect(items.map { $0["actor"]?.text } == ["admin-token", "a-content", "admin-token"])
            #expect(items.map { $0["before"]?["lease"]?.text } == ["PT20M", "PT10M", nil])
            #expect(items.last?["before"] == .null)
            let pages = try await server.pages("/policies/uhd/history", limit: 1, parameter: "before")
            #expect(pages.joined().map { $0["number"] } == [.integer(3), .integer(2), .integer(1)])
            #expect(try await server.admin("GET", "/policies/other/history").status == 404)
            #expect(try await server.admin("GET", "/policies/uhd/history?before=0").status == 400)
        }
    }

    @Test("The records that refer to a policy are counted and listed")
    func uses() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/policies/uhd", "{}").status == 201)
            for name in ["a", "b"] {
                #expect(try await server.admin("PUT", "/titles/\(name)", #"{"policy":"uhd"}"#).status == 201)
            }
            let track = #"{"kind":"hd","policy":"uhd"}"#
            #expect(try await server.admin("PUT", "/titles/a/tracks/hd", track).status == 201)
            let uses = try await server.admin("GET", "/policies/uhd/uses?limit=1")
            #expect(uses.json["titles"] == .fields([("total", .integer(2)), ("items", .array([.string("a")]))]))
            let name = JSONValue.fields([("title", .string("a")), ("name", .string("hd"))])
            #expect(uses.json["tracks"] == .fields([("total", .integer(1)), ("items", .array([name]))]))
            #expect(uses.json["content"] == .fields([("total", .integer(0)), ("items", .array([]))]))
            #expect(try await server.admin("GET", "/policies/other/uses").status == 404)
        }
    }
}
