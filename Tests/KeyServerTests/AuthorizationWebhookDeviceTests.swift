import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// The webhook is called after the SPC has been decrypted, with what it contains.
@Suite("Authorization: the webhook and the device", .timeLimit(.minutes(10)))
struct AuthorizationWebhookDeviceTests {
    private static let expires = LicenseServer.time + 3_600
    private static let yes = #"{"allow":true,"account":"viewer-1","expires":\#(expires)}"#
    private static let no = #"{"allow":false,"reason":"device not allowed"}"#

    /// Runs a server with a webhook.
    private func run(
        _ answer: String,
        rates: RateLimits? = nil,
        nanoseconds: (@Sendable () -> Int64)? = nil,
        _ test: @Sendable (LicenseServer, MockService) async throws -> Void
    ) async throws {
        try await MockService.run(MockService.text(answer)) { service in
            try await LicenseServer.run(
                authorizer: try WebhookAuthorizer(service),
                rates: rates,
                nanoseconds: nanoseconds
            ) { server in
                try await test(server, service)
            }
        }
    }

    private static func request(_ service: MockService) throws -> JSONValue {
        try JSONValue(parsing: try #require(service.last).body)
    }

    @Test("The service gets the device's reports and the asset ID in the SPC, but nothing that identifies the device")
    func device() async throws {
        try await run(Self.yes) { server, service in
            let device = server.device()
            let answer = try await server.license(try server.request(device).spc, token: "token")
            #expect(answer.status == 200, "\(answer.text)")
            let request = try Self.request(service)
            #expect(request["token"] == .string("token"))
            #expect(request["assetId"] == .string("movie"))
            #expect(
                request["device"]
                    == .fields([
                        ("class", .string("appleMobile")), ("osVersion", .string("18.4.1")),
                        ("securityLevel", .string("main")), ("enforcesHDCP", .bool(true)),
                        ("supportsOfflineKeys", .bool(true)), ("virtualMachine", .bool(false)),
                        ("output", .string("device")),
                    ])
            )
            // Neither another field nor the device's hash, which the audit log has.
            guard case .object(let fields) = request else { throw LicenseServerError() }
            #expect(fields.keys.sorted() == ["assetId", "device", "remoteAddress", "requestId", "token"])
            let record = try #require(try await server.store.auditEntries(before: nil, limit: 1).first?.record)
            #expect(record.account == "viewer-1")
            let hash = Hexadecimal.encode(try #require(record.device).bytes)
            let text = String(decoding: try #require(service.last).body, as: UTF8.self)
            #expect(!text.lowercased().contains(hash))
        }
    }

    @Test(
        "Each device is described as it reports itself",
        arguments: [
            (DeviceProfile.mac, "appleDesktop", "15.4", false), (.appleTV, "appleLiving", "18.4", false),
            (.virtualMachine, "appleDesktop", "15.3", true),
        ]
    )
    func profiles(profile: DeviceProfile, deviceClass: String, version: String, isVirtual: Bool) async throws {
        try await run(Self.no) { server, service in
            _ = try await server.license(try server.request(server.device(profile)).spc, token: "token")
            let device = try #require(try Self.request(service)["device"])
            #expect(device["class"] == .string(deviceClass))
            #expect(device["osVersion"]?.text?.hasPrefix(version) == true, "\(device)")
            #expect(device["virtualMachine"] == .bool(isVirtual))
            #expect((device["kextDenyListVersion"] != nil) == (deviceClass == "appleDesktop"), "\(device)")
        }
    }

    @Test("A request whose SPC cannot be decrypted, or without a token, does not reach the service")
    func unreadable() async throws {
        try await run(Self.yes) { server, service in
            let spcs = [try server.request(server.device(), .wrongIntegrity).spc, [0, 0, 0, 1, 2, 3]]
            for spc in spcs { #expect(try await server.license(spc, token: "token").status == 400) }
            let missing = try await server.license(try server.request(server.device()).spc)
            #expect(missing.status == 401)
            #expect(missing.json["type"] == .string("urn:keyway:problem:token-missing"))
            let large = String(repeating: "a", count: 8_193)
            #expect(try await server.license(try server.request(server.device()).spc, token: large).status == 401)
            #expect(service.count == 0)
            // The other two were refused before their SPCs were decrypted.
            let opened = try await server.exposition().split(separator: "\n").first {
                $0.hasPrefix("keyway_license_stage_seconds_count") && $0.contains("\"open\"")
            }
            #expect(opened?.hasSuffix(" 2") == true, "\(opened ?? "")")
        }
    }

    @Test("An altered copy of an SPC that the service refused is recognized, even if the service permits it")
    func altered() async throws {
        try await run(Self.no) { server, service in
            let spc = try server.request(server.device()).spc
            let refused = try await server.license(spc, token: "token")
            #expect(refused.status == 403)
            #expect(refused.json["reason"] == .string("device not allowed"))
            service.answer(MockService.text(Self.yes))
            // One bit in every third block: where the blocks of the message are is random, and some changes only hit data.
            for change in SPCChange.all(of: spc) where change.kind == .flippedBit && change.place % 48 == 0 {
                let answer = try await server.license(change.bytes, token: "token")
                #expect(answer.status == 400, "\(change.kind) \(change.place): \(answer.text)")
            }
            #expect(try await server.auditOutcomes().contains("tampered"))
            // The same SPC may be sent again, with another token for example.
            #expect(try await server.license(spc, token: "token").status == 200)
        }
    }

    @Test("A batch has one request to the service for each kind of device, and is refused as a whole")
    func batch() async throws {
        try await run(Self.yes) { server, service in
            let phones = try (0..<5).map { _ in try server.request(server.device()).spc }
            let mac = try server.request(server.device(.mac)).spc
            let items = try await server.batch(phones + [mac, [1, 2, 3]], token: "token").items
            #expect(items.map { $0["status"] } == [0, 0, 0, 0, 0, 0, 400].map { .integer($0) })
            #expect(service.count == 2)
            #expect(try Self.request(service)["assetId"] == nil)
            service.answer(MockService.text(Self.no))
            let refused = try await server.batch([try server.request(server.device()).spc], token: "token").answer
            #expect(refused.status == 403)
            #expect(refused.json["reason"] == .string("device not allowed"))
            let missing = try await server.batch([try server.request(server.device()).spc]).answer
            #expect(missing.status == 401)
        }
    }

    @Test("The address is charged before the SPC is decrypted, and the account after the service has named it")
    func rates() async throws {
        var rates = RateLimits.unlimited
        rates.license.account = RateLimit(perMinute: 1, burst: 1)
        rates.license.address = RateLimit(perMinute: 1, burst: 3)
        rates.segment.address = RateLimit(perMinute: 1, burst: 1)
        try await run(Self.yes, rates: rates) { server, service in
            func license() async throws -> ReceivedResponse {
                try await server.license(try server.request(server.device()).spc, token: "t", from: "192.0.2.7")
            }
            #expect(try await license().status == 200)
            let account = try await license()
            #expect(account.status == 429 && account.json["reason"] == .string("account"))
            _ = try await license()
            _ = try await license()
            let asked = service.count
            let address = try await license()
            #expect(address.status == 429 && address.json["reason"] == .string("address"))
            #expect(service.count == asked)
        }
    }

    @Test("Refusals of invalid SPCs are in the audit log only within the limit, and that of an intact SPC once")
    func budget() async throws {
        try await run(Self.no, nanoseconds: { 0 }) { server, service in
            let limit = RefusalBudget.address.burst
            let invalid = try server.request(server.device(), .wrongIntegrity).spc
            for index in 0...limit {
                let answer = try await server.license(invalid, token: "token", from: "192.0.2.7")
                #expect(answer.status == (index < limit ? 400 : 429), "\(index)")
            }
            #expect(try await server.auditOutcomes().count == limit)
            #expect(service.count == 0)
            let intact = try (0..<2).map { _ in try server.request(server.device()).spc }
            for spc in intact {
                #expect(try await server.license(spc, token: "token", from: "192.0.2.7").status == 403)
            }
            #expect(try await server.auditOutcomes().suffix(2) == ["forbidden", "forbidden"])
            // A copy does not have another one, nor does an altered one, which is refused like an invalid SPC.
            #expect(try await server.license(intact[0], token: "token", from: "192.0.2.7").status == 429)
            for change in SPCChange.all(of: intact[0]) where change.kind == .flippedBit && change.place % 160 == 0 {
                let answer = try await server.license(change.bytes, token: "token", from: "192.0.2.7")
                #expect([400, 429].contains(answer.status), "\(answer.text)")
            }
            #expect(try await server.auditOutcomes().count == limit + 2)
        }
    }

    @Test("If the service does not respond, the response is 503, and the same SPC gets a license later")
    func unavailable() async throws {
        try await run("") { server, service in
            let spc = try server.request(server.device()).spc
            #expect(try await server.license(spc, token: "token").status == 503)
            service.answer(MockService.text(Self.yes))
            #expect(try await server.license(spc, token: "token").status == 200)
        }
    }
}
