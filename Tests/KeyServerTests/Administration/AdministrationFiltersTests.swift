import FPSCrypto
import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Filters of the audit log and of lists", .timeLimit(.minutes(10)))
struct AdministrationFiltersTests {
    private func record(_ account: String, at seconds: Int64, outcome: String = "issued") -> AuditRecord {
        var record = AuditRecord(
            milliseconds: seconds * 1_000,
            route: "/fps/license",
            outcome: outcome,
            microseconds: 1
        )
        record.account = account
        record.assetID = Array("film/1".utf8)
        return record
    }

    @Test("An account whose name is part of another's gets exactly its entries")
    func account() async throws {
        try await LicenseServer.run { server in
            for number in 0..<132 {
                try await server.store.append(record(number % 4 == 0 && number < 128 ? "anna" : "anna-2", at: 1))
            }
            let answer = try await server.admin("GET", "/audit?account=anna&limit=50")
            #expect(answer.json["items"]?.items?.count == 32)
            #expect(answer.json["next"] == .null)
            let pages = try await server.pages("/audit?account=anna", limit: 5, parameter: "before")
            #expect(pages.map(\.count) == [5, 5, 5, 5, 5, 5, 2])
            #expect(pages.joined().allSatisfy { $0["account"] == .string("anna") })
        }
    }

