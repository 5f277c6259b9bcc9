import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// The evidence from SPCs, from the perspective of clients and operators.
@Suite("Changed SPCs over HTTP", .timeLimit(.minutes(10)))
struct TamperedRequestTests {
    /// Returns the SPC with one flipped bit in its payload.
    private func changed(_ spc: [UInt8], at place: Int) -> [UInt8] {
        var bytes = spc
        bytes[place] ^= 1
        return bytes
    }

    @Test("A tampered copy has the response of an SPC that cannot be decrypted, and is reported to the operator")
    func uniformAnswer() async throws {
        try await LicenseServer.run { server in
            let spc = try server.request(server.device()).spc
            #expect(try await server.license(spc).status == 200)
            // In the padding or a value: the SPC is decrypted with other contents.
            var copies: [ReceivedResponse] = []
            for place in stride(from: 320, to: spc.count, by: 16) {
                copies.append(try await server.license(changed(spc, at: place)))
            }
            // The RSA block itself is damaged.
            let unreadable = try await server.license(changed(spc, at: 30))
            #expect(unreadable.status == 400)
            for copy in copies {
                #expect(copy.status == unreadable.status)
                #expect(copy.json["type"] == unreadable.json["type"])
                #expect(copy.json["detail"] == unreadable.json["detail"])
                #expect(copy.json["reason"] == unreadable.json["reason"])
            }
            let outcomes = try await server.auditOutcomes()
            let tampered = outcomes.filter { $0 == "tampered" }.count
            #expect(tampered > copies.count / 2)
            let text = try await server.exposition()
            #expect(text.contains(#"keyway_licenses_total{outcome="refused",reason="tampered"} \#(tampered)"#))
            // The original SPC is a retry, and gets the same response.
            #expect(try await server.license(spc).status == 200)
        }
    }

    @Test("A tampered copy costs the account and the address more than a license")
    func cost() async throws {
        var limits = RateLimits()
        limits.license.account = RateLimit(perMinute: 1, burst: 40)
        limits.license.address = RateLimit(perMinute: 1, burst: 40)
        limits.segment = RateLimits.Pair(
            account: RateLimit(perMinute: 1, burst: 1),
            address: RateLimit(perMinute: 1, burst: 1)
        )
        try await LicenseServer.run(rates: limits) { server in
            let spc = try server.request(server.device()).spc
            #expect(try await server.license(spc, from: "192.0.2.1").status == 200)
            // The reserved bytes of the header: these copies are decrypted with the same contents. Each costs eleven of
            // forty.
            var statuses: [Int] = []
            for place in [4, 5, 6, 7, 4, 5, 6, 7] {
                statuses.append(try await server.license(changed(spc, at: place), from: "192.0.2.1").status)
            }
            #expect(statuses.first == 400)
            #expect(statuses.last == 429, "\(statuses)")
        }
    }

    @Test("A virtual machine is refused because of its own report, as long as the report applies")
    func binding() async throws {
        try await LicenseServer.run { server in
            let machine = server.device(.virtualMachine)
            let honest = try await server.license(server.request(machine).spc)
            #expect(honest.status == 403)
            #expect(honest.json["reason"] == .string("virtual-machine"))
            // The tag of the block is damaged, as by a change in transit.
            func hidden(_ device: FPSDevice) async throws -> ReceivedResponse {
                try await server.license(server.request(device, .omitting(.vmDeviceInformation)).spc, token: "other")
            }
            let later = try await hidden(machine)
            #expect(later.status == 403)
            #expect(later.json["reason"] == .string("virtual-machine"))
            // Only another device, without an earlier report, is left: see docs/threat-model.md.
            #expect(try await hidden(server.device(.virtualMachine)).status == 200)
            server.clock.now += 24 * 3_600
            #expect(try await hidden(machine).status == 200)
        }
    }

    @Test("A policy that requires the report prevents this")
    func requiredReport() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"virtualMachines": {"value": "deny", "requireReport": true}}"#)
            let hidden = try server.request(server.device(.virtualMachine), .omitting(.vmDeviceInformation)).spc
            let answer = try await server.license(hidden)
            #expect(answer.status == 403)
            #expect(answer.json["reason"] == .string("report-missing"))
            let audit = try await server.auditOutcomes()
            #expect(audit == ["report-missing"])
        }
    }

    @Test("A tampered copy in a batch is refused like one in a single request")
    func batch() async throws {
        try await LicenseServer.run { server in
            let spc = try server.request(server.device()).spc
            #expect(try await server.license(spc).status == 200)
            // The reserved bytes of the header: the copy is decrypted with the same contents.
            let (_, items) = try await server.batch([changed(spc, at: 4), spc])
            #expect(items.count == 2)
            #expect(items.first?["status"] != .string("OK"))
            // The items of a batch are processed concurrently.
            let audit = try await server.auditOutcomes()
            #expect(audit.sorted() == ["issued", "retried", "tampered"])
        }
    }
}
