import ContentKeySessionTesting
import HLSPlaylist
import Testing
import VirtualDevice

@testable import ContentKeySession
@testable import KeywayTesting
@testable import OfflineAssets

@Suite("The clock of a device that has seen a time far ahead", .timeLimit(.minutes(10)))
struct ClockCorrectionTests {
    private static let day: Int64 = 86_400
    private let server = TestKeyServer()
    private let folder: Folder
    private let clock: ManualDeviceClock

    init() throws {
        folder = try Folder()
        clock = ManualDeviceClock(now: server.clock.secondsSince1970)
        server.policy = .offline(storage: .seconds(30 * Self.day), playback: .seconds(2 * Self.day))
    }

    /// A transport that adds the server's time.
    private struct Dated: KeyTransport {
        let server: TestKeyServer
        let date: String?

        func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
            var response = try await server.send(request)
            if let date { response.headers.append(.init("Date", date)) }
            return response
        }
    }

    private func keys(_ device: FPSDevice, date: String? = nil, address: String? = nil) throws -> OfflineKeys {
        OfflineKeys(
            store: try folder.store(.of(7)),
            device: device,
            service: OfflineKeyService(
                keys: server.service(),
                challengeURL: (address ?? server.url) + "/fps/challenge"
            ),
            transport: Dated(server: server, date: date),
            clocks: .init { device.clock.now },
            content: { _ in throw ContentKeyError(.unsupportedOperation, .device) }
        )
    }

    private var device: FPSDevice {
        FPSDevice(profile: .iPhone, dask: .development(ask: TestIdentity.ask), clock: clock)
    }

    /// The time of the server, 1800000000.
    private static let date = "Fri, 15 Jan 2027 08:00:00 GMT"

    @Test("Its requests are refused with advice about the clock, until it accepts the server's time")
    func wayBack() async throws {
        let device = device
        let keys = try keys(device, date: Self.date)
        let tag = KeyTag(method: .sampleAES, uri: "skd://film", keyFormat: .fairPlay, keyFormatVersions: "1")
        try await keys.acquire([[DownloadKey(identifier: "skd://film", tag: tag)]], title: "film")
        clock.advance(by: 400 * Self.day)
        let stored = try #require(try keys.store.title("film")?.keys["skd://film"]?.bytes?.bytes)
        #expect(throws: FPSError.persistentKeyExpired) { try device.loadPersistentKey(stored) }
        clock.advance(by: -400 * Self.day)
        // What is displayed is what the device decides.
        var entry = try #require(try await keys.store.title("film")?.confirmed(by: device).keys["skd://film"]?.entry)
        #expect(entry.state(at: clock.now) == .storageExpired)
        #expect(entry.clockIsBehind(at: clock.now) == 400 * Self.day)
        #expect(entry.advice(at: clock.now).contains("keyway offline clock"))
        #expect(try await keys.correctClock() == 400 * Self.day)
        entry = try #require(try await keys.store.title("film")?.confirmed(by: device).keys["skd://film"]?.entry)
        #expect(entry.state(at: clock.now) == .stored)
        #expect(entry.clockIsBehind(at: clock.now) == nil)
        #expect(throws: Never.self) { try device.loadPersistentKey(stored) }
        #expect(try await keys.correctClock() == 0)
    }

    @Test("A refusal because of the time has advice about the clock")
    func advice() {
        for (reason, text) in [("spc-date-in-future", "keyway offline clock"), ("spc-too-old", "Set the clock")] {
            let problem = ServerProblem(type: LogSafeWord("refused-by-policy"), reason: LogSafeWord(reason))
            #expect(KeyFailure.status(403, problem: problem).advice.contains(text))
        }
        #expect(KeyFailure.status(403).advice == KeyFailure.Kind.forbidden.rule.advice)
    }

    @Test(
        "The time of a server is accepted only over TLS or from this computer",
        arguments: [
            ("https://keys.test", true), ("HTTPS://keys.test", true), ("http://127.0.0.1:8080", true),
            ("http://127.9.8.7", true), ("http://localhost:1", true), ("http://[::1]:8080", true),
            ("http://[::1]", true), ("http://keys.test", false), ("http://10.0.0.1", false),
            ("http://127.0.0.1.evil.test", false), ("http://localhost.evil.test", false),
            ("http://127.0.0.1@evil.test", false), ("http://localhost:x@evil.test", false),
            ("http://127.0.0.test", false), ("http://[::2]", false), ("http://[::1].test", false),
            ("ftp://localhost", false),
        ]
    )
    func authentication(_ address: String, isAuthenticated: Bool) async throws {
        #expect(SyncClient.isAuthenticated(address + "/fps/challenge") == isAuthenticated)
        guard !isAuthenticated else { return }
        let error = await #expect(throws: OfflineKeyError.self) {
            try await keys(device, date: Self.date, address: address).correctClock()
        }
        #expect(error?.code == "unauthenticated-time")
        #expect(server.requests.isEmpty)
    }

    @Test("Dates of HTTP: the form of RFC 9110, and nothing else")
    func dates() async throws {
        #expect(SyncClient.seconds(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(SyncClient.seconds(httpDate: Self.date) == server.clock.secondsSince1970)
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Abc 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 99999 08:49:37 GMT", "2027-01-15T08:00:00Z",
        ] { #expect(SyncClient.seconds(httpDate: text) == nil, "\(text)") }
        let error = await #expect(throws: OfflineKeyError.self) { try await keys(device).correctClock() }
        #expect(error?.code == "malformed-response")
    }
}
