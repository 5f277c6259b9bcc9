import ContentKeySession
import HLSPlaylist
import KeywayTesting
import Testing

@testable import OfflineAssets

@Suite("The return of keys of deleted titles", .timeLimit(.minutes(10)))
struct PendingReturnTests {
    private let server = TestKeyServer()
    private let folder: Folder
    private let keys: OfflineKeys

    init() throws {
        folder = try Folder()
        let clock = server.clock
        server.policy = .offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400))
        keys = OfflineKeys(
            store: try folder.store(.of(7)),
            device: server.makeDevice(),
            service: OfflineKeyService(keys: server.service(), challengeURL: server.url + "/fps/challenge"),
            transport: server,
            clocks: .init { clock.secondsSince1970 },
            content: { _ in throw ContentKeyError(.unsupportedOperation, .device) }
        )
    }

    private func acquire(_ title: String) async throws {
        let tag = KeyTag(method: .sampleAES, uri: "skd://" + title, keyFormat: .fairPlay, keyFormatVersions: "1")
        try await keys.acquire([[DownloadKey(identifier: "skd://" + title, tag: tag)]], title: title)
    }

    private func delete(_ title: String) async throws -> Int {
        let count = try await keys.deferReturn(of: title)
        try keys.store.remove(title)
        return count
    }

    @Test("They are returned at the next contact with the server, once")
    func nextContact() async throws {
        try await acquire("one")
        try await acquire("two")
        #expect(try await delete("one") == 1)
        #expect(keys.store.pendingReturnCount == 1)
        #expect(try keys.store.titles().titles.map(\.title) == ["two"])
        #expect(server.offlineKeyReports.isEmpty)
        _ = try await keys.renew("two")
        #expect(server.offlineKeyReports.map(\.assetID) == ["one"])
        #expect(server.offlineKeyReports.map(\.provesDeletion) == [true])
        #expect(keys.store.pendingReturnCount == 0)
        let again = try await keys.sendPendingReturns()
        #expect(again.completed == 0 && again.remaining == 0 && again.responses.isEmpty)
    }

    @Test("Without a connection they are kept, and the other exchange goes on")
    func noConnection() async throws {
        try await acquire("one")
        #expect(try await delete("one") == 1)
        server.injectAlways(.noConnection)
        let failed = try await keys.sendPendingReturns()
        #expect(failed.error?.code == "no-connection" && failed.remaining == 1 && failed.completed == 0)
        server.removeFaults()
        // The title is still on the device.
        #expect(keys.store.pendingReturnCount == 1)
        let sent = try await keys.sendPendingReturns()
        #expect(sent.completed == 1 && sent.responses.count == 1)
    }

    @Test("A title that was downloaded again keeps its new key")
    func downloadedAgain() async throws {
        try await acquire("one")
        let old = try #require(try keys.store.title("one"))
        try await acquire("two")
        #expect(try await delete("one") == 1)
        // The contact to get the new key returns the old one first.
        try await acquire("one")
        #expect(server.offlineKeyReports.count == 1)
        // If that had failed, the old key would not be returned now, because it has the stream ID of the new one.
        try keys.store.deferReturn(of: old)
        _ = try await keys.sendPendingReturns()
        #expect(server.offlineKeyReports.count == 1)
        #expect(keys.store.pendingReturnCount == 0)
    }

    @Test("They are returned only to the server that issued them")
    func otherServer() async throws {
        try await acquire("one")
        #expect(try keys.store.title("one")?.server == "https://keys.test")
        try keys.store.change("one") { $0.server = "https://other.test" }
        #expect(try await delete("one") == 1)
        let result = try await keys.sendPendingReturns()
        #expect(result.remaining == 1 && result.completed == 0)
        #expect(server.offlineKeyReports.isEmpty)
    }

    @Test("A key without two expiry periods has nothing to return")
    func limited() async throws {
        server.policy = .offline(validity: .seconds(30 * 86_400))
        try await acquire("one")
        #expect(try await delete("one") == 0)
        #expect(keys.store.pendingReturnCount == 0)
    }
}
