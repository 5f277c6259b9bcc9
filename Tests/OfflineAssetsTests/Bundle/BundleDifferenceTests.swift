import Foundation
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Files of a bundle that are missing or have changed", .timeLimit(.minutes(10)))
struct BundleDifferenceTests {
    @Test("All files that differ are found, each with its kind", arguments: [false, true])
    func kinds(readsEverything: Bool) async throws {
        let stage = try DownloadStage(Film.ladder(), url: SiteTransport.address + "/main.m3u8")
        let bundle = try await stage.run()
        let comparison: AssetBundle.Comparison = readsEverything ? .contents : .attributes
        #expect(bundle.differences(comparison).isEmpty)
        let files = bundle.description.resources.map(\.file)
        let length = try #require(bundle.description.resources[1].content?.length)
        func change(_ file: String, _ change: (inout [UInt8]) -> Void) throws {
            var bytes = try #require(Files.read(bundle.folder + "/" + file))
            change(&bytes)
            let path = bundle.folder + "/" + file
            try Files.write(bytes, to: path)
            // Later than the description: a file system may record the times of both in steps of several milliseconds.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 10)],
                ofItemAtPath: path
            )
        }
        try Files.remove(bundle.folder + "/" + files[0])
        try change(files[1]) { $0.removeLast() }
        try change(files[2]) { $0.append(0) }
        try change(files[3]) { $0[7] ^= 1 }
        try change("main.m3u8") { $0.append(0x0A) }
        try Files.remove(bundle.folder + "/" + files[4])
        try FileManager.default.createDirectory(
            atPath: bundle.folder + "/" + files[4],
            withIntermediateDirectories: false
        )
        var progress: [Int] = []
        let differences = bundle.differences(comparison) { done, _ in progress.append(done) }
        #expect(
            differences.map(\.code) == ["changed", "missing", "shortened", "lengthened", "changed", "unreadable"]
        )
        #expect(differences.map(\.file) == ["main.m3u8"] + files.prefix(5))
        #expect(differences[2].kind == .length(found: length - 1, expected: length))
        #expect(progress == Array(1...(files.count + bundle.description.playlists.count)))
    }

    @Test("A changed byte is never played: the loader names the file", arguments: [Film.single(), Film.ranges()])
    func changedByte(_ site: FilmSite) async throws {
        let stage = try DownloadStage(site)
        let bundle = try await stage.run()
        let file = bundle.description.resources[0].file
        var bytes = try #require(Files.read(bundle.folder + "/" + file))
        bytes[bytes.count - 1] ^= 1
        try Files.write(bytes, to: bundle.folder + "/" + file)
        let loader = AssetBundleLoader(bundle)
        var settings = PlayerSettings()
        settings.attempts = 1
        let player = Player(settings: settings, keys: PlayerKeySystems(), loader: loader)
        let error = await #expect(throws: PlayerError.self) {
            try await player.play(bundle.mainPlaylistURL, to: DiscardingOutput())
        }
        #expect(error?.code == "damaged")
        #expect(error?.description.hasSuffix(file + ": the file has changed since it was downloaded") == true)
        #expect(loader.damagedFiles == [file])
    }

    @Test("A changed playlist is not played either")
    func changedPlaylist() async throws {
        let stage = try DownloadStage(Film.single())
        let bundle = try await stage.run()
        let path = bundle.mainPlaylist
        try Files.write(try #require(Files.read(path)) + Array("#\n".utf8), to: path)
        let loader = AssetBundleLoader(bundle)
        let error = await #expect(throws: MediaLoadError.self) {
            try await loader.load(MediaResource(bundle.mainPlaylistURL))
        }
        #expect(error?.code == .damaged && error?.isTemporary == false)
    }
}