    @Test(
        "Filters are combined, with text or hexadecimal asset IDs and both formats of times",
        arguments: [
            ("account=anna&outcome=issued", 2), ("account=anna&reason=streams-exceeded", 1), ("asset=film%2F1", 4),
            ("asset=0x66696c6d2f31", 4), ("asset=film%2F", 0), ("from=1000&until=2000", 1),
            ("from=1970-01-01T00:16:40Z&until=1970-01-01T00:33:20%2B00:00", 1), ("from=1000.5", -1),
            ("until=1970-01-01T00:16:40", -1), ("device=00", -1), ("account=", -1), ("reason=issued", 0),
            ("route=%2Ffps%2Flicense&search=ANNA", 3), ("account=anna&search=streams", 1), ("policy=a%00", -1),
            ("title=film", 0), ("title=series", 4), ("address=192.0.2.1", 0), ("request=none", 0),
        ]
    )
    func combinations(query: String, count: Int) async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/titles/series", "{}").status == 201)
            #expect(try await server.admin("PUT", "/titles/series/tracks/hd", #"{"kind": "hd"}"#).status == 201)
            let period = try ContentRecord(
                assetID: Array("film/1".utf8),
                keyID: [UInt8](repeating: 9, count: 16),
                contentKey: SecretBytes(copying: [UInt8](repeating: 1, count: 16)),
                iv: [UInt8](repeating: 2, count: 16),
                titleName: "series",
                trackName: "hd",
                time: 1
            )
            try await server.store.putContent(period, replacing: false)
            try await server.store.append(record("anna", at: 500))
            try await server.store.append(record("anna", at: 1_000, outcome: "streams-exceeded"))
            try await server.store.append(record("anna", at: 2_000))
            try await server.store.append(record("bert", at: 3_000))
            let answer = try await server.admin("GET", "/audit?\(query)")
            #expect(answer.status == (count < 0 ? 400 : 200))
            if count >= 0 { #expect(answer.json["items"]?.items?.count == count) }
        }
    }

    @Test("A refusal has its reason, and a response the number of compared entries and the oldest time")
    func progress() async throws {
        try await LicenseServer.run { server in
            for number in 0..<5 {
                try await server.store.append(record("anna", at: Int64(number), outcome: "replayed"))
            }
            let first = try await server.admin("GET", "/audit?limit=2")
            #expect(first.json["searched"] == .integer(2))
            #expect(first.json["oldest"] == .integer(3_000))
            #expect(first.json["items"]?.items?.first?["reason"] == .string("replayed"))
            let searched = try await server.admin("GET", "/audit?search=missing")
            #expect(searched.json["searched"] == .integer(5))
            #expect(searched.json["oldest"] == .integer(0))
            #expect(searched.json["next"] == .null)
        }
    }

    @Test("A search that takes too long ends after a step, and continues from there")
    func bounded() async throws {
        try await LicenseServer.run { server in
            for number in 0..<2_500 {
                try await server.store.append(record(number == 0 ? "anna" : "bert", at: Int64(number)))
            }
            let search = try #require(AuditSearch(Array("ANNA".utf8)))
            var (before, found, steps): (Int64?, [AuditEntry], Int) = (nil, [], 0)
            repeat {
                let page = try await search.page(of: server.store, matching: AuditFilter(), before: before, limit: 10) {
                    true
                }
                #expect(page.searched <= 1_000)
                found += page.entries
                before = page.next
                steps += 1
            } while before != nil
            #expect(steps == 3)
            #expect(found.map(\.record.account) == ["anna"])
        }
    }

    @Test("Lists have totals, and are sorted and selected by their parameters")
    func lists() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/policies/uhd", "{}").status == 201)
            for (name, time) in [("film-b", 2), ("film-a", 3), ("show", 1)] as [(String, Int64)] {
                let policy = name == "show" ? "uhd" : nil
                try await server.store.putTitle(
                    try TitleRecord(name: name, policyName: policy, time: time),
                    replacing: false
                )
            }
            func names(_ query: String) async throws -> [JSONValue?] {
                try await server.pages("/titles?\(query)", limit: 2).joined().map { $0["name"] }
            }
            #expect(try await names("sort=updated") == [.string("show"), .string("film-b"), .string("film-a")])
            #expect(try await names("sort=name&order=desc") == [.string("show"), .string("film-b"), .string("film-a")])
            #expect(try await names("prefix=film") == [.string("film-a"), .string("film-b")])
            #expect(try await names("search=LM-B") == [.string("film-b")])
            #expect(try await names("policy=uhd") == [.string("show")])
            let page = try await server.admin("GET", "/titles?limit=1&prefix=film")
            #expect(page.json["total"] == .integer(2))
            let cursor = try #require(page.json["next"]?.text)
            // The cursor of one order is not one of another.
            #expect(try await server.admin("GET", "/titles?sort=updated&after=\(cursor)").status == 400)
            #expect(try await server.admin("GET", "/content?after=\(cursor)").status == 400)
            for query in ["sort=size", "order=up", "prefix=", "search=", "sort=name&sort=name", "policy="] {
                #expect(try await server.admin("GET", "/titles?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test("Leases, persistent keys, devices and rentals of all accounts are listed and selected")
    func accounts() async throws {
        try await LicenseServer.run { server in
            let device = Hexadecimal.encode(try await server.grant(account: "anna", hu: 1).bytes)
            _ = try await server.grant(account: "bert", hu: 2, stream: 2)
            for (path, count) in [
                ("/leases?", 2), ("/leases?device=\(device)", 1), ("/leases?asset=movie", 2), ("/leases?asset=x", 0),
                ("/licenses?account=bert", 1), ("/licenses?device=\(device)&playable=true", 1), ("/devices?", 2),
                ("/devices?class=appleMobile", 2), ("/devices?class=appletv", 0), ("/devices?device=\(device)", 1),
                ("/devices?account=anna", 1), ("/rentals?", 2), ("/rentals?asset=film%2F2", 1),
                ("/rentals?title=film2", 0), ("/rentals?account=anna", 1),
            ] {
                let answer = try await server.admin("GET", path)
                #expect(answer.json["total"] == .integer(count), "\(path)")
                #expect(answer.json["items"]?.items?.count == count, "\(path)")
                #expect(try await server.pages(path, limit: 1).joined().count == count, "\(path)")
            }
        }
    }

    @Test("A search returns the names that begin with a text")
    func names() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.admin("PUT", "/titles/mo-title", "{}").status == 201)
            try await server.store.append(record("mo", at: 1))
            let found = try await server.admin("GET", "/search?q=mo&limit=1")
            #expect(found.status == 200)
            #expect(found.json["accounts"] == .array([.string("mo")]))
            #expect(found.json["titles"] == .array([.string("mo-title")]))
            let asset = JSONValue.fields([("assetId", .string("movie")), ("assetIdHex", .string("6d6f766965"))])
            #expect(found.json["assets"] == .array([asset]))
            #expect(found.json["devices"] == .array([]))
            for query in ["", "?q=", "?q=a&limit=0", "?q=a&limit=51", "?q=a&x=1", "?q=%00"] {
                #expect(try await server.admin("GET", "/search\(query)").status == 400, "\(query)")
            }
        }
    }
}
