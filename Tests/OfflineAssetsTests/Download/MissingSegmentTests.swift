import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Missing segments", .timeLimit(.minutes(10)))
struct MissingSegmentTests {
    @Test func endTheDownloadUnlessTheyAreAllowed() async throws {
        let site = Film.single()
        site.spoil("/s1.ts", .status(404))
        let stage = try DownloadStage(site)
        #expect(await stage.failure()?.load?.code == .notFound)
    }

    @Test func becomeGapsInThePlaylist() async throws {
        let site = Film.single()
        site.spoil("/s1.ts", .status(404))
        site.change("/s3.ts", to: Array("<html>".utf8))
        var stage = try DownloadStage(site)
        stage.settings.allowsMissingSegments = true
        let bundle = try await stage.run()
        #expect(bundle.description.state == .complete)
        #expect(
            bundle.description.missing == [
                "https://films.test/s1.ts: the resource does not exist (status 404)",
                "https://films.test/s3.ts: the resource is an HTML page, not media",
            ]
        )
        #expect(bundle.description.resources.map(\.url) == ["https://films.test/s0.ts", "https://films.test/s2.ts"])
        let playlist = try bundle.mediaPlaylists()[0].media
        #expect(playlist.segments.map(\.isGap) == [false, true, false, true])
        #expect(
            playlist.segments.map(\.uri) == ["media/variant-1/000001.ts", "gap", "media/variant-1/000003.ts", "gap"]
        )
        #expect(playlist.version == 8)
        try bundle.verify()
        #expect(try AssetBundle.open(stage.path) == bundle)
        // The same download has nothing left to fetch, also with a new signature.
        site.forgetRequests()
        stage.url += "?signature=2"
        #expect(try await stage.run().description.missing == bundle.description.missing)
        #expect(site.requests.isEmpty)
    }

    @Test func areMissingOnlyAfterNewURLsWereRejectedToo() async throws {
        let site = Film.single()
        site.spoil("/s1.ts", .status(403), .status(403), .status(403))
        var stage = try DownloadStage(site)
        stage.settings.allowsMissingSegments = true
        let bundle = try await stage.run()
        #expect(bundle.description.missing.count == 1)
        #expect(stage.log.reloads.count == 1)
    }

    @Test func areNotAllOfThePresentation() async throws {
        let site = Film.single(segments: 2)
        site.spoil("/s0.ts", .status(404))
        site.spoil("/s1.ts", .status(404))
        var stage = try DownloadStage(site)
        stage.settings.allowsMissingSegments = true
        #expect(await stage.failure()?.load?.code == .notFound)
    }

    @Test func areNotThoseOfAServerThatDoesNotRespond() async throws {
        let site = Film.single()
        for _ in 0..<6 { site.spoil("/s1.ts", .breaksOff(after: 0)) }
        var stage = try DownloadStage(site)
        stage.settings.allowsMissingSegments = true
        #expect(await stage.failure()?.load?.code == .noConnection)
    }

    @Test func downloadsAPlaylistWithoutAnEndIfThatIsAssumed() async throws {
        let site = Film.single()
        site.change("/film.m3u8", to: Film.playlist(["s0.ts", "s1.ts"], end: ""))
        let stage = try DownloadStage(site)
        #expect(await stage.failure()?.code == .live)
        var request = AssetDownload.Request(url: stage.url, folder: stage.path)
        request.assumesEnd = true
        let download = AssetDownload(
            request,
            settings: stage.settings,
            keys: StageKeys(site),
            transport: SiteTransport(site: site)
        )
        let bundle = try await stage.run(download)
        #expect(bundle.description.state == .complete)
        #expect(try bundle.mediaPlaylists()[0].media.isEnded)
    }
}
