import ContentKeySession
import HLSPlaylist
import StreamValidation
import Synchronization
import Testing

@testable import keyway

/// Tests of `keyway playlist check --watch` as stories that are told to a watch, without waiting.
@Suite("keyway playlist check --watch", .timeLimit(.minutes(10)))
struct PlaylistWatchTests {
    /// A watched stream. The watch decides when it loads; the story decides what the server responds.
    private struct Story {
        var watch: PlaylistWatch
        /// The time since the start, in milliseconds.
        var now = 0

        static func file(_ text: String) throws -> LintFile {
            try LintFile(name: "live.m3u8", bytes: Array(text.utf8))
        }

        init(_ text: String, ignoresQueries: Bool = false, isRemote: Bool = true) throws {
            var linter = Linter(rules: LintRule.all.filter { $0.subject == .reload })
            linter.options.ignoresQueries = ignoresQueries
            watch = PlaylistWatch(
                try Self.file(text),
                name: "live.m3u8",
                checks: .init(linter: linter, rules: Set(WatchRule.all.map(\.id))),
                known: [],
                isRemote: isRemote,
                timeout: .seconds(30),
                began: .zero,
                now: .zero
            )
        }

        /// Lets the watch load at its time; the response takes some milliseconds.
        mutating func load(taking time: Int = 0, _ text: (_ now: Int) -> String?) throws {
            let load = try #require(watch.next)
            let began = Int(watch.nextStart / .milliseconds(1))
            now = began + time
            if let text = text(now) {
                watch.loaded(try Self.file(text), load, began: .milliseconds(began), now: .milliseconds(now))
            } else {
                watch.failed("no response", load, began: .milliseconds(began), now: .milliseconds(now))
            }
        }

        /// Ends the watch, and returns the findings as rules with messages.
        mutating func end() -> [String] {
            watch.end(.limit, now: .milliseconds(now))
            return watch.findings.map { "\($0.diagnostic.rule.rawValue): \($0.diagnostic.message)" }
        }
    }

    /// Returns a playlist with ten segments, the last of which has this number.
    private static func live(
        last: Int,
        target: Int = 6,
        duration: Double = 6,
        header: String = "",
        query: String = "",
        end: String = ""
    ) -> String {
        let first = max(0, last - 9)
        let segments = (first...last).map { "#EXTINF:\(duration),\n\($0).ts\(query)\n" }.joined()
        return "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:\(target)\n\(header)#EXT-X-MEDIA-SEQUENCE:\(first)\n"
            + segments + end
    }

    // MARK: Times

    @Test("A stream that adds a segment in each target duration has no findings")
    func onTime() throws {
        var story = try Story(Self.live(last: 10))
        for _ in 0..<100 { try story.load(taking: 50) { Self.live(last: 10 + $0 / 6000) } }
        #expect(story.now > 300_000)
        #expect(story.end() == [])
        #expect(story.watch.summary.newSegments == UInt64(story.now / 6000))
    }

    @Test("Short segments in irregular batches have no findings if they are not faster than time")
    func batches() throws {
        // Segments of 2 seconds under a target duration of 6 seconds, published three at a time.
        var story = try Story(Self.live(last: 12, duration: 2))
        for _ in 0..<100 { try story.load(taking: 50) { Self.live(last: 12 + $0 / 6000 * 3, duration: 2) } }
        #expect(story.end() == [])
    }

