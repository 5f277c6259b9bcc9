import ContentKeySession
import Testing

@testable import OfflineAssets

@Suite("Titles in use", .timeLimit(.minutes(10)))
struct TitleUseLockTests {
    private let folder: Folder
    private let store: OfflineKeyStore

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    private var bundle: String { folder.path + "/film" }

    /// Returns whether the removal of the title can be claimed, which fails while it is in use.
    private func claim() throws -> Bool { try store.claim("film", folder: bundle) != nil }

    @Test("A title in use is not removed, regardless of the number of users, until the last one ends")
    func use() async throws {
        try store.change("film") { $0.lastPlayed = 1 }
        do {
            let first = try await store.use("film")
            do {
                let second = try await folder.store().use("film")
                #expect(try !claim())
                withExtendedLifetime(second) {}
            }
            #expect(try !claim())
            #expect(try store.isInUse("film", folder: bundle))
            #expect(try !store.isInUse("show", folder: folder.path + "/show"))
            withExtendedLifetime(first) {}
        }
        #expect(try !store.isInUse("film", folder: bundle))
        let removal = try #require(try store.claim("film", folder: bundle))
        try removal.remove()
        #expect(try store.title("film") == nil)
    }

    @Test("A check for use leaves no files")
    func looking() throws {
        let before = folder.names("keys")
        for number in 0..<10 { #expect(try !store.isInUse("\(number)", folder: bundle)) }
        #expect(folder.names("keys") == before)
    }

    @Test("A user of a title that is being removed waits, and then uses it")
    func waits() async throws {
        try store.change("film") { $0.lastPlayed = 1 }
        let waiting: Task<TitleUseLock, any Error>
        do {
            let removal = try #require(try store.claim("film", folder: bundle))
            #expect(try !claim())
            waiting = Task { [store] in try await store.use("film") }
            try removal.remove()
            #expect(!folder.names("keys").contains { $0.hasSuffix(".keys") })
            withExtendedLifetime(removal) {}
        }
        let use = try await waiting.value
        // The lock applies to the current file, not to the one that was removed.
        #expect(try !claim())
        withExtendedLifetime(use) {}
    }

    @Test("A download in progress is in use, and its folder is not removed; afterward it can be")
    func downloading() async throws {
        let site = Film.single(segments: 2, size: 9000)
        site.spoil("/s0.ts", .hangs(after: 4000))
        let stage = try DownloadStage(site)
        let download = stage.download()
        let running = Task {
            do throws(DownloadError) {
                _ = try await stage.run(download)
                return nil as DownloadError?
            } catch {
                return error
            }
        }
        try await site.silence()
        #expect(try store.isInUse("bundle", folder: stage.path))
        #expect(try store.claim("bundle", folder: stage.path) == nil)
        await download.cancel()
        #expect(await running.value?.code == .cancelled)
        #expect(try !store.isInUse("bundle", folder: stage.path))
        do {
            let removal = try #require(try store.claim("bundle", folder: stage.path))
            // No use can start meanwhile.
            #expect(await stage.failure()?.code == .busy)
            try removal.remove()
            #expect(Files.names(stage.path).isEmpty)
            withExtendedLifetime(removal) {}
        }
        #expect(try await stage.run().description.state == .complete)
    }
}
