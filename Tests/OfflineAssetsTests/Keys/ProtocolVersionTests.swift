import ContentKeySession
import HLSPlaylist
import KeywayTesting
import Testing

@testable import OfflineAssets

@Suite("The protocol versions of stored keys", .timeLimit(.minutes(10)))
struct ProtocolVersionTests {
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

    private func acquire(versions: String?) async throws {
        let tag = KeyTag(method: .sampleAES, uri: "skd://film", keyFormat: .fairPlay, keyFormatVersions: versions)
        try await keys.acquire([[DownloadKey(identifier: "skd://film", tag: tag)]], title: "film")
    }

    private var stored: [UInt32]? {
        get throws { try keys.store.title("film")?.keys["skd://film"]?.entry.protocolVersions }
    }

    @Test("A download has those of the playlist, and renewals, reports and proofs of deletion have the same")
    func downloaded() async throws {
        // The server refuses version 1, and a device uses version 2 only if the playlist declares it.
        server.protocolVersions = [2]
        try await acquire(versions: "1/2")
        #expect(try stored == [1, 2])
        #expect(try await keys.renew("film") == ["skd://film": .renewed])
        #expect(try stored == [1, 2])
        #expect(try await keys.report("film").count == 1)
        #expect(try await keys.invalidate(title: "film").count == 1)
        #expect(server.offlineKeyReports.map(\.provesDeletion) == [false, true])
    }

    @Test("A key without KEYFORMATVERSIONS has version 1")
    func absent() async throws {
        server.protocolVersions = [2]
        let error = await #expect(throws: DownloadKeysError.self) { try await acquire(versions: nil) }
        #expect(error?.code == "version-mismatch")
        #expect(try stored == nil)
        server.protocolVersions = [1]
        try await acquire(versions: nil)
        #expect(try stored == [1])
    }

    @Test("A download with another playlist has the versions of that playlist")
    func changedPlaylist() async throws {
        try await acquire(versions: "1")
        server.protocolVersions = [2]
        guard case .refused? = try await keys.renew("film")["skd://film"] else {
            Issue.record("the stored key has version 1")
            return
        }
        // The download is started again without its key.
        try keys.store.change("film") { $0.keys["skd://film"]?.bytes = nil }
        try await acquire(versions: "2")
        #expect(try stored == [2])
    }
}
