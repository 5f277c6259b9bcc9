import ContentKeySession
import HLSPlaylist
import KeywayTesting
import Testing

@testable import OfflineAssets

@Suite("The requests for the keys of a download", .timeLimit(.minutes(10)))
struct KeyRoundTripTests {
    private let server = TestKeyServer()
    private let folder: Folder
    private let identifiers = (1...7).map { "skd://film-\($0)" }

    init() throws {
        folder = try Folder()
        // The server refuses version 1, and a device uses version 2 only if the playlist declares it.
        server.protocolVersions = [2]
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
    }

    private func keys(batches: Bool = true) throws -> OfflineKeys {
        let clock = server.clock
        var service = server.service()
        if !batches { service.batchURL = nil }
        return OfflineKeys(
            store: try folder.store(.of(7)),
            device: server.makeDevice(),
            service: OfflineKeyService(keys: service, challengeURL: server.url + "/fps/challenge"),
            transport: server,
            clocks: .init { clock.secondsSince1970 },
            content: { _ in throw ContentKeyError(.unsupportedOperation, .device) }
        )
    }

    /// The keys of a playlist.
    private var groups: [[DownloadKey]] {
        identifiers.map { identifier in
            let tag = KeyTag(method: .sampleAES, uri: identifier, keyFormat: .fairPlay, keyFormatVersions: "1/2")
            return [DownloadKey(identifier: identifier, tag: tag)]
        }
    }

    @Test("All keys are requested in one round trip, persistable, with the protocol versions of their tags")
    func oneRoundTrip() async throws {
        let keys = try keys()
        try await keys.acquire(groups, title: "film")
        #expect(server.licenseRoundTrips == 1)
        let batch = try #require(server.requests.first { $0.route == .batch })
        #expect(batch.keys.count == 7 && batch.keys.allSatisfy(\.isPersistable))
        let stored = try keys.store.title("film")?.keys ?? [:]
        #expect(Set(stored.keys) == Set(identifiers))
        #expect(stored.values.allSatisfy { $0.entry.protocolVersions == [1, 2] })
        // Keys that are stored are not requested again.
        try await keys.acquire(groups, title: "film")
        #expect(server.licenseRoundTrips == 1)
    }

    @Test("All keys of a title are renewed in one round trip")
    func renewal() async throws {
        let keys = try keys()
        try await keys.acquire(groups, title: "film")
        let renewals = try await keys.renew("film")
        #expect(renewals.count == 7 && renewals.values.allSatisfy { $0 == .renewed })
        #expect(server.licenseRoundTrips == 2)
    }

    @Test("Without a batch route, each key has its own round trip")
    func separate() async throws {
        try await keys(batches: false).acquire(groups, title: "film")
        #expect(server.licenseRoundTrips == 7)
        #expect(server.requestCount(on: .batch) == 0)
    }
}
