import Foundation
import KeyStore
import Testing
import VirtualDevice

@testable import KeyServer

/// The requests in `ClientRequests`, each over a real port to a complete server, and the CKC as the client takes it.
@Suite("Requests of published clients", .timeLimit(.minutes(10)))
struct LicenseClientFixtureTests {
    @Test("There are files for all players, and each names its source")
    func files() {
        let names = ClientRequestFixture.all.map(\.name)
        let clients = [
            "shaka-player", "hls.js", "dash.js", "videojs-contrib-eme", "webkit-test", "react-native-video-6", "axinom",
            "drmtoday-app", "doverunner-videojs", "better-player-ezdrm", "buydrm",
        ]
        #expect(clients.allSatisfy(names.contains), "\(names)")
        for fixture in ClientRequestFixture.all { #expect(fixture.isComplete, "\(fixture.name)") }
    }

    @Test("get a key that opens", arguments: ClientRequestFixture.all)
    func license(fixture: ClientRequestFixture) async throws {
        try await LicenseServer.run(rules: fixture.rules, configure: { $0.crossOrigin = .all }) { server in
            let device = server.device()
            let request = try server.request(device, asset: fixture.asset)
            let other = try server.request(device)
            let message = fixture.message(spc: request.spc, other: other.spc)
            let response = try await Self.send(message, to: server)
            let text = String(decoding: response.body, as: UTF8.self)
            try #require(response.status == 200, "\(text)")
            let key = try device.process(ckc: try fixture.ckc(in: response.body), for: request)
            try key.startPlaying()
            #expect(try key.contentKey().key == server.contentKey)
            let accounts = try await server.store.auditEntries(before: nil, limit: 9).map(\.record.account)
            #expect(Set(accounts) == [fixture.account])
            if let origin = fixture.origin { try await Self.requirePermission(fixture, origin, server) }
        }
    }

    /// Checks that a browser lets the page send the headers and read the response.
    private static func requirePermission(
        _ fixture: ClientRequestFixture,
        _ origin: String,
        _ server: LicenseServer
    ) async throws {
        let answer = try await ReceivedResponse.of(
            "OPTIONS",
            "http://127.0.0.1:\(server.running.port)/fps/license",
            ["Origin": origin, "Access-Control-Request-Method": "POST"],
            nil
        )
        #expect(answer.status == 204)
        #expect(answer.headers["access-control-allow-origin"] == "*")
        let allowed = answer.headers["access-control-allow-headers"]?.split(separator: ", ").map(String.init) ?? []
        for name in fixture.pageHeaders { #expect(allowed.contains(name), "\(name)") }
    }

    private static func send(_ message: [UInt8], to server: LicenseServer) async throws -> (status: Int, body: [UInt8])
    {
        let received = try await SocketClient.run(port: server.running.port) { client in
            client.send(message)
            return client.readBytesToEnd()
        }
        let bytes = try #require(received)
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        #expect(head.lowercased().contains("content-length: \(bytes.count - end.upperBound)"))
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (try #require(status), Array(bytes[end.upperBound...]))
    }
}
