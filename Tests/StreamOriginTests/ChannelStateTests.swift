import HLSPlaylist
import NIOCore
import Testing

@testable import StreamOrigin

@Suite("Channels in memory")
struct ChannelStateTests {
    private static let path = "channel/video/media.m3u8"

    /// Publishes a version as ``ChannelFolder`` does: each part has 10 bytes, each segment 40, other files 7.
    private func publish(_ state: inout ChannelState, _ window: LiveWindow, _ segments: Int, _ parts: Int) throws {
        let text = Array(window.text(segments: segments, parts: parts).utf8)
        let playlist = try Self.prepare(text)
        state.publish(playlist, state.reads(for: playlist).map(Self.bytes))
    }

    private static func prepare(_ text: [UInt8]) throws -> PublishedPlaylist {
        PublishedPlaylist(path: path, playlist: try Playlist(parsing: text), text: text)
    }

    private static func bytes(_ read: ChannelState.FileRead) -> ChannelState.FileBytes {
        let size = read.path.hasSuffix(".m4s") ? 40 : 7
        let range = read.offset..<(read.end ?? size)
        return .init(read: read, bytes: ByteBuffer(bytes: range.map { UInt8($0) }), entityTag: "\"tag\"")
    }

    private func file(_ state: ChannelState, _ name: String) -> MediaFile? {
        if case .held(let file) = state.lookup("channel/video/\(name)") { file } else { nil }
    }

    @Test("A segment grows by the parts that the playlist lists, and is complete when it is listed")
    func growth() throws {
        var state = ChannelState(memoryLimit: 10_000)
        try publish(&state, LiveWindow(), 10, 0)
        #expect(file(state, "segment-10.m4s") == nil)
        if case .awaited = state.lookup("channel/video/segment-10.m4s") {} else { Issue.record("not awaited") }
        if case .unknown = state.lookup("channel/video/segment-11.m4s") {} else { Issue.record("not unknown") }
        try publish(&state, LiveWindow(), 10, 2)
        let growing = try #require(file(state, "segment-10.m4s"))
        #expect(growing.count == 20 && !growing.isComplete && growing.entityTag == nil)
        try publish(&state, LiveWindow(), 10, 3)
        try publish(&state, LiveWindow(), 11, 0)
        let complete = try #require(file(state, "segment-10.m4s"))
        #expect(complete.count == 40 && complete.isComplete && complete.entityTag == "\"tag\"")
        #expect(complete.bytes(5..<35).flatMap { Array($0.readableBytesView) } == (5..<35).map { UInt8($0) })
        #expect(file(state, "init-2.mp4")?.count == 7)
    }

