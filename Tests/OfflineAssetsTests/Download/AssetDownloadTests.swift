import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Asset download", .timeLimit(.minutes(10)))
struct AssetDownloadTests {
    @Test func fetchesAFilmAndProvesIt() async throws {
        let site = Film.single()
        let stage = try DownloadStage(site)
        let keys = StageKeys(site)
        var changed = stage
        changed.keys = keys
        let bundle = try await changed.run()
        #expect(bundle.description.state == .complete)
        #expect(bundle.description.title == "bundle")
        #expect(bundle.description.summary.byteCount == 12_000)
        #expect(bundle.description.summary.duration == 8)
        #expect(keys.verificationCount == 1 && keys.asked.isEmpty)
        #expect(try AssetBundle.open(stage.path) == bundle)
        try bundle.verify()
        for (number, resource) in bundle.description.resources.enumerated() {
            #expect(Files.read("\(stage.path)/\(resource.file)") == site.file("/s\(number).ts"))
        }
    }

    @Test func asksForKeysBeforeAnySegment() async throws {
        let site = Film.ladder()
        var stage = try DownloadStage(site, url: SiteTransport.address + "/main.m3u8")
        let keys = StageKeys(site)
        keys.refuse(DownloadKeysError(code: "persistence-not-allowed", place: "skd://hd", reason: "it may not be kept"))
        stage.keys = keys
        stage.title = "Film 7"
        let error = await stage.failure()
        #expect(error?.code == .keys)
        #expect(error?.place == "skd://hd")
        #expect(site.requests.allSatisfy { $0.path.contains(".m3u8") })
        #expect(keys.asked.map { $0.map(\.identifier) } == [["skd://hd"], ["skd://audio"]])
        #expect(keys.titles == ["Film 7"])
        #expect(try AssetBundle.open(stage.path).description.state == .downloading)
        keys.refuse(nil)
        let bundle = try await stage.run()
        #expect(bundle.description.state == .complete)
        #expect(bundle.description.keys == ["skd://hd", "skd://audio"])
    }

    @Test func isNotCompleteBeforeItIsProven() async throws {
        let site = Film.single()
        var stage = try DownloadStage(site)
        let keys = StageKeys(site)
        keys.failVerification(DownloadKeysError(code: "key-not-loaded", place: "skd://x", reason: "it does not open"))
        stage.keys = keys
        #expect(await stage.failure()?.code == .keys)
        #expect(try AssetBundle.open(stage.path).description.state == .unverified)
        site.forgetRequests()
        keys.failVerification(nil)
        #expect(try await stage.run().description.state == .complete)
        #expect(site.requests.isEmpty)
    }

    @Test func playsAClearFilmToProveIt() async throws {
        var stage = try DownloadStage(Film.single())
        stage.keys = nil
        #expect(try await stage.run().description.state == .complete)
    }

    @Test func fetchesMediaAloneWhereNobodyHasKeys() async throws {
        var stage = try DownloadStage(Film.ladder(), url: SiteTransport.address + "/main.m3u8")
        stage.keys = nil
        let bundle = try await stage.run()
        #expect(bundle.description.state == .unverified)
        try bundle.verify()
    }

    @Test func goesOnWhereAConnectionBrokeOff() async throws {
        let site = Film.single(segments: 1, size: 9000)
        site.spoil("/s0.ts", .breaksOff(after: 2500), .breaksOff(after: 3000), .status(503))
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        #expect(Files.read("\(stage.path)/\(bundle.description.resources[0].file)") == site.file("/s0.ts"))
        #expect(site.requests(of: "/s0.ts").map(\.range) == [nil, "bytes=2500-", "bytes=5500-", "bytes=5500-"])
        #expect(site.requests(of: "/s0.ts").map(\.ifRange) == [nil, "\"1\"", "\"1\"", "\"1\""])
        #expect(stage.log.retries == 3)
    }

    @Test func beginsAnewWhereTheServerKnowsNoRanges() async throws {
        let site = Film.single(segments: 1, size: 9000)
        site.setRanges(false)
        site.spoil("/s0.ts", .breaksOff(after: 2500))
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        #expect(Files.read("\(stage.path)/\(bundle.description.resources[0].file)") == site.file("/s0.ts"))
        #expect(stage.log.restarts == [.noRanges])
    }

