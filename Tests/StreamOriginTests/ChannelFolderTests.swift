import FileAccess
import Foundation
import Logging
import Testing

@testable import StreamOrigin

@Suite("The served folder", .timeLimit(.minutes(10)))
struct ChannelFolderTests {
    private func folder(_ files: ServedFolder, _ channels: LiveChannels, limits: ChannelFolder.Limits = .init())
        -> ChannelFolder
    {
        ChannelFolder(
            access: FolderAccess(root: files.root),
            channels: channels,
            limits: limits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func file(_ channels: LiveChannels, _ path: String) -> MediaFile? {
        guard case .held(let file)? = channels[ChannelPath.channel(of: path)]?.state.lookup(path) else { return nil }
        return file
    }

    @Test("Channels in subfolders are found, and follow their playlists")
    func channels() throws {
        let files = try ServedFolder()
        let channels = LiveChannels(memoryLimit: 1 << 20, maximum: 10)
        let folder = folder(files, channels)
        try files.publish("news", segments: 10, parts: 1)
        try files.publish("sport", segments: 20, parts: 0)
        folder.scan(now: .zero)
        #expect(channels.all.map(\.name) == ["news", "sport"])
        #expect(channels["news"]?.state.playlists.keys.sorted() == ["news/main.m3u8", "news/video/media.m3u8"])
        #expect(file(channels, "news/video/segment-10.m4s")?.count == 10)
        try files.publish("news", segments: 10, parts: 3)
        folder.apply([.file("news/video/media.m3u8")], now: .zero)
        #expect(file(channels, "news/video/segment-10.m4s")?.count == 30)
        #expect(file(channels, "news/video/segment-9.m4s")?.isComplete == true)
        try files.remove("sport")
        folder.apply([.folder("sport")], now: .zero)
        #expect(channels.all.map(\.name) == ["news"])
    }

    @Test("A DASH manifest is read with the playlists of its channel, and removed with its file")
    func manifests() throws {
        let files = try ServedFolder()
        let channels = LiveChannels(memoryLimit: 1 << 20, maximum: 10)
        let folder = folder(files, channels)
        try files.write("news/main.mpd", [1])
        folder.apply([.file("news/main.mpd")], now: .zero)
        #expect(channels.all.isEmpty)
        try files.publish("news", segments: 10, parts: 1)
        folder.scan(now: .zero)
        #expect(file(channels, "news/main.mpd")?.count == 1)
        try files.publish("news", segments: 10, parts: 3)
        try files.replace("news/main.mpd", [1, 2])
        folder.apply([.file("news/main.mpd")], now: .zero)
        #expect(file(channels, "news/main.mpd")?.count == 2)
        #expect(file(channels, "news/video/segment-10.m4s")?.count == 30)
        try files.write("news/main.mpd", Array(repeating: 0, count: 9 << 20))
        folder.scan(now: .zero)
        #expect(file(channels, "news/main.mpd") == nil, "too large for memory")
        try files.replace("news/main.mpd", [1])
        folder.scan(now: .zero)
        try files.remove("news/main.mpd")
        folder.scan(now: .zero)
        #expect(file(channels, "news/main.mpd") == nil)
    }

    @Test("A segment that is shorter than listed, and a broken playlist, cost only themselves")
    func brokenFiles() throws {
        let files = try ServedFolder()
        let channels = LiveChannels(memoryLimit: 1 << 20, maximum: 10)
        let folder = folder(files, channels)
        try files.publish("news", segments: 10, parts: 2)
        folder.scan(now: .zero)
        try files.write("news/video/segment-10.m4s", Array(repeating: 0, count: 5))
        try files.write("news/video/media.m3u8", Array(LiveWindow().text(segments: 10, parts: 3).utf8))
        folder.scan(now: .zero)
        #expect(file(channels, "news/video/segment-10.m4s")?.count == 20)
        try files.write("news/video/media.m3u8", Array("not a playlist".utf8))
        folder.scan(now: .zero)
        #expect(channels["news"]?.state.playlists["news/video/media.m3u8"]?.index?.openParts == 3)
        try files.publish("news", segments: 11, parts: 0)
        folder.scan(now: .zero)
        #expect(file(channels, "news/video/segment-10.m4s")?.count == 40)
    }

    @Test("A folder that vanishes and returns")
    func vanishing() throws {
        let files = try ServedFolder()
        let channels = LiveChannels(memoryLimit: 1 << 20, maximum: 10)
        let folder = folder(files, channels)
        try files.publish("news", segments: 10, parts: 2)
        folder.scan(now: .zero)
        try FileManager.default.removeItem(atPath: files.root)
        folder.scan(now: .zero)
        #expect(channels.all.isEmpty)
        try files.publish("news", segments: 10, parts: 2)
        folder.scan(now: .zero)
        #expect(channels.all.count == 1)
    }

    @Test("The number of channels and playlists, and the size of playlists, are limited")
    func limits() throws {
        let files = try ServedFolder()
        let channels = LiveChannels(memoryLimit: 1 << 20, maximum: 2)
        var limits = ChannelFolder.Limits()
        limits.playlists = 2
        limits.playlistBytes = 10_000
        let folder = folder(files, channels, limits: limits)
        for name in ["a", "b", "c"] { try files.publish(name, segments: 10, parts: 0) }
        try files.write("a/other.m3u8", Array("#EXTM3U\n".utf8))
        let large = LiveWindow(length: 1000).text(segments: 1000, parts: 0)
        try files.write("b/video/media.m3u8", Array(large.utf8))
        folder.scan(now: .zero)
        #expect(channels.all.map(\.name) == ["a", "b"])
        #expect(channels["a"]?.state.playlists.count == 2)
        #expect(channels["b"]?.state.playlists.count == 1)
    }

    @Test("Symbolic links, hidden files and special files are not read")
    func links() throws {
        let files = try ServedFolder()
        try files.write("news/a.m4s", [1])
        try files.write("news/.hidden", [1])
        try files.link("news/link.m4s", to: "a.m4s")
        try files.link("outside", to: "/etc")
        let access = FolderAccess(root: files.root)
        #expect(try access.open("news/a.m4s")?.size == 1)
        #expect(try access.open("news/link.m4s") == nil)
        #expect(try access.open("outside/passwd") == nil)
        #expect(try access.open("news") == nil)
        #expect(try access.open("news/a.m4s/b") == nil)
        #expect(try access.entries("news", limit: 10)?.files == ["a.m4s"])
        #expect(try access.entries("", limit: 10)?.folders == ["news"])
    }

    #if os(Linux)
    @Test("inotify reports what is written, renamed, created and removed")
    func inotify() throws {
        let files = try ServedFolder()
        try files.write("news/a.m3u8", [1])
        let watcher = try InotifyWatcher(root: files.root)
        try watcher.watch("")
        try watcher.watch("news")
        try watcher.watch("news")
        #expect(watcher.changes(limit: .zero).isEmpty)
        try files.replace("news/a.m3u8", [2])
        #expect(watcher.changes(limit: .seconds(60)).contains(.file("news/a.m3u8")))
        try files.write("sport/b.m3u8", [1])
        #expect(watcher.changes(limit: .seconds(60)).contains(.folder("sport")))
        try files.remove("news")
        let changes = watcher.changes(limit: .seconds(60))
        #expect(changes.contains(.file("news/a.m3u8")))
        #expect(changes.contains(.folder("news")))
    }
    #endif
}

/// A folder in the temporary folder, which is removed with the object.
final class ServedFolder: Sendable {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.path(percentEncoded: false) + "/origin-\(UUID())"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Writes a channel as the packager does: the bytes first, then the playlists.
    func publish(_ channel: String, segments: Int, parts: Int, window: LiveWindow = LiveWindow()) throws {
        for number in max(0, segments - window.length)..<segments {
            try write("\(channel)/video/segment-\(number).m4s", Self.segment(number, parts: 4))
        }
        if parts > 0 { try write("\(channel)/video/segment-\(segments).m4s", Self.segment(segments, parts: parts)) }
        for period in 0...segments / window.keyPeriod {
            try write("\(channel)/video/init-\(period).mp4", Array("init-\(period)".utf8))
        }
        let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nvideo/media.m3u8\n"
        try write("\(channel)/main.m3u8", Array(main.utf8))
        try replace("\(channel)/video/media.m3u8", Array(window.text(segments: segments, parts: parts).utf8))
    }

    static func segment(_ number: Int, parts: Int) -> [UInt8] {
        (0..<parts * 10).map { UInt8(truncatingIfNeeded: number * 7 + $0) }
    }

    func write(_ path: String, _ bytes: [UInt8]) throws {
        let url = URL(filePath: root).appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Replaces a file by renaming.
    func replace(_ path: String, _ bytes: [UInt8]) throws {
        try write(path + ".new", bytes)
        #expect(rename("\(root)/\(path).new", "\(root)/\(path)") == 0)
    }

    func link(_ path: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: destination)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(root)/\(path)") }

    func read(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) } }
}
