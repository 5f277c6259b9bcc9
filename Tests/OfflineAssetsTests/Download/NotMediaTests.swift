import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Resources that are not media", .timeLimit(.minutes(10)))
struct NotMediaTests {
    private static let page = Array("<!DOCTYPE html><html><title>Sign in</title></html>".utf8)

    @Test(arguments: [
        (page, "the resource is an HTML page, not media"), ([], "the resource is empty"),
        ([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0], "the resource is gzip data, not media"),
        (Film.noise("encrypted", count: 3000), "the resource is data of an unknown format, not media"),
        (Array(Film.bytes("cut", count: 3000).dropLast()), "the resource is cut off: its last box is incomplete"),
        (
            [0x47] + [UInt8](repeating: 0, count: 187) + [0x47, 0],
            "the resource is cut off: its last packet is incomplete"
        ),
    ])
    func doesNotCompleteASegment(_ bytes: [UInt8], _ reason: String) async throws {
        let site = Film.single()
        let media = try #require(site.file("/s1.ts"))
        site.change("/s1.ts", to: bytes)
        let stage = try DownloadStage(site)
        let error = await stage.failure()
        #expect(error?.code == .notMedia)
        #expect(error?.description == "https://films.test/s1.ts: \(reason)")
        #expect(try AssetBundle.open(stage.path).description.state == .downloading)
        // After the server is corrected, the same download fetches the file again.
        site.change("/s1.ts", to: media)
        #expect(try await stage.run().description.state == .complete)
    }

    @Test func doesNotCompleteAnInitSegment() async throws {
        let site = Film.ranges()
        let playlist = "#EXT-X-MAP:URI=\"init.mp4\"\n"
        site.change("/film.m3u8", to: Film.playlist(["a.m4s"], before: playlist))
        site.change("/a.m4s", to: Film.bytes("a", count: 100))
        site.change("/init.mp4", to: [])
        var stage = try DownloadStage(site)
        stage.settings.allowsMissingSegments = true
        #expect(await stage.failure()?.description == "https://films.test/init.mp4: the resource is empty")
    }

    @Test func checksEachByteRange() async throws {
        let site = Film.ranges()
        var bytes = try #require(site.file("/all.mp4"))
        // The second segment has no box.
        for index in 2700..<2710 { bytes[index] = 0xAA }
        site.change("/all.mp4", to: bytes)
        #expect(await (try DownloadStage(site)).failure()?.code == .notMedia)
    }

    @Test func loadsMediaAgainThatEndWithTheirConnection() async throws {
        let site = Film.single(segments: 1)
        let whole = Film.packets("s0", count: 48)
        site.change("/s0.ts", to: whole)
        let stage = try DownloadStage(site)
        let transport = ShortenedTransport(site: SiteTransport(site: site))
        let download = AssetDownload(
            AssetDownload.Request(url: stage.url, folder: stage.path),
            settings: stage.settings,
            keys: StageKeys(site),
            transport: transport,
            clock: DownloadClock(chance: { 0 }, date: { 1 })
        )
        let bundle = try await download.run()
        #expect(Files.read("\(stage.path)/\(bundle.description.resources[0].file)") == whole)
        #expect(site.requests(of: "/s0.ts").count == 2)
    }

    @Test(arguments: [
        (page, "expected a playlist, found an HTML page"), ([], "expected a playlist, found an empty file"),
        ([0x1F, 0x8B, 0x08, 0], "expected a playlist, found gzip data"),
    ])
    func doesNotReadAPlaylist(_ bytes: [UInt8], _ reason: String) async throws {
        let site = Film.ladder()
        site.change("/hd/v.m3u8?token=secret", to: bytes)
        let stage = try DownloadStage(site, url: SiteTransport.address + "/main.m3u8")
        let error = await stage.failure()
        #expect(error?.code == .playlist)
        #expect(error?.description == "https://films.test/hd/v.m3u8: \(reason)")
    }

    @Test func acceptsCiphertextOnlyInWholeBlocks() async throws {
        let site = Film.single(segments: 2)
        let tag = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n"
        site.change("/film.m3u8", to: Film.playlist(["s0.ts", "s1.ts"], before: tag))
        site.change("/s0.ts", to: Film.noise("0", count: 160))
        site.change("/s1.ts", to: Film.noise("1", count: 161))
        let stage = try DownloadStage(site)
        #expect(await stage.failure()?.code == .notMedia)
        site.change("/s1.ts", to: Film.noise("1", count: 176))
        #expect(try await stage.run().description.state == .complete)
        site.change("/s1.ts", to: Self.page)
        let other = try DownloadStage(site)
        #expect(await other.failure()?.code == .notMedia)
    }

    @Test(arguments: ["0,", "-1,", " 2.0 ,", "", "x"])
    func downloadsSegmentsWithoutAUsableDuration(_ duration: String) async throws {
        let site = Film.single(segments: 3)
        let text = String(decoding: try #require(site.file("/film.m3u8")), as: UTF8.self)
        let tag = duration.isEmpty ? "" : "#EXTINF:\(duration)\n"
        site.change("/film.m3u8", to: Array(text.replacing("#EXTINF:2.0,\ns1", with: tag + "s1").utf8))
        var stage = try DownloadStage(site)
        stage.keys = nil
        let bundle = try await stage.run()
        #expect(bundle.description.state == .complete && bundle.description.resources.count == 3)
        let written = try bundle.mediaPlaylists()[0].media
        #expect(written.segments.map(\.duration) == [2, duration == " 2.0 ," ? 2 : 0, 2])
    }
}

/// A transport whose first response of a segment ends early, without a length, as if its connection was closed.
private struct ShortenedTransport: DownloadTransport {
    let site: SiteTransport

    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
        let isFirst = site.site.requests(of: "/s0.ts").isEmpty
        var response = try await site.open(request)
        guard isFirst, request.url.hasSuffix(".ts") else { return response }
        response.length = nil
        let body = response.body
        let isOver = OneTime()
        response.body = { () async throws(MediaLoadError) in isOver.take() ? try await body() : nil }
        return response
    }
}