    @Test func beginsAnewWhereNobodyKnowsWhetherItIsTheSame() async throws {
        let site = Film.single(segments: 1, size: 9000)
        site.setValidators(false)
        site.spoil("/s0.ts", .breaksOff(after: 2500))
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        #expect(Files.read("\(stage.path)/\(bundle.description.resources[0].file)") == site.file("/s0.ts"))
        #expect(site.requests(of: "/s0.ts").map(\.range) == [nil, nil])
    }

    @Test func beginsAnewWhereTheServerChangedAFileInBetween() async throws {
        let site = Film.single(segments: 1, size: 9000)
        site.spoil("/s0.ts", .breaksOff(after: 2500), .status(404))
        let stage = try DownloadStage(site)
        #expect(await stage.failure()?.load?.code == .notFound)
        let other = Film.bytes("other", count: 7000)
        site.change("/s0.ts", to: other)
        let bundle = try await stage.run()
        #expect(Files.read("\(stage.path)/\(bundle.description.resources[0].file)") == other)
        #expect(stage.log.restarts == [.changed])
    }

    @Test func tellsThatTheFilmWasChangedWhereASecondDownloadFindsOtherBytes() async throws {
        let site = Film.single()
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        try Files.write([1, 2, 3], to: "\(stage.path)/\(bundle.description.resources[1].file)")
        site.change("/s1.ts", to: Film.bytes("other", count: 3000))
        let error = await stage.failure()
        #expect(error?.code == .changedOnServer)
        #expect(stage.log.repaired == [bundle.description.resources[1].file])
        #expect(try AssetBundle.open(stage.path).description.state == .downloading)
    }

    @Test func repairsWhatIsDamaged() async throws {
        let site = Film.single()
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        site.forgetRequests()
        let files = bundle.description.resources.map { "\(stage.path)/\($0.file)" }
        try Files.write([1, 2, 3], to: files[1])
        try Files.remove(files[3])
        #expect(throws: AssetBundleError.self) { try bundle.verify() }
        let again = try await stage.run()
        #expect(again == bundle)
        try again.verify()
        #expect(Set(site.requests.map(\.path)) == ["/s1.ts", "/s3.ts"])
    }

    @Test func mergesByteRangesIntoFewRequests() async throws {
        let site = Film.ranges()
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        // The requests run concurrently, so they can arrive in either order.
        let ranges = site.requests(of: "/all.mp4").map(\.range)
        #expect(ranges.count == 2 && Set(ranges) == ["bytes=0-6699", "bytes=106700-108699"])
        let all = try #require(site.file("/all.mp4"))
        let files = bundle.description.resources.map { Files.read("\(stage.path)/\($0.file)") }
        #expect(files == [Array(all[0..<6700]), Array(all[106_700..<108_700])])
    }

    @Test func takesPartsOutOfWholeFilesWhereTheServerKnowsNoRanges() async throws {
        let site = Film.ranges()
        site.setRanges(false)
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        let all = try #require(site.file("/all.mp4"))
        let files = bundle.description.resources.map { Files.read("\(stage.path)/\($0.file)") }
        #expect(files == [Array(all[0..<6700]), Array(all[106_700..<108_700])])
        var limited = try DownloadStage(site)
        limited.settings.limits.skippedBytes = 1000
        #expect(await limited.failure()?.code == .noRanges)
    }

    @Test func tellsThatAFileWasChangedBetweenTwoPartsOfIt() async throws {
        let site = Film.ranges()
        let all = try #require(site.file("/all.mp4"))
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        // The written bytes show which part has been received.
        stage.faults.write = { file, _ in
            if file != AssetBundle.journalFile { site.change("/all.mp4", to: all, etag: "\"3\"") }
            return nil
        }
        #expect(await stage.failure()?.code == .changedOnServer)
    }

    @Test func refusesALiveStream() async throws {
        let site = FilmSite(["/film.m3u8": Film.playlist(["s0.ts"], end: "")])
        let stage = try DownloadStage(site)
        let error = await stage.failure()
        #expect(error?.code == .live)
        #expect(error?.reason.contains("EXT-X-ENDLIST") == true)
    }

    @Test func tellsWhatIsNotThere() async throws {
        let site = Film.single()
        site.spoil("/s2.ts", .status(404))
        let stage = try DownloadStage(site)
        let error = await stage.failure()
        #expect(error?.code == .load && error?.load?.status == 404)
        #expect(error?.place == SiteTransport.address + "/s2.ts")
        #expect(try await stage.run().description.state == .complete)
    }

