import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Keys before and after their validity", .timeLimit(.minutes(10)))
struct KeyPeriodValidityTests {
    /// The response to a device for a key with a validity around the current time.
    private func reason(
        _ server: LicenseServer,
        policy: String,
        from: Int64? = nil,
        until: Int64? = nil
    ) async throws -> JSONValue? {
        try await server.store.putPolicy(
            ContentDefaults.policy(name: "live", json: Array(policy.utf8)),
            replacing: true
        )
        let now = server.clock.now
        let record = try ContentRecord(
            assetID: LicenseServer.asset,
            contentKey: server.contentKey,
            iv: [UInt8](repeating: 9, count: 16),
            policyName: "live",
            streamID: ContentDefaults.streamID(forAssetID: LicenseServer.asset),
            validFrom: from.map { now + $0 },
            validUntil: until.map { now + $0 },
            time: now
        )
        try await server.store.putContent(record, replacing: true)
        let answer = try await server.license(try server.request(server.device()).spc)
        return answer.status == 200 ? nil : answer.json["reason"]
    }

    @Test("The policy determines how long before its period a key is issued, to the second")
    func preload() async throws {
        let minute = #"{"preload":"PT1M"}"#
        try await LicenseServer.run { server in
            for (policy, from, isGiven) in [("{}", 1, false), ("{}", 0, true), (minute, 61, false), (minute, 60, true)]
            {
                let reason = try await reason(server, policy: policy, from: Int64(from))
                #expect(reason == (isGiven ? nil : .string("key-not-valid")), "\(policy) \(from)")
            }
        }
    }

    @Test("The policy determines how long after its period a key is issued, to the second")
    func catchUp() async throws {
        let minute = #"{"catchUp":"PT1M"}"#
        try await LicenseServer.run { server in
            for (policy, until, isGiven) in [
                ("{}", 0, false), ("{}", 1, true), (minute, -60, false), (minute, -59, true),
            ] {
                let reason = try await reason(server, policy: policy, until: Int64(until))
                #expect(reason == (isGiven ? nil : .string("key-not-valid")), "\(policy) \(until)")
            }
        }
    }
}
