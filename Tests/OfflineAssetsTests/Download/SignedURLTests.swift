import ContentKeySession
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("A download with signed URLs", .timeLimit(.minutes(10)))
struct SignedURLTests {
    private static let names = (0..<4).map { "s\($0).ts" }

    /// A presentation whose segments, and whose own address unless it is free, require a signature: initially `one`.
    private static func site(before: String = "", isEntryFree: Bool = true) -> FilmSite {
        var files = ["/film.m3u8": Film.playlist(names.map { $0 + "?SIGNATURE" }, before: before)]
        for name in names { files["/" + name] = Film.bytes(name, count: 3000) }
        let site = FilmSite(files)
        site.sign("one", butFor: isEntryFree ? ["/film.m3u8"] : [])
        return site
    }

    /// A download that fetches one file after the other.
    private static func stage(_ site: FilmSite, query: String = "") throws -> DownloadStage {
        var stage = try DownloadStage(site, url: SiteTransport.address + "/film.m3u8" + query)
        stage.settings.parallel = 1
        return stage
    }

    private func isWhole(_ bundle: AssetBundle, _ site: FilmSite) -> Bool {
        zip(bundle.description.resources, Self.names).allSatisfy { resource, name in
            Files.read("\(bundle.folder)/\(resource.file)") == site.file("/" + name)
        }
    }

