import FPSCrypto
import Foundation
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Paginated lists", .timeLimit(.minutes(10)))
struct AdministrationListsTests {
    @Test("Every item is listed once, in order, for every page size", arguments: [1, 2, 7, 500])
    func pages(limit: Int) async throws {
        try await LicenseServer.run { server in
            for number in 0..<7 {
                let name = "p\(number)"
                #expect(try await server.admin("PUT", "/policies/\(name)", "{}").status == 201)
                #expect(try await server.admin("PUT", "/titles/\(name)", "{}").status == 201)
                #expect(try await server.admin("PUT", "/titles/p0/tracks/\(name)", #"{"kind": "sd"}"#).status == 201)
            }
            let names = (0..<7).map { JSONValue.string("p\($0)") }
            for list in ["/policies", "/titles", "/titles/p0/tracks"] {
                let pages = try await server.pages(list, limit: limit)
                #expect(pages.joined().map { $0["name"] } == names, "\(list)")
                #expect(pages.count == (7 + limit - 1) / limit, "\(list)")
            }
        }
    }

    @Test("Content whose ID is not UTF-8 is listed in hexadecimal")
    func bytes() async throws {
        try await LicenseServer.run { server in
            try await server.store.putContent(try server.record(asset: [0xff, 0x00, 0x2f]), replacing: false)
            let items = try await server.pages("/content", limit: 1).joined().map { $0 }
            #expect(items.map { $0["assetIdHex"] } == [.string("6d6f766965"), .string("ff002f")])
            #expect(items.map { $0["assetId"] } == [.string("movie"), nil])
            #expect(try await server.admin("GET", "/content/%FF%00%2F").status == 200)
        }
    }

    @Test(
        "A query with unknown fields is refused",
        arguments: [
            "/policies?limit=0", "/policies?limit=501", "/policies?limit=x", "/policies?after=%2A", "/policies?after=",
            "/policies?limit=1&limit=2", "/policies?acount=a", "/leases?after=AAAA", "/leases?account=",
            "/leases?asset=",
            "/licenses?asset=", "/rentals?title=", "/rentals?title=a%2Fb",
            "/audit?until=\(String(repeating: "0", count: 65))",
            "/leases?account=%FF", "/audit?before=0", "/audit?before=x", "/audit?after=AAAA", "/audit/verify?head=1",
            "/policies/a?x=1", "/licenses?playable=1", "/licenses?after=AAAA", "/accounts/%FF/devices",
            "/titles?after=_w",
        ]
    )
    func mistakes(path: String) async throws {
        try await LicenseServer.run { server in
            let answer = try await server.admin("GET", path)
            #expect(answer.status == 400)
            #expect(answer.json["type"] == .string("urn:keyway:problem:malformed-request"))
        }
    }

    @Test("Certificates are shown without their secrets")
    func certificates() async throws {
        try await LicenseServer.run { server in
            let ask = server.ask
            let record = try CertificateBundleRecord(
                name: "app",
                kind: .development,
                certificate: server.certificate.der,
                privateKey: .pkcs8(ask),
                dask: .development(ask: ask),
                scope: .assetIDPrefixes([Array("movie".utf8)])
            )
            try await server.store.putCertificateBundle(record, replacing: false)
            let shown = try await server.admin("GET", "/certificates/app")
            #expect(shown.status == 200)
            #expect(shown.json["sha1"] == .string(Hexadecimal.encode(server.certificate.sha1)))
            #expect(shown.json["sha256"] == .string(Hexadecimal.encode(SHA256.hash(server.certificate.der))))
            #expect(shown.json["kind"] == .string("development"))
            #expect(shown.json["privateKey"] == .string("stored"))
            #expect(shown.json["dask"] == .string("development"))
            #expect(shown.json["subject"] == .string(server.certificate.subject))
            #expect(shown.json["notBefore"] == .integer(Int(server.certificate.notBefore)))
            #expect(shown.json["notAfter"] == .integer(Int(server.certificate.notAfter)))
            #expect(shown.json["keyBits"] == .integer(2048))
            #expect(shown.json["requests"] == .integer(0))
            #expect(shown.json["lastRequest"] == nil)
            _ = try await server.license(server.request(server.device()).spc)
            let used = try await server.admin("GET", "/certificates").json["items"]?.items?.first
            #expect(used?["requests"] == .integer(1))
            #expect(used?["lastRequest"] == .integer(Int(LicenseServer.time)))
            let prefix = JSONValue.fields([("assetId", .string("movie")), ("assetIdHex", .string("6d6f766965"))])
            #expect(shown.json["assetPrefixes"] == .array([prefix]))
            #expect(!shown.text.contains(Hexadecimal.encode(ask.reveal())))
            #expect(try await server.pages("/certificates", limit: 1).map(\.count) == [1])
            #expect(try await server.admin("GET", "/certificates/other").status == 404)
            #expect(try await server.admin("PUT", "/certificates/app", "{}").status == 405)
        }
    }
}
