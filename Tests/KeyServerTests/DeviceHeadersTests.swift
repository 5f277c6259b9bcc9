import Testing
import VirtualDevice

@testable import KeyServer

@Suite("Headers with what the device reported", .timeLimit(.minutes(10)))
struct DeviceHeadersTests {
    private static func headers(_ answer: ReceivedResponse) -> [String: String] {
        answer.headers.filter { $0.key.hasPrefix("keyway-device") }
    }

    @Test("A license has them where they are configured, in every format, and a refusal does not")
    func license() async throws {
        try await LicenseServer.run(configure: { $0.licenses.deviceHeaders = true }) { server in
            try await server.setPolicy("{}")
            let expected: [(DeviceProfile, [String: String])] = [
                (
                    .iPhone,
                    [
                        "keyway-device-class": "appleMobile", "keyway-device-os": "18.4.1",
                        "keyway-device-security-level": "main", "keyway-device-hdcp": "true",
                    ]
                ),
                (
                    .appleWatch,
                    [
                        "keyway-device-class": "appleWatch", "keyway-device-os": "11.4.0",
                        "keyway-device-security-level": "baseline", "keyway-device-hdcp": "false",
                    ]
                ),
            ]
            for (profile, headers) in expected {
                let answer = try await server.license(try server.request(server.device(profile)).spc)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(Self.headers(answer) == headers)
            }
            let refused = try await server.license(
                try server.request(server.device(), asset: Array("unknown".utf8)).spc
            )
            #expect(refused.status == 404 && Self.headers(refused).isEmpty)
        }
    }

    @Test("They are off by default")
    func off() async throws {
        try await LicenseServer.run { server in
            let answer = try await server.license(try server.request(server.device()).spc)
            #expect(answer.status == 200 && Self.headers(answer).isEmpty)
        }
    }

    @Test("Web pages may read them where they are configured", arguments: [true, false])
    func pages(isOn: Bool) async throws {
        let configure: @Sendable (inout ServerConfiguration) -> Void = { configuration in
            configuration.licenses.deviceHeaders = isOn
            configuration.crossOrigin = .all
        }
        try await LicenseServer.run(configure: configure) { server in
            let answer = try await ReceivedResponse.of(
                "POST",
                "http://127.0.0.1:\(server.running.port)/fps/license",
                ["Origin": "https://www.example.com", "Content-Type": "application/octet-stream"],
                try server.request(server.device()).spc
            )
            #expect(answer.status == 200)
            let exposed = answer.headers["access-control-expose-headers"] ?? ""
            #expect(exposed.contains("keyway-persistable"))
            #expect(exposed.contains("keyway-device-class") == isOn)
        }
    }
}