    @Test("A stream that stands still is one finding, with the time that is known")
    func standstill() throws {
        var story = try Story(Self.live(last: 10))
        while story.now < 60_000 { try story.load { _ in Self.live(last: 10) } }
        #expect(
            story.end() == [
                "watch-standstill: no new segment for at least 60 s; 1.5 target durations are 9 s, and none since"
            ]
        )
        #expect(story.watch.findings.first?.reload == 2)
    }

    @Test(
        "A stream that stands still and continues is a finding, and a shorter pause is not"
    )
    func pause() throws {
        var story = try Story(Self.live(last: 10))
        // A segment after 8 seconds, then one after 20 seconds.
        while story.now < 28_000 { try story.load { Self.live(last: $0 < 8000 ? 10 : $0 < 28_000 ? 11 : 12) } }
        for _ in 0..<3 { try story.load { Self.live(last: 12 + ($0 - 28_000) / 6000) } }
        let found = story.end()
        #expect(found.count == 1)
        #expect(
            found.first?.contains("no new segment for at least 18 s; 1.5 target durations are 9 s") == true,
            "\(found)"
        )
        #expect(found.first?.contains("none since") == false)
    }

    @Test("Segments that come faster than half a target duration are one finding, with their number")
    func early() throws {
        var story = try Story(Self.live(last: 10))
        for _ in 0..<10 { try story.load { Self.live(last: 10 + $0 / 2000) } }
        let found = story.end()
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("watch-early-update: new segments appeared less than half a target duration (3 s)")
                == true,
            "\(found)"
        )
        // Two loads are enough if there are several new segments.
        var immediate = try Story(Self.live(last: 10))
        try immediate.load { Self.live(last: 10 + $0 / 2000) }
        #expect(immediate.end() == [])
        immediate = try Story(Self.live(last: 10))
        try immediate.load { Self.live(last: 10 + $0 / 1000) }
        #expect(immediate.end().count == 1)
        // Segments of two seconds, one at a time.
        var short = try Story(Self.live(last: 10, duration: 2))
        for _ in 0..<10 { try short.load { Self.live(last: 10 + $0 / 2000, duration: 2) } }
        #expect(short.end().count == 1)
    }

    // MARK: Failures

    @Test("Failed reloads in a row are one finding, and end nothing; the pauses between attempts become longer")
    func failures() throws {
        var story = try Story(Self.live(last: 10))
        try story.load { Self.live(last: 10 + $0 / 6000) }
        var starts: [Int] = []
        for _ in 0..<6 {
            try story.load { _ in nil }
            starts.append(story.now)
        }
        let pauses = zip(starts, starts.dropFirst()).map { $1 - $0 }
        #expect(pauses == [3000, 6000, 12_000, 24_000, 30_000])
        try story.load { Self.live(last: 10 + $0 / 6000) }
        try story.load { _ in nil }
        try story.load { Self.live(last: 10 + $0 / 6000) }
        #expect(
            story.end() == [
                "watch-load-failed: the reload failed: no response; so did the 5 attempts after it",
                "watch-load-failed: the reload failed: no response",
            ]
        )
        #expect(story.watch.summary.failures == 7)
    }

    @Test("A response that is not a Media Playlist is a failed reload")
    func otherResponse() throws {
        var story = try Story(Self.live(last: 10))
        try story.load { _ in "<html>sign in</html>" }
        try story.load { _ in "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n" }
        try story.load { Self.live(last: 10 + $0 / 6000) }
        let found = story.end()
        #expect(found.count == 1)
        #expect(found.first?.contains("the response is not a Media Playlist; so did the 1 attempt") == true, "\(found)")
    }

    @Test("A stream that ends is not loaded again, and its last segment may come early")
    func ends() throws {
        var story = try Story(Self.live(last: 10))
        try story.load { _ in Self.live(last: 11, end: "#EXT-X-ENDLIST\n") }
        #expect(story.watch.next == nil)
        #expect(story.end() == [])
        #expect(story.watch.summary.end == .ended)
    }

    @Test("A stream that starts again with lower numbers is a finding, and is watched further")
    func startsAgain() throws {
        var story = try Story(Self.live(last: 100))
        try story.load { _ in Self.live(last: 3) }
        for _ in 0..<5 { try story.load { Self.live(last: 3 + $0 / 6000) } }
        let found = story.end()
        #expect(found.filter { $0.hasPrefix("reload-sequence-decreased") }.count == 1, "\(found)")
        #expect(!found.contains { $0.hasPrefix("watch-") }, "\(found)")
    }

    // MARK: Queries

    @Test("Tokens that change with each reload are ignored on request", arguments: [false, true])
    func queries(ignores: Bool) throws {
        var story = try Story(Self.live(last: 10, query: "?token=0"), ignoresQueries: ignores)
        for _ in 0..<3 { try story.load { Self.live(last: 10 + $0 / 6000, query: "?token=\($0)") } }
        let found = story.end()
        #expect(found.isEmpty == ignores, "\(found)")
    }

    // MARK: Low latency

    private static let control = "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36,PART-HOLD-BACK=3\n"

    @Test("Blocking reloads wait for the next segment, and delta updates are requested and completed")
    func blocking() throws {
        var story = try Story(Self.live(last: 10, header: Self.control))
        for number in 11...20 {
            let load = try #require(story.watch.next)
            #expect(load.mediaSequenceNumber == UInt64(number))
            #expect(load.skip == .segments)
            try story.load(taking: 6000) { _ in
                // Ten segments, of which the first four are skipped.
                let lines = Self.live(last: number, header: Self.control).split(separator: "\n")
                let first = lines.firstIndex { $0.hasPrefix("#EXTINF") } ?? 0
                return (lines[..<first] + ["#EXT-X-SKIP:SKIPPED-SEGMENTS=4"] + lines[(first + 8)...])
                    .joined(separator: "\n") + "\n"
            }
        }
        #expect(story.end() == [])
        #expect(story.watch.summary.newSegments == 10)
    }

    @Test("A response that a server does not delay is a finding")
    func blockIgnored() throws {
        var story = try Story(Self.live(last: 10, header: Self.control))
        try story.load { _ in Self.live(last: 10, header: Self.control) }
        let found = story.end()
        #expect(found == ["watch-block-ignored: the response to a blocking reload does not contain segment 11"])
    }

    @Test("A file is not expected to delay a response")
    func file() throws {
        var story = try Story(Self.live(last: 10, header: Self.control), isRemote: false)
        let load = try #require(story.watch.next)
        #expect(!load.isBlocking && load.skip == nil)
        for _ in 0..<10 { try story.load { Self.live(last: 10 + $0 / 6000, header: Self.control) } }
        #expect(story.end() == [])
    }

    @Test("A delayed response is a standstill after 1.5 target durations, whether it is a segment or an error")
    func delayed() throws {
        for isError in [false, true] {
            var story = try Story(Self.live(last: 10, header: Self.control))
            try story.load(taking: 10_000) { _ in isError ? nil : Self.live(last: 11, header: Self.control) }
            #expect(story.end().contains { $0.hasPrefix("watch-standstill: no new segment for at least 10.1 s") })
        }
    }

    @Test("Partial segments are waited for")
    func parts() throws {
        let header = Self.control + "#EXT-X-PART-INF:PART-TARGET=1\n"
        func text(_ parts: Int) -> String {
            Self.live(last: 10, header: header)
                + (0..<parts).map { "#EXT-X-PART:DURATION=1,URI=\"11.\($0).ts\"\n" }.joined()
        }
        var story = try Story(text(0))
        for part in 0..<3 {
            #expect(story.watch.next?.mediaSequenceNumber == 11)
            #expect(story.watch.next?.part == UInt64(part))
            try story.load(taking: 1000) { _ in text(part + 1) }
        }
        #expect(story.end() == [])
        try #require(story.watch.findings.isEmpty)
    }
}
