import HLSPlaylist
import Testing

@testable import OfflineAssets

@Suite("Loaded time")
struct BundleTimelineTests {
    private func playlist(_ names: [String], map: String? = nil, gaps: Set<String> = []) -> MediaPlaylist {
        var segments = names.map { MediaSegment(uri: $0, duration: 2.002, isGap: gaps.contains($0)) }
        if let map { segments[0].map = MapTag(uri: map) }
        return MediaPlaylist(targetDuration: 2, segments: segments)
    }

    @Test func aMomentIsLoadedWhenEveryPlaylistHasIt() {
        let files = ["init", "v1", "v2", "v3", "a1", "a2", "a3"]
        var timeline = BundleTimeline(
            [playlist(["v1", "v2", "v3"], map: "init"), playlist(["a1", "a2", "a3"])],
            resources: files
        )
        func add(_ names: String...) -> Int {
            for name in names { timeline.add(files.firstIndex(of: name) ?? -1) }
            return Int((timeline.loaded.duration / 2.002).rounded())
        }
        #expect(add("v1", "v2") == 0)
        #expect(add("init") == 0)
        #expect(add("a2") == 1)
        #expect(timeline.loaded.ranges == [2.002..<4.004])
        #expect(add("a1", "a1") == 2)
        #expect(add("a3", "v3") == 3)
        #expect(timeline.loaded.ranges.count == 1)
    }

    @Test func gapsAndTheEndOfShorterPlaylistsAreLoaded() {
        var timeline = BundleTimeline(
            [playlist(["a", "b", "c"], gaps: ["b"]), playlist(["d"])],
            resources: ["a", "b", "c", "d"]
        )
        #expect(timeline.loaded.ranges.isEmpty == false)
        timeline.add(3)
        timeline.add(2)
        #expect(timeline.loaded.ranges.count == 1)
        #expect(timeline.loaded.ranges[0].lowerBound == 2.002)
        timeline.add(0)
        #expect(timeline.loaded.duration == timeline.duration)
    }

    @Test func severalSegmentsInOneFileComeTogether() {
        var timeline = BundleTimeline([playlist(["a", "a", "b"])], resources: ["a", "b"])
        timeline.add(0)
        #expect(timeline.loaded.ranges == [0..<4.004])
    }
}
