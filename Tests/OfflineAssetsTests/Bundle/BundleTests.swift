import ContentKeySession
import Foundation
import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Bundles", .timeLimit(.minutes(10)))
struct BundleTests {
    @Test func aLibraryListsBundlesAndSaysWhatCannotBeRead() async throws {
        let folder = try TemporaryFolder()
        for name in ["b", "a"] {
            try BundleFolder(folder.path + "/" + name).create()
            var description = BundleDescriptionTests.description
            description.summary.title = name
            try BundleFolder(folder.path + "/" + name).write(description)
        }
        try BundleFolder(folder.path + "/c").create()
        try Files.write(Array("{}\n".utf8), to: folder.path + "/c/bundle.json")
        try BundleFolder(folder.path + "/d").create()
        try Files.write([1], to: folder.path + "/file")
        let entries = try BundleLibrary(folder.path + "/").bundles()
        #expect(entries.map(\.folder) == ["a", "b", "c"].map { folder.path + "/" + $0 })
        #expect(entries.map { try? $0.summary.get().title } == ["a", "b", nil])
        #expect(try BundleLibrary(folder.path + "/nowhere").bundles().isEmpty)
    }

    @Test func aThousandBundlesAreListedByTheirFirstLines() throws {
        let folder = try TemporaryFolder()
        let line = BundleDescriptionTests.description.bytes.prefix { $0 != 0x0A }
        for number in 0..<1000 {
            let bundle = folder.path + "/\(number)"
            try BundleFolder(bundle).create()
            // Only the first line is read.
            try Files.write(line + [0x0A] + Array("no JSON".utf8), to: bundle + "/bundle.json")
        }
        let entries = try BundleLibrary(folder.path).bundles()
        #expect(entries.count == 1000)
        #expect(entries.allSatisfy { (try? $0.summary.get()) == BundleDescriptionTests.description.summary })
    }

    @Test func verifyFindsEveryFileThatIsNotAsItWas() async throws {
        let stage = try DownloadStage(Film.ladder(), url: SiteTransport.address + "/main.m3u8")
        let bundle = try await stage.run()
        let all = bundle.description.playlists.map(\.file) + bundle.description.resources.map(\.file)
        for file in all {
            let path = bundle.folder + "/" + file
            let bytes = try #require(Files.read(path))
            try Files.write(bytes + [0], to: path)
            #expect(throws: AssetBundleError.self, "\(file)") { try bundle.verify() }
            try Files.remove(path)
            let missing = #expect(throws: AssetBundleError.self, "\(file)") { try bundle.verify() }
            #expect(missing?.code == .missing)
            try Files.write(bytes, to: path)
        }
        var count = 0
        try bundle.verify { done, total in
            count += 1
            #expect(done == count && total == all.count)
        }
        #expect(count == all.count)
    }

    @Test func aFolderWithoutADescriptionIsNoBundle() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: AssetBundleError.self) { try AssetBundle.open(folder.path) }
        #expect(error?.code == .notABundle)
    }

    @Test func playsWithoutANetwork() async throws {
        let site = Film.single(segments: 5)
        let bundle = try await DownloadStageHolder(site).bundle()
        let output = Collected()
        let player = Player(keys: PlayerKeySystems(), loader: AssetBundleLoader(bundle.bundle))
        let report = try await player.play(bundle.bundle.mainPlaylistURL, to: output)
        #expect(report.duration == 10)
        #expect(await output.bytes == (0..<5).flatMap { site.file("/s\($0).ts") ?? [] })
        withExtendedLifetime(bundle) {}
    }

    @Test func itsLoaderReadsNothingElse() async throws {
        let holder = try await DownloadStageHolder(Film.single()).bundle()
        let bundle = holder.bundle
        let loader = AssetBundleLoader(bundle)
        _ = try await loader.load(MediaResource(bundle.mainPlaylistURL))
        let outside = holder.stage.folder.path + "/secret"
        try Files.write([1], to: outside)
        try FileManager.default.createSymbolicLink(atPath: bundle.folder + "/media/link", withDestinationPath: outside)
        for url in [
            "http://127.0.0.1:1/main.m3u8", "https://films.test/", "file:///etc/passwd",
            URL(fileURLWithPath: outside).absoluteString,
            URL(fileURLWithPath: bundle.folder + "/../secret").absoluteString,
            "file://\(bundle.folder)/%2e%2e/secret", "file://\(bundle.folder)/media/link", "\(bundle.folder)/main.m3u8",
            "",
        ] {
            let error = await #expect(throws: MediaLoadError.self, "\(url)") {
                try await loader.load(MediaResource(url))
            }
            #expect(error?.code == .badAddress, "\(url)")
        }
    }

    @Test func aProofFailsWhereAFirstSegmentIsNotThere() async throws {
        let holder = try await DownloadStageHolder(Film.single()).bundle()
        let bundle = holder.bundle
        try await OfflinePlaybackCheck.play(bundle, keys: PlayerKeySystems())
        try Files.remove(bundle.folder + "/" + bundle.description.resources[0].file)
        await #expect(throws: PlayerError.self) {
            try await OfflinePlaybackCheck.play(bundle, keys: PlayerKeySystems())
        }
        withExtendedLifetime(holder) {}
    }

    @Test func aProofFailsWhereKeysAreMissing() async throws {
        var stage = try DownloadStage(Film.ladder(), url: SiteTransport.address + "/main.m3u8")
        stage.keys = nil
        let bundle = try await stage.run()
        let error = await #expect(throws: PlayerError.self) {
            try await OfflinePlaybackCheck.play(bundle, keys: PlayerKeySystems())
        }
        #expect(error?.code == "no-key-system")
    }

    /// A stage whose folder exists as long as the bundle is inspected.
    private struct DownloadStageHolder {
        let stage: DownloadStage
        init(_ site: FilmSite) throws { stage = try DownloadStage(site) }
        func bundle() async throws -> (bundle: AssetBundle, stage: DownloadStage) { (try await stage.run(), stage) }
    }

    private actor Collected: MediaOutput {
        nonisolated let supportsInitializationChanges = true
        private(set) var bytes: [UInt8] = []
        func write(_ piece: DecryptedPiece) async throws { bytes += piece.bytes }
        func finish() async throws {}
    }
}
