import ContentKeySession
import Glibc
import StreamPlayer
import Synchronization
import Testing

@testable import OfflineAssets

@Suite("Download after a crash", .timeLimit(.minutes(10)))
struct DownloadCrashTests {
    /// A small presentation whose download writes every kind of line.
    private static func site() -> FilmSite {
        let site = Film.single(segments: 3, size: 4000)
        site.spoil("/s0.ts", .breaksOff(after: 1500), .breaksOff(after: 1000))
        return site
    }

    @Test func hasTheRightBytesWhereverItsJournalIsCutOff() async throws {
        let site = Self.site()
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        let bundle = try await stage.run()
        let journal = try #require(Files.read(stage.path + "/journal"))
        let folder = BundleFolder(stage.path)
        for length in 0...journal.count {
            var description = bundle.description
            description.summary.state = .downloading
            for index in description.resources.indices { description.resources[index].content = nil }
            try folder.write(description)
            try Files.write(Array(journal.prefix(length)), to: stage.path + "/journal")
            try await stage.run()
            try bundle.verify()
        }
    }

    @Test func hasTheRightBytesWhereFilesAreShorterThanTheJournalSays() async throws {
        let site = Self.site()
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        site.spoil("/s1.ts", .breaksOff(after: 3000), .status(404))
        #expect(await stage.failure()?.code == .load)
        let file = stage.path + "/media/variant-1/000002.ts"
        let there = try #require(Files.read(file))
        #expect(there.count == 3000)
        for length in [0, 1, 1000, 2999] {
            try Files.write(Array(there.prefix(length)), to: file)
            let copy = try TemporaryFolder()
            try Files.copy(stage.path, to: copy.path + "/bundle")
            let files = BundleFolder(copy.path + "/bundle")
            let clone = AssetDownload(
                .init(url: stage.url, folder: files.path),
                settings: stage.settings,
                keys: stage.keys,
                transport: SiteTransport(site: site),
                clock: DownloadClock()
            )
            try (await clone.run()).verify()
            #expect(Files.read(copy.path + "/bundle/media/variant-1/000002.ts") == site.file("/s1.ts"))
        }
    }

    @Test func goesOnWhereverItStoppedWriting() async throws {
        // Each run ends at a given write: media and journal.
        for limit in 1...24 {
            let site = Self.site()
            var stage = try DownloadStage(site)
            stage.settings.parallel = 2
            let writes = Mutex(0)
            stage.faults.write = { _, _ in
                writes.withLock { count in
                    count += 1
                    return count == limit ? EIO : nil
                }
            }
            let first = await stage.failure()
            #expect(first == nil || first?.code == .storage, "write \(limit)")
            let bundle = try await stage.run()
            try bundle.verify()
            for number in 0..<3 {
                let file = "\(stage.path)/media/variant-1/00000\(number + 1).ts"
                #expect(Files.read(file) == site.file("/s\(number).ts"), "write \(limit)")
            }
        }
    }

    @Test func tellsThatTheDiskIsFullAndKeepsWhatIsThere() async throws {
        let site = Film.single(segments: 4, size: 4000)
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        let room = Mutex(9000)
        stage.faults.write = { file, count in
            room.withLock { room in
                guard file != AssetBundle.journalFile else { return nil }
                room -= count
                return room < 0 ? ENOSPC : nil
            }
        }
        let error = await stage.failure()
        #expect(error?.code == .diskFull)
        #expect(error?.reason.contains("free disk space") == true)
        site.forgetRequests()
        room.withLock { $0 = .max }
        let bundle = try await stage.run()
        try bundle.verify()
        #expect(site.requests.map(\.path) == ["/s2.ts", "/s3.ts"])
        #expect(site.requests.map(\.range) == ["bytes=1000-", nil])
    }

    @Test func losesNothingWhereTheJournalItselfDoesNotFit() async throws {
        let site = Film.single(segments: 4, size: 4000)
        var stage = try DownloadStage(site)
        stage.settings.parallel = 1
        // The header fits, and at most two of the four lines, which have about 100 bytes each and may be written together.
        let room = Mutex<Int?>(nil)
        stage.faults.write = { file, count in
            room.withLock { room in
                guard file == AssetBundle.journalFile else { return nil }
                guard let left = room else {
                    room = 250
                    return nil
                }
                guard count <= left else { return ENOSPC }
                room = left - count
                return nil
            }
        }
        #expect(await stage.failure()?.code == .diskFull)
        room.withLock { $0 = .max }
        try (await stage.run()).verify()
    }

    @Test func keepsWhatCameSoFarNowAndThen() async throws {
        let site = Film.single(segments: 1, size: 9000)
        site.spoil("/s0.ts", .hangs(after: 5000))
        var stage = try DownloadStage(site)
        stage.settings.checkpointBytes = 2000
        let download = stage.download()
        let watching = Task { [path = stage.path] in
            try await site.silence()
            let journal = Files.text(path + "/journal")
            await download.cancel()
            return journal
        }
        _ = try? await stage.run(download)
        let lines = try await watching.value.split(separator: "\n").dropFirst().map {
            $0.split(separator: " ").dropFirst().prefix(3)
        }
        #expect(lines.map { $0.joined(separator: " ") } == ["part 0 2000", "part 0 4000"])
    }
}
