import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Leases, devices, persistent keys and rentals over HTTP", .timeLimit(.minutes(10)))
struct AdministrationGrantsTests {
    @Test("Leases are listed for one account or all, in pages, and ended")
    func leases() async throws {
        try await LicenseServer.run { server in
            let device = try await server.grant(account: "bob/ü", hu: 1)
            _ = try await server.grant(account: "bob/ü", hu: 2)
            _ = try await server.grant(account: "alice", hu: 3)
            let all = try await server.pages("/leases", limit: 1)
            #expect(all.map(\.count) == [1, 1, 1])
            #expect(all.joined().map { $0["account"] } == [.string("alice"), .string("bob/ü"), .string("bob/ü")])
            let own = try await server.pages("/leases?account=bob%2F%C3%BC", limit: 1)
            #expect(own.count == 2)

            let client = "device:" + Hexadecimal.encode(device.bytes)
            let path = "/leases/bob%2F%C3%BC/\(client)"
            #expect(try await server.admin("DELETE", path, token: try await server.token(.viewer)).status == 403)
            #expect(try await server.admin("DELETE", path, token: try await server.token(.support)).status == 204)
            let ended = try await server.pages("/leases?account=bob%2F%C3%BC", limit: 9).joined()
                .filter { $0["client"] == .string(client) }
            #expect(ended.map { $0["ended"] != nil } == [true])
            #expect(try await server.admin("DELETE", "/leases/carol/\(client)").status == 404)
            #expect(try await server.admin("DELETE", "/leases/bob/device:00").status == 400)
            #expect(try await server.admin("DELETE", "/leases/bob/session:00000000000000zz").status == 400)
            let change = "admin-lease-end by a-support: lease of account bob/ü at \(client) ended"
            #expect(try await server.changes() == [change])
        }
    }

    @Test("An account's devices, persistent keys and rentals are listed, and deleted only once")
    func account() async throws {
        try await LicenseServer.run { server in
            let device = Hexadecimal.encode(try await server.grant(account: "bob", hu: 1).bytes)
            _ = try await server.grant(account: "bob", hu: 1, stream: 2)
            let stream = String(repeating: "01", count: 16)
            let support = try await server.token(.support)

            #expect(try await server.pages("/accounts/bob/devices", limit: 1).map(\.count) == [1])
            #expect(try await server.pages("/accounts/bob/licenses", limit: 1).map(\.count) == [1, 1])
            #expect(try await server.pages("/accounts/bob/rentals", limit: 1).map(\.count) == [1, 1])
            #expect(try await server.pages("/accounts/alice/rentals", limit: 1).map(\.count) == [0])

            for path in ["/devices/\(device)", "/licenses/\(device)/\(stream)", "/rentals/asset:film%2F1"] {
                let path = "/accounts/bob" + path
                #expect(try await server.admin("DELETE", path, token: support).status == 204, "\(path)")
                #expect(try await server.admin("DELETE", path, token: support).status == 404, "\(path)")
            }
            for subject in ["film%2F1", "title:", "asset:" + String(repeating: "a", count: 201), "title:%FF"] {
                let path = "/accounts/bob/rentals/" + subject
                #expect(try await server.admin("DELETE", path, token: support).status == 400, "\(path)")
            }
            let licenses = try await server.pages("/accounts/bob/licenses", limit: 9).joined().map { $0["end"] }
            #expect(licenses == [.string("revoked"), nil])
            let rentals = try await server.pages("/accounts/bob/rentals", limit: 9).joined()
            #expect(rentals.map { $0["subject"] } == [.string("asset:film/2")])
            #expect(try await server.pages("/accounts/bob/devices", limit: 9).joined().isEmpty)
            #expect(
                try await server.changes() == [
                    "admin-device-delete by a-support: device \(device) of account bob deleted",
                    "admin-license-revoke by a-support: license \(stream) of account bob on \(device) revoked",
                    "admin-rental-delete by a-support: rental of asset:film/1 by account bob deleted",
                ]
            )
        }
    }

    @Test("Persistent keys of all accounts are listed in pages, optionally only playable ones")
    func licenses() async throws {
        try await LicenseServer.run { server in
            _ = try await server.grant(account: "bob/ü", hu: 1)
            let device = Hexadecimal.encode(try await server.grant(account: "alice", hu: 3).bytes)
            _ = try await server.grant(account: "alice", hu: 3, stream: 2, ago: 10_000)
            let viewer = try await server.token(.viewer)
            #expect(try await server.admin("GET", "/licenses", token: viewer).status == 200)
            for limit in [1, 2, 500] {
                let all = try await server.pages("/licenses", limit: limit).joined()
                #expect(all.map { $0["account"] } == [.string("alice"), .string("alice"), .string("bob/ü")])
                #expect(all.map { $0["streamId"] }.first == .string(String(repeating: "01", count: 16)))
                #expect(all.map { $0["device"] }.first == .string(device))
                let playable = try await server.pages("/licenses?playable=true", limit: limit).joined()
                #expect(playable.map { $0["account"] } == [.string("alice"), .string("bob/ü")])
            }
            #expect(try await server.pages("/licenses?playable=false", limit: 9).joined().count == 3)
        }
    }

    @Test("The subject of a rental is parsed in its own format")
    func subjects() {
        for subject in [RentalSubject.title("film"), .asset(Array("film".utf8)), .asset([0, 255])] {
            #expect(AdminJSON.rentalSubject(AdminJSON.bytes(subject)) == subject)
        }
    }

    @Test("A rental without an end has no end in JSON")
    func endlessRental() async throws {
        try await LicenseServer.run { server in
            var proposal = GrantProposal(
                account: "bob",
                now: 1,
                client: .device(server.store.deviceHash(hu: [1])),
                sessionID: 7,
                assetID: LicenseServer.asset,
                answer: IssuedLicense(ckc: [1], isPersistable: false, hasDualExpiry: false),
                audit: AuditRecord(milliseconds: 1, route: "/fps/license", outcome: "issued", microseconds: 1)
            )
            proposal.rental = RentalClaim(
                subject: .title("film"),
                duration: .max,
                start: 1,
                isTokensStart: false,
                bindsDevice: true
            )
            #expect(try await server.store.grant(proposal) == .granted)
            let rental = try #require(try await server.pages("/accounts/bob/rentals", limit: 9).joined().first)
            #expect(rental["subject"] == .string("title:film"))
            #expect(rental["subjectHex"] == .string(Hexadecimal.encode(Array("title:film".utf8))))
            #expect(rental["start"] == .integer(1))
            #expect(rental["end"] == nil)
        }
    }

    @Test("Places are parsed in their own format")
    func clients() throws {
        let device = try #require(DeviceHash(stored: Array(0..<16)))
        for client in [PlaybackClient.device(device), .session(0), .session(.max)] {
            #expect(AdminJSON.client(AdminJSON.text(client)) == client)
        }
        for text in ["", "device", "device:", "device:00", "session:1", "session:zz00000000000000", "planet:00"] {
            #expect(AdminJSON.client(text) == nil)
        }
    }
}
