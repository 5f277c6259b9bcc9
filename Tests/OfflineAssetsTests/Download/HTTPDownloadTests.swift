import ContentKeySession
import HTTPTransport
import StreamPlayer
import Testing

@testable import OfflineAssets

/// Downloads from a web server on a real port.
@Suite("Download by HTTP", .timeLimit(.minutes(10)))
struct HTTPDownloadTests {
    private func run(
        _ site: FilmSite,
        _ folder: TemporaryFolder,
        path: String = "/film.m3u8",
        _ change: (inout DownloadSettings) -> Void = { _ in }
    ) async throws -> (bundle: AssetBundle, log: EventLog) {
        let server = try ScriptedServer(site)
        var settings = DownloadSettings()
        settings.initialRetryDelay = .milliseconds(1)
        // A busy machine does not affect the result.
        settings.headTimeout = .seconds(300)
        change(&settings)
        let log = EventLog()
        let request = AssetDownload.Request(url: server.address + path, folder: folder.path + "/bundle")
        let download = AssetDownload(
            request,
            settings: settings,
            keys: StageKeys(site),
            transport: HTTPDownloadTransport()
        )
        let listening = Task { for await event in download.events { log.add(event) } }
        let result: Result<AssetBundle, any Error>
        do { result = .success(try await download.run()) } catch { result = .failure(error) }
        await listening.value
        withExtendedLifetime(server) {}
        return (try result.get(), log)
    }

    private func files(_ bundle: AssetBundle) -> [[UInt8]?] {
        bundle.description.resources.map { Files.read("\(bundle.folder)/\($0.file)") }
    }

    /// Returns the start of a Range field; 0 without one.
    private static func start(_ range: String?) -> Int {
        range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
    }

    @Test func fetchesAFilm() async throws {
        let site = Film.single(segments: 12, size: 70_000)
        let folder = try TemporaryFolder()
        let (bundle, _) = try await run(site, folder)
        #expect(files(bundle) == (0..<12).map { site.file("/s\($0).ts") })
        #expect(bundle.description.state == .complete)
    }

    @Test func goesOnWhereConnectionsBreakOff() async throws {
        let site = Film.single(segments: 2, size: 300_000)
        site.spoil("/s0.ts", .breaksOff(after: 100_000), .breaksOff(after: 0), .status(503))
        site.spoil("/s1.ts", .breaksOff(after: 299_999))
        let folder = try TemporaryFolder()
        let (bundle, log) = try await run(site, folder)
        #expect(files(bundle) == (0..<2).map { site.file("/s\($0).ts") })
        #expect(log.retries == 4)
        // Data that an interrupted connection had not delivered yet is lost.
        let starts = site.requests(of: "/s1.ts").map { Self.start($0.range) }
        #expect(starts.count == 2 && starts[0] == 0)
        #expect(1...299_999 ~= starts[1])
    }

    @Test func goesOnWhereAConnectionFallsSilent() async throws {
        let site = Film.single(segments: 1, size: 50_000)
        site.spoil("/s0.ts", .hangs(after: 20_000))
        let folder = try TemporaryFolder()
        let (bundle, log) = try await run(site, folder) { $0.idleTimeout = .seconds(1) }
        #expect(files(bundle) == [site.file("/s0.ts")])
        #expect(site.requests(of: "/s0.ts").first?.range == nil)
        #expect(1...20_000 ~= Self.start(site.requests(of: "/s0.ts").last?.range))
        #expect(log.retries >= 1)
    }

    @Test func followsRedirectsWithinLimits() async throws {
        let site = Film.single(segments: 1)
        site.spoil("/film.m3u8", .redirect(to: "/moved/film.m3u8"))
        site.change("/moved/film.m3u8", to: Film.playlist(["../s0.ts"]))
        site.spoil("/s0.ts", .redirect(to: "/elsewhere.ts"))
        site.change("/elsewhere.ts", to: Film.bytes("elsewhere", count: 100))
        let folder = try TemporaryFolder()
        let (bundle, _) = try await run(site, folder)
        #expect(files(bundle) == [site.file("/elsewhere.ts")])
    }

