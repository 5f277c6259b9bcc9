import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// Each setting below `limits.rates`, over a real port: it limits its subject, and no others.
@Suite("Rate limits over HTTP", .timeLimit(.minutes(10)))
struct OperationsRateLimitRoutesTests {
    private static let tight = RateLimit(perMinute: 1, burst: 3)

    private func rates(_ change: (inout RateLimits) -> Void) -> RateLimits {
        var limits = RateLimits()
        change(&limits)
        return limits
    }

    /// Returns the reasons of refusals for a number of licenses, each of another device; nil for successes.
    private func reasons(
        _ server: LicenseServer,
        _ asked: [(account: String, address: String)],
        output: DeviceProfile.Output? = nil
    ) async throws -> [String?] {
        var reasons: [String?] = []
        for (account, address) in asked {
            let spc = try server.request(server.device(), output: output).spc
            let answer = try await server.license(spc, token: account, from: address)
            reasons.append(try reason(answer))
        }
        return reasons
    }

    /// Returns the same for challenges.
    private func challenges(
        _ server: LicenseServer,
        _ asked: [(account: String, address: String)]
    ) async throws -> [String?] {
        var reasons: [String?] = []
        for (account, address) in asked {
            let answer = try await server.send("POST", "/fps/challenge", token: account, from: address)
            reasons.append(try reason(answer))
        }
        return reasons
    }

