import Foundation
import HLSPlaylist
import StreamPlayer
import Synchronization
import Testing

@testable import OfflineAssets

@Suite("Recordings of live streams", .timeLimit(.minutes(10)))
struct RecordingTests {
    /// A transport for a live stream: each load of its playlist returns the next window.
    private final class LiveTransport: DownloadTransport {
        private let site: FilmSite
        private let windows: Mutex<[[UInt8]]>

        init(_ site: FilmSite, _ windows: [String]) {
            self.site = site
            self.windows = Mutex(windows.map { Array($0.utf8) })
        }

        func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
            if request.url.contains("live.m3u8") {
                let window = windows.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
                if let window { site.change("/live.m3u8", to: window) }
            }
            return try await SiteTransport(site: site).open(request)
        }
    }

    private func window(_ numbers: Range<Int>, name: String = "s", before: [Int: String] = [:], end: String = "")
        -> String
    {
        let lines = numbers.map { "\(before[$0] ?? "")#EXTINF:2.0,\n\(name)\($0).ts\n" }.joined()
        return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n" + lines + end
    }

    private func site(_ count: Int, names: [String] = ["s"]) -> FilmSite {
        var files: [String: [UInt8]] = [:]
        for name in names {
            for number in 0..<count { files["/\(name)\(number).ts"] = Film.segment("\(name)\(number)", count: 400) }
        }
        return FilmSite(files)
    }

    private func record(
        _ stage: DownloadStage,
        _ seconds: Int,
        _ transport: some DownloadTransport,
        keys: StageKeys? = nil
    ) async throws(DownloadError) -> AssetBundle {
        var request = AssetDownload.Request(url: SiteTransport.address + "/live.m3u8", folder: stage.path)
        request.recordingDuration = .seconds(seconds)
        let download = AssetDownload(
            request,
            settings: stage.settings,
            keys: keys,
            transport: transport,
            clock: stage.clock
        )
        return try await stage.run(download)
    }

    @Test func followTheWindow() async throws {
        let site = site(20)
        let stage = try DownloadStage(site)
        let windows = [window(0..<4), window(0..<4), window(1..<5), window(3..<8), window(6..<12)]
        let bundle = try await record(stage, 12, LiveTransport(site, windows))
        #expect(bundle.description.state == .complete && bundle.description.missing.isEmpty)
        #expect(bundle.description.resources.map(\.url) == (1..<7).map { "https://films.test/s\($0).ts" })
        #expect(bundle.description.summary.duration == 12)
        let playlist = try bundle.mediaPlaylists()[0].media
        #expect(playlist.isEnded && playlist.segments.count == 6 && playlist.mediaSequence == 1)
        try bundle.verify()
        // The complete recording is not recorded again.
        site.forgetRequests()
        #expect(try await record(stage, 12, LiveTransport(site, [])).description.state == .complete)
        #expect(site.requests.isEmpty)
    }

    @Test func endWithTheStream() async throws {
        let site = site(6)
        let stage = try DownloadStage(site)
        let windows = [window(0..<4), window(1..<6, end: "#EXT-X-ENDLIST\n")]
        let bundle = try await record(stage, 3600, LiveTransport(site, windows))
        #expect(bundle.description.missing.isEmpty && bundle.description.resources.count == 5)
    }

    @Test func reportWhatIsMissing() async throws {
        let site = site(30)
        for _ in 0..<6 { site.spoil("/s3.ts", .status(404)) }
        let stage = try DownloadStage(site)
        let windows = [window(0..<4), window(8..<12), window(9..<14), window(9..<14)]
        let bundle = try await record(stage, 3600, LiveTransport(site, windows))
        #expect(bundle.description.state == .complete)
        #expect(
            bundle.description.missing == [
                "variant-1: 4 segments before segment 8: no longer in the playlist",
                "variant-1: the last 3582 seconds: no new segment within 60 seconds",
                "https://films.test/s3.ts: the resource does not exist (status 404)",
            ]
        )
        let playlist = try bundle.mediaPlaylists()[0].media
        #expect(playlist.segments.map(\.isGap) == [false, false, true] + Array(repeating: false, count: 6))
    }

    @Test func continueAfterARestartOfTheEncoder() async throws {
        let site = site(20, names: ["s", "new"])
        let stage = try DownloadStage(site)
        let windows = [window(5..<9), window(6..<8, name: "new"), window(6..<12, name: "new")]
        let bundle = try await record(stage, 12, LiveTransport(site, windows))
        #expect(
            bundle.description.resources.map { $0.url.split(separator: "/").last } == [
                "s6.ts", "s7.ts", "s8.ts", "new6.ts", "new7.ts", "new8.ts",
            ]
        )
        #expect(bundle.description.missing.count == 1)
    }

    @Test func acquireTheKeysOfEachPeriod() async throws {
        let site = site(20)
        let keys = StageKeys(site)
        let stage = try DownloadStage(site)
        let key = { (number: Int) in
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(number)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        }
        let windows = [
            window(0..<3, before: [0: key(1)]), window(0..<4, before: [0: key(1), 3: key(2)]),
            window(3..<6, before: [3: key(2), 5: key(3)]),
        ]
        let bundle = try await record(stage, 12, LiveTransport(site, windows), keys: keys)
        #expect(bundle.description.keys == ["skd://1", "skd://2", "skd://3"])
        #expect(Set(keys.asked.joined().map(\.identifier)) == ["skd://1", "skd://2", "skd://3"])
        #expect(keys.verificationCount == 1)
    }

    @Test func resumeAfterTheyWereCancelled() async throws {
        let site = site(20)
        let stage = try DownloadStage(site)
        site.spoil("/s2.ts", .hangs(after: 100))
        var request = AssetDownload.Request(url: SiteTransport.address + "/live.m3u8", folder: stage.path)
        request.recordingDuration = .seconds(12)
        let download = AssetDownload(
            request,
            settings: stage.settings,
            keys: nil,
            transport: LiveTransport(site, [window(0..<3)]),
            clock: DownloadClock(chance: { 0 }, date: { 1_000_000 })
        )
        let cancelled = Task { try await stage.run(download) }
        try await site.silence()
        await download.cancel()
        await #expect(throws: DownloadError.self) { try await cancelled.value }
        #expect(try AssetBundle.open(stage.path).description.resources.count == 3)
        site.forgetRequests()
        let bundle = try await record(stage, 12, LiveTransport(site, [window(2..<5), window(4..<9)]))
        #expect(bundle.description.missing.isEmpty && bundle.description.state == .complete)
        #expect(bundle.description.resources.map(\.url) == (0..<6).map { "https://films.test/s\($0).ts" })
        #expect(site.requests(of: "/s0.ts").count + site.requests(of: "/s1.ts").count <= 1)
    }

    @Test func endWithWhatThereIsIfTheStreamIsGoneAfterACrash() async throws {
        let site = site(20)
        let stage = try DownloadStage(site)
        site.spoil("/s2.ts", .hangs(after: 100))
        var request = AssetDownload.Request(url: SiteTransport.address + "/live.m3u8", folder: stage.path)
        request.recordingDuration = .seconds(12)
        let download = AssetDownload(
            request,
            settings: stage.settings,
            keys: nil,
            transport: LiveTransport(site, [window(0..<3)]),
            clock: DownloadClock(chance: { 0 }, date: { 1_000_000 })
        )
        let cancelled = Task { try await stage.run(download) }
        try await site.silence()
        await download.cancel()
        await #expect(throws: DownloadError.self) { try await cancelled.value }
        // The playlist was written, and the process ended before it wrote the description.
        let playlist = stage.path + "/main.m3u8"
        let line = "#EXTINF:2,\nmedia/variant-1/000004.ts\n"
        try Data((Files.text(playlist) + line).utf8).write(to: URL(fileURLWithPath: playlist))
        let bundle = try await record(
            stage,
            12,
            SiteTransport(site: FilmSite(["/s2.ts": Film.segment("s2", count: 400)]))
        )
        #expect(bundle.description.state == .complete && bundle.description.resources.count >= 1)
        #expect(bundle.description.missing.contains("variant-1: the last 6 seconds: the playlist no longer exists"))
        #expect(try bundle.mediaPlaylists()[0].media.segments.count == 3)
    }

    @Test func continueIfTheKeyServerFailsForATime() async throws {
        let site = site(20)
        let keys = StageKeys(site)
        let stage = try DownloadStage(site)
        let key = { (number: Int) in
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(number)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        }
        let isFirst = OneTime()
        keys.refuse { $0.contains { $0.identifier == "skd://2" } && isFirst.take() }
        let windows = [window(0..<3, before: [0: key(1)]), window(0..<6, before: [0: key(1), 3: key(2)])]
        let bundle = try await record(stage, 12, LiveTransport(site, windows), keys: keys)
        #expect(bundle.description.state == .complete)
        #expect(keys.asked.joined().count { $0.identifier == "skd://2" } == 2)
    }

    @Test func areNotMixedWithOtherDownloads() async throws {
        let site = Film.single()
        let stage = try DownloadStage(site)
        try await stage.run()
        site.change("/live.m3u8", to: Array(window(0..<3).utf8))
        await #expect(throws: DownloadError.self) { try await record(stage, 12, SiteTransport(site: site)) }
    }
}