    @Test func doesNotFollowRedirectsForEver() async throws {
        let server = try ScriptedServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return SiteAnswer(status: 302, headers: [("Location", "/\(number + 1)")])
        }
        let transport = HTTPDownloadTransport()
        let error = await #expect(throws: MediaLoadError.self) {
            try await transport.open(DownloadRequest(url: server.address + "/0"))
        }
        #expect(error?.code == .redirects)
    }

    /// Answers all requests of one address.
    private struct Elsewhere: DownloadTransport {
        let url: String

        func open(_: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
            DownloadResponse(
                status: 200,
                url: url,
                header: { _ in nil },
                body: { () async throws(MediaLoadError) in nil }
            )
        }
    }

    @Test func refusesARedirectThatLosesTLS() async throws {
        let request = DownloadRequest(url: "https://films.test/a")
        let error = await #expect(throws: MediaLoadError.self) {
            try await Elsewhere(url: "HTTP://films.test/a").openSecurely(request)
        }
        #expect(error?.code == .badAddress)
        #expect(try await Elsewhere(url: "https://other.test/a").openSecurely(request).status == 200)
        #expect(
            try await Elsewhere(url: "http://films.test/b").openSecurely(DownloadRequest(url: "http://films.test/a"))
                .status
                == 200
        )
    }

    @Test func readsTheFieldsOfAnAnswer() {
        let fields = [
            "ETag": "\"1\"", "Last-Modified": "then", "Content-Length": "10", "Content-Range": "bytes 0-9/20",
            "Retry-After": "3",
        ]
        let answer = DownloadResponse(status: 206, url: "https://films.test/a", header: { fields[$0] }) {
            () async throws(MediaLoadError) in nil
        }
        #expect(answer.validators == Validators(etag: "\"1\"", lastModified: "then"))
        #expect(answer.length == 10 && answer.retryAfter == .seconds(3))
        #expect(answer.part == .init(range: 0..<10, total: 20))
    }

    @Test func sendsRangeAndIfRangeTogether() {
        var request = DownloadRequest(url: "https://films.test/a")
        request.ifRange = "\"1\""
        #expect(request.headers.map(\.name) == ["Accept-Encoding"])
        request.from = 5
        #expect(
            request.headers.map { "\($0.name): \($0.value)" }
                == ["Accept-Encoding: identity", "Range: bytes=5-", "If-Range: \"1\""]
        )
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://127.0.0.1/", "http://", "nonsense"])
    func asksNothingButWebServers(url: String) async throws {
        let transport = HTTPDownloadTransport()
        let error = await #expect(throws: MediaLoadError.self) { try await transport.open(DownloadRequest(url: url)) }
        #expect(error?.code == .badAddress)
    }

    @Test func mergesByteRanges() async throws {
        let site = Film.ranges()
        let folder = try TemporaryFolder()
        let (bundle, _) = try await run(site, folder)
        let all = try #require(site.file("/all.mp4"))
        #expect(files(bundle) == [Array(all[0..<6700]), Array(all[106_700..<108_700])])
        #expect(Set(site.requests(of: "/all.mp4").map(\.range)) == ["bytes=0-6699", "bytes=106700-108699"])
    }

    @Test func takesPartsOfWholeFilesWhereThereAreNoRanges() async throws {
        let site = Film.ranges()
        site.setRanges(false)
        let folder = try TemporaryFolder()
        let (bundle, _) = try await run(site, folder)
        let all = try #require(site.file("/all.mp4"))
        #expect(files(bundle) == [Array(all[0..<6700]), Array(all[106_700..<108_700])])
    }

    @Test func tellsThatNobodyListens() async throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { _ in SiteAnswer(status: 404) }
        var settings = DownloadSettings()
        settings.attempts = 2
        settings.initialRetryDelay = .milliseconds(1)
        // A port of this machine that was free, and on which no server listens.
        let request = AssetDownload.Request(url: "http://127.0.0.1:1/film.m3u8", folder: folder.path + "/bundle")
        let error = await #expect(throws: DownloadError.self) {
            try await AssetDownload(request, settings: settings, keys: nil, transport: HTTPDownloadTransport()).run()
        }
        #expect(error?.code == .load && error?.load?.code == .noConnection)
        let missing = AssetDownload.Request(
            url: server.address + "/film.m3u8?token=secret",
            folder: folder.path + "/other"
        )
        let other = await #expect(throws: DownloadError.self) {
            try await AssetDownload(missing, settings: settings, keys: nil, transport: HTTPDownloadTransport()).run()
        }
        #expect(other?.load?.status == 404)
        #expect(other?.description.contains("secret") == false)
    }
}