    private func reason(_ answer: ReceivedResponse) throws -> String? {
        if answer.status == 200 { return nil }
        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] == "60")
        guard case .string(let reason)? = answer.json["reason"] else { throw LicenseServerError() }
        return reason
    }

    private static let home = "192.0.2.1"
    private static let sameAccount = (0..<5).map { (account: "a", address: "192.0.2.\($0)") }
    private static let sameAddress = (0..<5).map { (account: "a\($0)", address: home) }
    private static let elsewhere = [(account: "z", address: "198.51.100.1")]

    @Test("limits.rates.license", arguments: [true, false])
    func licenses(ofAccount: Bool) async throws {
        let rates = rates { limits in
            if ofAccount { limits.license.account = Self.tight } else { limits.license.address = Self.tight }
        }
        try await LicenseServer.run(rates: rates) { server in
            let asked = ofAccount ? Self.sameAccount : Self.sameAddress
            let word = ofAccount ? "account" : "address"
            #expect(try await reasons(server, asked) == [nil, nil, nil, word, word])
            #expect(try await reasons(server, Self.elsewhere) == [nil])
            // Requests for AirPlay are counted separately.
            try await server.setPolicy(#"{"airplay":"allow"}"#)
            #expect(try await reasons(server, asked, output: .airPlay) == [nil, nil, nil, nil, nil])
        }
    }

    @Test("limits.rates.segment", arguments: [true, false], [DeviceProfile.Output.airPlay, .digitalAVAdapter])
    func segments(ofAccount: Bool, output: DeviceProfile.Output) async throws {
        let rates = rates { limits in
            if ofAccount { limits.segment.account = Self.tight } else { limits.segment.address = Self.tight }
        }
        try await LicenseServer.run(rates: rates) { server in
            try await server.setPolicy(#"{"airplay":"allow","adapter":"allow"}"#)
            let asked = ofAccount ? Self.sameAccount : Self.sameAddress
            let word = ofAccount ? "account" : "address"
            #expect(try await reasons(server, asked, output: output) == [nil, nil, nil, word, word])
            #expect(try await reasons(server, Self.elsewhere, output: output) == [nil])
            #expect(try await reasons(server, asked) == [nil, nil, nil, nil, nil])
        }
    }

    @Test("limits.rates.other", arguments: [true, false])
    func others(ofAccount: Bool) async throws {
        let rates = rates { limits in
            if ofAccount { limits.other.account = Self.tight } else { limits.other.address = Self.tight }
        }
        try await LicenseServer.run(rates: rates) { server in
            let asked = ofAccount ? Self.sameAccount : Self.sameAddress
            let word = ofAccount ? "account" : "address"
            let (own, others) = (
                try await challenges(server, asked), try await challenges(server, Self.elsewhere)
            )
            #expect(own == [nil, nil, nil, word, word])
            #expect(others == [nil])
            // For an account, other requests are counted separately; for an address, all are counted.
            #expect(try await reasons(server, [asked[0]]) == [ofAccount ? nil : "address"])
        }
    }

    @Test("A batch counts as its items: all of them for its address, before any SPC is decrypted")
    func batches() async throws {
        let rates = rates { limits in
            limits.license.account = RateLimit(perMinute: 1, burst: 4)
            limits.other.address = RateLimit(perMinute: 1, burst: 10)
        }
        try await LicenseServer.run(rates: rates) { server in
            let spcs = try (0..<6).map { _ in try server.request(server.device()).spc }
            let first = try await server.batch(spcs, from: Self.home)
            #expect(first.items.map { $0["status"] } == [0, 0, 0, 0, 429, 429].map { .integer($0) })
            let second = try await server.batch(spcs, from: Self.home)
            #expect(second.answer.status == 429)
            #expect(second.answer.json["reason"] == .string("address"))
            // A refused batch has cost only its one request.
            let third = try await server.batch(Array(spcs.prefix(3)), from: Self.home)
            #expect(third.items.count == 3)
        }
    }

    @Test("Invalid SPCs are charged: decryption is limited, independent of their contents")
    func junk() async throws {
        for ofAccount in [true, false] {
            let rates = rates { limits in
                if ofAccount {
                    limits.license.account = RateLimit(perMinute: 1, burst: 2)
                    limits.segment.account = RateLimit(perMinute: 1, burst: 3)
                } else {
                    limits.license.address = RateLimit(perMinute: 1, burst: 2)
                    limits.segment.address = RateLimit(perMinute: 1, burst: 3)
                }
            }
            try await LicenseServer.run(rates: rates) { server in
                var junk = try server.request(server.device()).spc
                junk[100] ^= 1
                var statuses: [Int] = []
                for number in 0..<8 {
                    let (token, address) = ofAccount ? ("a", "192.0.2.\(number)") : ("a\(number)", Self.home)
                    statuses.append(try await server.license(junk, token: token, from: address).status)
                }
                #expect(statuses == [400, 400, 400, 400, 400, 429, 429, 429])
                // Other accounts from other addresses are not affected.
                let (token, address) = ofAccount ? ("b", "192.0.2.99") : ("b", "198.51.100.1")
                for _ in 0..<5 { _ = try await server.license(junk, token: token, from: address) }
                #expect(try await server.license(junk, token: token, from: address).status == 429)
                let text = try await server.exposition()
                #expect(text.contains(#"keyway_license_stage_seconds_count{stage="open"} 10"#))
            }
        }
    }

    @Test("A decrypted SPC beyond the limit stays charged")
    func opened() async throws {
        let rates = rates { limits in
            limits.license.account = RateLimit(perMinute: 1, burst: 1)
            limits.segment.account = RateLimit(perMinute: 1, burst: 2)
        }
        try await LicenseServer.run(rates: rates) { server in
            let spc = try server.request(server.device()).spc
            var statuses: [Int] = []
            for _ in 0..<6 { statuses.append(try await server.license(spc).status) }
            #expect(statuses == [200, 429, 429, 429, 429, 429])
            let text = try await server.exposition()
            #expect(text.contains(#"keyway_license_stage_seconds_count{stage="open"} 3"#))
        }
    }

    @Test("Without authorization the device is the account, and is charged after decryption")
    func anonymous() async throws {
        let rates = rates { $0.license.account = Self.tight }
        try await LicenseServer.run(authorizer: OpenAuthorizer(), rates: rates) { server in
            let (device, other) = (server.device(), server.device())
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await server.license(try server.request(device).spc).status) }
            #expect(statuses == [200, 200, 200, 429])
            #expect(try await server.license(try server.request(other).spc).status == 200)
        }
    }
}
