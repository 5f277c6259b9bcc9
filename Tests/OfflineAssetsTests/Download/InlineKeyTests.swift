import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing
import TextCoding

@testable import OfflineAssets

@Suite("Keys in playlists", .timeLimit(.minutes(10)))
struct InlineKeyTests {
    private static let key = (0..<16).map { UInt8($0) }
    private static let base64 = "AAECAwQFBgcICQoLDA0ODw=="
    private static let uri = "data:text/plain;base64,\(base64)"

    @Test(arguments: [
        uri, "DATA:;base64,\(base64)", "data:;base64,AAECAwQFBgcICQoLDA0ODw%3D%3D",
        "data:application/octet-stream,%00%01%02%03%04%05%06%07%08%09%0A%0B%0C%0D%0E%0F",
    ])
    func areDecoded(_ uri: String) {
        #expect(InlineKey.key(in: uri)?.bytes == Self.key)
    }

    @Test(arguments: ["data:", "data:,", "data:;base64,AAEC", "data:,%0", "https://keys.test/1", "skd://1"])
    func areRejected(_ uri: String) {
        #expect(InlineKey.key(in: uri) == nil)
    }

    /// A site whose playlist contains a key.
    private func site() -> FilmSite {
        let site = Film.single(segments: 1)
        let tag = "#EXT-X-KEY:METHOD=AES-128,URI=\"\(Self.uri)\"\n"
        site.change("/film.m3u8", to: Film.playlist(["s0.ts"], before: tag))
        return site
    }

    @Test func areStoredAndNotWrittenToTheBundle() async throws {
        let site = site()
        var stage = try DownloadStage(site)
        let keys = StageKeys(site)
        stage.keys = keys
        let bundle = try await stage.run()
        let asked = try #require(keys.asked.first?.first)
        #expect(asked.inlineKey?.bytes == Self.key)
        #expect(asked.identifier == InlineKey.name(of: Self.uri))
        #expect(bundle.description.keys == [asked.identifier])
        #expect(!"\(keys.asked)".contains(Self.base64))
        for file in ["main.m3u8", "bundle.json", "journal"] {
            let text = String(decoding: try #require(Files.read("\(stage.path)/\(file)")), as: UTF8.self)
            #expect(!text.contains(Self.base64) && !text.contains("data:"))
        }
        let tag = try #require(try bundle.mediaPlaylists()[0].media.segments[0].keys.first)
        #expect(tag.uri == asked.identifier)
    }

    @Test func areLoadedAgainIfTheyWereNotStored() async throws {
        let site = site()
        var stage = try DownloadStage(site)
        let keys = StageKeys(site)
        stage.keys = keys
        keys.refuse(DownloadKeysError(code: "storage", place: "keys", reason: "the key storage cannot be opened"))
        #expect(await stage.failure()?.code == .keys)
        // Another process does not know the key.
        keys.refuse { $0.contains { $0.inlineKey == nil } }
        #expect(try await stage.run().description.state == .complete)
        #expect(keys.asked.last?.first?.inlineKey?.bytes == Self.key)
    }
}