    @Test("Expired signatures are replaced by reloading the playlists, and nothing is downloaded twice")
    func endsOnTheWay() async throws {
        let site = Self.site()
        var stage = try Self.stage(site)
        // Twice: with the second and the fourth segment.
        stage.faults.write = { file, _ in
            if file.hasSuffix("000002.ts") { site.sign("two", butFor: ["/film.m3u8"]) }
            if file.hasSuffix("000003.ts") { site.sign("three", butFor: ["/film.m3u8"]) }
            return nil
        }
        let bundle = try await stage.run()
        #expect(isWhole(bundle, site))
        try bundle.verify()
        #expect(stage.log.reloads.map { $0?.load?.status } == [403, 403])
        let segments = site.requests.map(\.path).filter { $0.contains(".ts") }
        #expect(
            segments == [
                "/s0.ts?one", "/s1.ts?one", "/s2.ts?one", "/s2.ts?two", "/s3.ts?two", "/s3.ts?three",
            ]
        )
        #expect(bundle.description.resources.allSatisfy { $0.url.hasSuffix("?three") })
    }

    @Test("A partial file is continued under its new URL")
    func goesOnInsideAFile() async throws {
        let site = Self.site()
        var stage = try Self.stage(site)
        site.spoil("/s1.ts?one", .breaksOff(after: 2000), .status(403))
        stage.faults.write = { file, _ in
            if file.hasSuffix("000002.ts") { site.sign("two", butFor: ["/film.m3u8"]) }
            return nil
        }
        let bundle = try await stage.run()
        #expect(isWhole(bundle, site))
        #expect(site.requests(of: "/s1.ts?two").map(\.range) == ["bytes=2000-"])
    }

    @Test("If the URL of the download has expired, the same URL with a new query resumes it")
    func newAddress() async throws {
        let site = Self.site(isEntryFree: false)
        var stage = try Self.stage(site, query: "?one")
        stage.faults.write = { file, _ in
            if file.hasSuffix("000002.ts") { site.sign("two") }
            return nil
        }
        let error = try #require(await stage.failure())
        #expect(error.isRefusedAddress)
        #expect(error.place == SiteTransport.address + "/film.m3u8")
        #expect(try AssetBundle.open(stage.path).description.state == .downloading)

        site.forgetRequests()
        stage.url = SiteTransport.address + "/film.m3u8?two"
        let bundle = try await stage.run()
        #expect(isWhole(bundle, site))
        #expect(bundle.description.state == .complete)
        #expect(bundle.description.originalURL == stage.url)
        #expect(site.requests.map(\.path) == ["/film.m3u8?two", "/s2.ts?two", "/s3.ts?two"])
    }

    @Test("Other content at the same path is not mixed in, whether files are missing or not")
    func anotherFilm() async throws {
        for isComplete in [false, true] {
            let site = Self.site(isEntryFree: false)
            var stage = try Self.stage(site, query: "?one")
            if !isComplete { site.spoil("/s3.ts?one", .status(404)) }
            _ = await stage.failure()
            let before = try AssetBundle.open(stage.path)
            #expect((before.description.state == .complete) == isComplete)
            site.change("/film.m3u8", to: Film.playlist(Self.names.map { "other/\($0)?SIGNATURE" }))
            stage.url = SiteTransport.address + "/film.m3u8?one&film=8"
            site.sign("one&film=8")
            #expect(await stage.failure()?.code == .changedOnServer)
            #expect(try AssetBundle.open(stage.path) == before)
        }
    }

    @Test("A server that rejects its own new signatures gets only a limited number of requests")
    func neverTaken() async throws {
        let site = Self.site()
        var stage = try Self.stage(site)
        site.spoil("/s1.ts?one", .status(403))
        site.spoil("/s1.ts?two", .status(403))
        stage.faults.write = { file, _ in
            if file.hasSuffix("000001.ts") { site.sign("two", butFor: ["/film.m3u8"]) }
            return nil
        }
        let error = try #require(await stage.failure())
        #expect(error.load?.status == 403)
        #expect(error.place == SiteTransport.address + "/s1.ts")
        #expect(site.requests(of: "/film.m3u8").count == 2)
    }

    @Test("A file that is refused for another reason is requested at most once more")
    func sameAddress() async throws {
        let site = Film.single()
        site.spoil("/s1.ts", .status(403))
        let stage = try DownloadStage(site)
        #expect(await stage.failure()?.load?.status == 403)
        #expect(site.requests(of: "/s1.ts").count == 1)
        #expect(site.requests(of: "/film.m3u8").count == 2)
    }

    @Test("A key whose URL has expired is requested under the new one, which the playlists contain")
    func signedKey() async throws {
        let site = Self.site(before: "#EXT-X-KEY:METHOD=AES-128,URI=\"one.key?SIGNATURE\"\n")
        var stage = try Self.stage(site)
        let keys = StageKeys(site)
        stage.keys = keys
        keys.refuse(DownloadKeysError(code: "forbidden", place: "one.key", reason: "it has ended"))
        #expect(await stage.failure()?.code == .keys)
        site.sign("two", butFor: ["/film.m3u8"])
        keys.refuse { $0.contains { $0.identifier.hasSuffix("?one") } }
        let bundle = try await stage.run()
        let key = SiteTransport.address + "/one.key?two"
        #expect(bundle.description.keys == [key])
        #expect(keys.asked.last?.map(\.identifier) == [key])
        #expect(Files.text("\(stage.path)/main.m3u8").contains(key))
        try bundle.verify()
        #expect(bundle.description.state == .complete)
    }

    @Test("A damaged or missing playlist of the bundle is loaded again")
    func damagedPlaylist() async throws {
        let site = Film.ladder()
        let stage = try DownloadStage(site, url: SiteTransport.address + "/main.m3u8")
        let bundle = try await stage.run()
        for spoil in [{ try Files.write([1], to: $0) }, { try Files.remove($0) }] as [(String) throws -> Void] {
            try spoil("\(stage.path)/variant-1.m3u8")
            site.forgetRequests()
            #expect(try await stage.run() == bundle)
            try bundle.verify()
            #expect(site.requests.allSatisfy { $0.path.contains(".m3u8") } && !site.requests.isEmpty)
        }
    }

    @Test("Only queries may differ between the old and the new playlists")
    func shape() {
        func shape(_ text: String) -> String {
            String(decoding: PlaylistRefresh.shape(Array(text.utf8)), as: UTF8.self)
        }
        let signed =
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"t\",VALUE=\"1\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"https://a/k?1\",IV=0x2\na.ts\n"
        let again =
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"t\",VALUE=\"2\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"https://a/k?2\",IV=0x2\na.ts\n"
        #expect(shape(signed) == shape(again))
        for other in [
            again.replacing("IV=0x2", with: "IV=0x3"), again.replacing("/k?", with: "/l?"),
            again.replacing("a.ts", with: "b.ts"), again.replacing("a.ts", with: "#EXT-X-GAP\na.ts"),
            again.replacing("AES-128", with: "SAMPLE-AES"),
        ] {
            #expect(shape(signed) != shape(other))
        }
        #expect(shape("") == "" && shape("\"?") == "\"?\n")
    }
}