    @Test("Only new bytes are read")
    func reads() throws {
        var state = ChannelState(memoryLimit: 10_000)
        try publish(&state, LiveWindow(), 10, 2)
        let text = Array(LiveWindow().text(segments: 10, parts: 3).utf8)
        let next = try Self.prepare(text)
        #expect(
            state.reads(for: next) == [
                .init(path: "channel/video/segment-10.m4s", offset: 20, end: 30, isOptional: false)
            ]
        )
    }

    @Test("What leaves the window leaves memory")
    func window() throws {
        var state = ChannelState(memoryLimit: 100_000)
        for number in 10...200 { try publish(&state, LiveWindow(), number, number % 4) }
        #expect(file(state, "segment-187.m4s") == nil)
        #expect(file(state, "segment-188.m4s")?.isComplete == true)
        #expect(state.memory <= 12 * 40 + 40 + 4 * 7)
        state.remove(Self.path)
        #expect(state.memory == 0 && state.isEmpty)
    }

    @Test("Memory is limited, and the newest segments are kept")
    func limit() throws {
        var state = ChannelState(memoryLimit: 200)
        try publish(&state, LiveWindow(), 50, 1)
        for number in 51...60 { try publish(&state, LiveWindow(), number, 2) }
        #expect(state.memory <= 200)
        #expect(file(state, "segment-60.m4s")?.count == 20)
        #expect(file(state, "segment-59.m4s")?.isComplete == true)
        if case .unknown = state.lookup("channel/video/segment-50.m4s") {} else { Issue.record("not evicted") }
        // What was evicted is not read again.
        let text = Array(LiveWindow().text(segments: 60, parts: 2).utf8)
        let again = try Self.prepare(text)
        #expect(state.reads(for: again).isEmpty)
    }

    @Test("The files of a presentation that has ended are not read into memory, but one that grew is completed")
    func ended() throws {
        var state = ChannelState(memoryLimit: 10_000)
        try publish(&state, LiveWindow(isEnded: true), 10, 0)
        #expect(state.memory == 0)
        if case .unknown = state.lookup("channel/video/segment-9.m4s") {} else { Issue.record("not unknown") }
        state.remove(Self.path)
        try publish(&state, LiveWindow(), 10, 2)
        try publish(&state, LiveWindow(isEnded: true), 11, 0)
        #expect(file(state, "segment-10.m4s")?.isComplete == true)
    }

    @Test("A writer that starts again replaces files of the same names")
    func restart() throws {
        var state = ChannelState(memoryLimit: 10_000)
        try publish(&state, LiveWindow(), 30, 0)
        let text = Array(LiveWindow().text(segments: 25, parts: 1).utf8)
        let restarted = try Self.prepare(text)
        let reads = state.reads(for: restarted)
        #expect(reads.contains { $0.path == "channel/video/segment-24.m4s" && $0.offset == 0 })
        state.publish(restarted, reads.map(Self.bytes))
        #expect(file(state, "segment-25.m4s")?.count == 10)
        #expect(file(state, "segment-29.m4s") == nil)
    }

    @Test("References out of the folder are ignored")
    func references() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-MAP:URI="../../../etc/passwd"
            #EXTINF:2,
            /etc/passwd
            #EXTINF:2,
            https://example.com/a.m4s
            #EXTINF:2,
            ../audio/a%20b.m4s?x=1
            #EXTINF:2,
            .hidden
            #EXT-X-BYTERANGE:10@0
            #EXTINF:2,
            one-file.mp4

            """
        let playlist = try MediaPlaylist(parsing: Array(text.utf8))
        let files = PlaylistFiles(playlist, at: Self.path)
        #expect(files.listed == [.init(path: "channel/audio/a b.m4s", count: nil)])
    }
}

@Suite("Paths and ranges of requests")
struct RequestPathTests {
    @Test(
        "Paths stay in the folder",
        arguments: [
            "/../a", "/a/../../b", "/.hidden", "/a/.b", "/%2e%2e/a", "/a%2f..%2fb", "/a//b", "/", "/a/", "a", "/a%00b",
            "/a\\b", "/a b", "/ä", "/%zz", "/a/b/c/d/e/f/g/h/i", "//a", "/%61/b", "/a/%4D", "/a%2fb", "/a%2Fb",
            "/a/%2e/b",
            "/./a", "/a/..", "http://a/b",
        ]
    )
    func refused(target: String) { #expect(ChannelPath.path(ofTarget: target) == nil) }

    @Test("Paths are decoded")
    func decoded() {
        #expect(ChannelPath.path(ofTarget: "/a%20b/c.m4s") == "a b/c.m4s")
        #expect(ChannelPath.channel(of: "a/b/c.m4s") == "a")
        #expect(ChannelPath.channel(of: "main.m3u8") == "")
    }

    @Test("Single ranges are parsed (RFC 9110, 14.1.2)")
    func ranges() {
        #expect(RequestedRange("bytes=0-499") == .closed(first: 0, last: 499))
        #expect(RequestedRange("Bytes=500-") == .from(first: 500))
        #expect(RequestedRange("bytes=-5") == .suffix(length: 5))
        // RFC 8673: the last position for a range whose end is not known.
        #expect(RequestedRange("bytes=7-9007199254740991") == .from(first: 7))
        #expect(RequestedRange("bytes=7-99999999999999999999999") == .from(first: 7))
        for field in [
            "bytes=0-1,5-6", "bytes=5-4", "items=0-1", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=--5",
        ] {
            #expect(RequestedRange(field) == nil)
        }
    }

    @Test("Ranges of complete and growing files")
    func deliveries() {
        func delivery(_ field: String?, _ count: Int, _ isComplete: Bool) -> Delivery {
            Delivery(field.flatMap(RequestedRange.init), count: count, isComplete: isComplete)
        }
        #expect(delivery(nil, 100, true) == .whole(100))
        #expect(delivery("bytes=10-19", 100, true) == .range(10..<20, size: 100))
        #expect(delivery("bytes=90-1000", 100, true) == .range(90..<100, size: 100))
        #expect(delivery("bytes=90-", 100, true) == .range(90..<100, size: 100))
        #expect(delivery("bytes=-30", 100, true) == .range(70..<100, size: 100))
        #expect(delivery("bytes=-300", 100, true) == .range(0..<100, size: 100))
        #expect(delivery("bytes=100-", 100, true) == .unsatisfiable(size: 100))
        #expect(delivery("bytes=-0", 100, true) == .unsatisfiable(size: 100))
        #expect(delivery(nil, 0, false) == .wait)
        #expect(delivery(nil, 100, false) == .growing(from: 0, isRange: false))
        #expect(delivery("bytes=10-99", 100, false) == .range(10..<100, size: nil))
        #expect(delivery("bytes=10-100", 100, false) == .wait)
        #expect(delivery("bytes=10-", 100, false) == .growing(from: 10, isRange: true))
        #expect(delivery("bytes=100-", 100, false) == .wait)
        #expect(delivery("bytes=-10", 100, false) == .wait)
    }
}