    @Test func waitsAsLongAsTheServerSays() async throws {
        let site = Film.single()
        site.spoil("/film.m3u8", .status(503))
        site.spoil("/s0.ts", .status(429, headers: [("Retry-After", "7")]), .status(503))
        let stage = try DownloadStage(site)
        try await stage.run()
        #expect(stage.log.pauses == [.seconds(7), .seconds(1)])
    }

    @Test func givesUpAfterItsAttempts() async throws {
        let site = Film.single()
        var stage = try DownloadStage(site)
        stage.settings.attempts = 3
        site.spoil("/s1.ts", .status(503), .status(503), .status(503))
        #expect(await stage.failure()?.load?.status == 503)
        #expect(site.requests(of: "/s1.ts").count == 3)
    }

    @Test func progressGoesByTime() async throws {
        let stage = try DownloadStage(Film.single(segments: 10))
        try await stage.run()
        let last = try #require(stage.log.progress.last)
        #expect(last.loaded.ranges == [0..<20] && last.expected == 20 && last.fraction == 1)
        #expect(last.files == 10 && last.allFiles == 10 && last.bytes == 30_000 && last.received == 30_000)
        let fractions = stage.log.progress.map(\.fraction)
        #expect(fractions == fractions.sorted())
        #expect(stage.log.plan?.files == 10 && stage.log.plan?.isResumed == false)
    }

    @Test func pausesAndGoesOn() async throws {
        let site = Film.single(segments: 2, size: 9000)
        site.spoil("/s0.ts", .hangs(after: 4000))
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        let download = stage.download()
        let pausing = Task { [log = stage.log] in
            try await site.silence()
            await download.pause()
            try await eventually("the download is paused") { log.isPaused }
            await download.resume()
        }
        let bundle = try await stage.run(download)
        try await pausing.value
        #expect(bundle.description.state == .complete)
        #expect(site.requests(of: "/s0.ts").map(\.range) == [nil, "bytes=4000-"])
        #expect(Files.read("\(stage.path)/\(bundle.description.resources[0].file)") == site.file("/s0.ts"))
    }

    @Test func fetchesNothingTwiceAfterAPause() async throws {
        let site = Film.single(segments: 3, size: 9000)
        site.spoil("/s1.ts", .hangs(after: 4000))
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        let download = stage.download()
        let pausing = Task { [log = stage.log] in
            try await site.silence()
            await download.pause()
            try await eventually("the download is paused") { log.isPaused }
            await download.resume()
        }
        _ = try await stage.run(download)
        try await pausing.value
        #expect(site.requests(of: "/s0.ts").count == 1)
        #expect(stage.log.progress.last?.files == 3)
    }

    @Test func keepsWhatIsThereWhereItIsCancelled() async throws {
        let site = Film.single(segments: 2, size: 9000)
        site.spoil("/s0.ts", .hangs(after: 4000))
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        let download = stage.download()
        let cancelling = Task {
            try await site.silence()
            await download.cancel()
        }
        let failed = await #expect(throws: DownloadError.self) { try await stage.run(download) }
        try await cancelling.value
        #expect(failed?.code == .cancelled)
        try await stage.run()
        #expect(site.requests(of: "/s0.ts").map(\.range) == [nil, "bytes=4000-"])
    }

    @Test func doesNotMixWhatWasBegunOtherwise() async throws {
        let site = Film.ladder()
        var stage = try DownloadStage(site, url: SiteTransport.address + "/main.m3u8")
        try await stage.run()
        stage.selection = .all
        #expect(await stage.failure()?.code == .otherBundle)
        stage.selection = BundleSelection()
        stage.url = SiteTransport.address + "/sd/v.m3u8"
        #expect(await stage.failure()?.code == .otherBundle)
    }

    @Test func writesIntoNoFolderWithOtherThings() async throws {
        let stage = try DownloadStage(Film.single())
        try await stage.run()
        try Files.remove(stage.path + "/bundle.json")
        try Files.write([1], to: stage.path + "/thesis.txt")
        #expect(await stage.failure()?.code == .otherBundle)
        try Files.remove(stage.path + "/thesis.txt")
        #expect(try await stage.run().description.state == .complete)
    }

    @Test func letsNobodyElseInMeanwhile() async throws {
        let stage = try DownloadStage(Film.single())
        try BundleFolder(stage.path).create()
        let lock = try FolderLock(BundleFolder(stage.path))
        #expect(await stage.failure()?.code == .busy)
        withExtendedLifetime(lock) {}
    }
}
