import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Recorded tracks")
struct RecordedTrackTests {
    private static let url = "https://live.test/a/live.m3u8?token=1"

    /// Returns a live playlist with segments of two seconds.
    private func live(
        _ numbers: Range<UInt64>,
        name: String = "s",
        before: [UInt64: String] = [:],
        end: String = ""
    ) throws -> MediaPlaylist {
        let lines = numbers.map { "\(before[$0] ?? "")#EXTINF:2.0,\n\(name)\($0).ts\n" }.joined()
        let head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
        return try MediaPlaylist(parsing: Array((head + lines + end).utf8))
    }

    private func add(_ playlist: MediaPlaylist, to track: inout RecordedTrack) throws -> RecordedTrack.Addition {
        try track.add(playlist, url: Self.url, maximumDuration: 1000)
    }

    @Test func startAtTheLiveEdgeAndFollowTheWindow() throws {
        var track = RecordedTrack(name: "variant-1")
        let first = try add(live(10..<20), to: &track)
        #expect(first.resources.map(\.url) == (17..<20).map { "https://live.test/a/s\($0).ts" })
        #expect(first.resources.map(\.file) == (1...3).map { "media/variant-1/00000\($0).ts" })
        #expect(try add(live(10..<20), to: &track).segmentCount == 0)
        let second = try add(live(12..<22), to: &track)
        #expect(second.segmentCount == 2 && second.missing.isEmpty)
        #expect(track.playlist.mediaSequence == 17 && track.next == 22 && track.duration == 10)
        #expect(!track.playlist.segments.contains { $0.isDiscontinuity })
        let end = try add(live(12..<23, end: "#EXT-X-ENDLIST\n"), to: &track)
        #expect(end.segmentCount == 1 && track.isEnded)
    }

    @Test func stopAtTheirDuration() throws {
        var track = RecordedTrack(name: "variant-1")
        _ = try track.add(live(0..<3), url: Self.url, maximumDuration: 7)
        _ = try track.add(live(0..<9), url: Self.url, maximumDuration: 7)
        #expect(track.duration == 8)
    }

    @Test func reportWhatLeftTheWindow() throws {
        var track = RecordedTrack(name: "audio-1")
        _ = try add(live(0..<3), to: &track)
        let later = try add(live(7..<9), to: &track)
        #expect(later.missing == ["audio-1: 4 segments before segment 7: no longer in the playlist"])
        #expect(track.playlist.segments.map(\.isDiscontinuity) == [false, false, false, true, false])
    }

    @Test func ignoreAnOutdatedCopyOfThePlaylist() throws {
        var track = RecordedTrack(name: "variant-1")
        _ = try add(live(0..<8), to: &track)
        let outdated = try add(live(0..<7), to: &track)
        #expect(outdated.segmentCount == 0 && outdated.missing.isEmpty)
        #expect(try add(live(2..<9), to: &track).segmentCount == 1)
        #expect(!track.playlist.segments.contains { $0.isDiscontinuity })
    }

    @Test(arguments: [0..<3 as Range<UInt64>, 5..<8])
    func continueAfterARestartOfTheEncoder(_ numbers: Range<UInt64>) throws {
        var track = RecordedTrack(name: "variant-1")
        _ = try add(live(2..<8), to: &track)
        let restarted = try add(live(numbers, name: "new"), to: &track)
        // In a lower range, only the repetition distinguishes a restart from an outdated copy.
        let addition = numbers.lowerBound == 5 ? restarted : try repeated(live(numbers, name: "new"), &track)
        #expect(addition.segmentCount == 3)
        #expect(
            addition.missing == ["variant-1: the encoder was restarted, media before its first segment may be missing"]
        )
        #expect(track.playlist.segments.map(\.isDiscontinuity) == [false, false, false, true, false, false])
        #expect(track.next == numbers.upperBound)
    }

    /// Adds a playlist until it has an effect, at most four times.
    private func repeated(_ playlist: MediaPlaylist, _ track: inout RecordedTrack) throws -> RecordedTrack.Addition {
        for _ in 0..<2 {
            let addition = try add(playlist, to: &track)
            if addition.segmentCount > 0 { return addition }
        }
        return try add(playlist, to: &track)
    }

    @Test func keepTheInitializationVectorsOfMediaSequenceNumbers() throws {
        var track = RecordedTrack(name: "variant-1")
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\"\n"
        _ = try add(live(4..<7, before: [4: key]), to: &track)
        #expect(track.playlist.segments.map(\.keys.count) == [1, 0, 0])
        #expect(track.playlist.segments[0].keys[0].uri == "https://live.test/a/k1")
        // After a gap, the local numbers differ.
        _ = try add(live(9..<11, before: [9: key]), to: &track)
        let tags = track.playlist.segments.suffix(2).map { $0.keys.last }
        #expect(tags.map { $0?.iv } == [9, 10].map { InitializationVector(mediaSequenceNumber: $0) })
        let resolved = Array(try track.playlist.resolvedSegments())
        #expect(
            resolved.map { $0.initializationVector(for: $0.keys.keys[0]) }
                == [4, 5, 6, 9, 10].map {
                    InitializationVector(mediaSequenceNumber: $0)
                }
        )
    }

    @Test func followTheRotationOfKeysAndInitSegments() throws {
        var track = RecordedTrack(name: "variant-1")
        let map = "#EXT-X-MAP:URI=\"init.mp4\"\n"
        let key = { (number: Int) in
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://\(number)\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        }
        let first = try add(live(0..<3, before: [0: map + key(1)]), to: &track)
        #expect(first.resources.count == 4)
        #expect(first.keys.groups.map { $0.map(\.identifier) } == [["skd://1"]])
        // The window repeats the tags that apply to its first segment.
        let second = try add(live(1..<5, before: [1: map + key(1), 4: key(2)]), to: &track)
        #expect(second.resources.count == 2)
        let end = "#EXT-X-KEY:METHOD=NONE\n"
        let third = try add(live(2..<6, before: [2: map + key(1), 4: key(2), 5: end]), to: &track)
        #expect(third.segmentCount == 1)
        let resolved = Array(try track.playlist.resolvedSegments())
        #expect(
            resolved.map { $0.keys.keys.first?.uri } == ["skd://1", "skd://1", "skd://1", "skd://1", "skd://2", nil]
        )
        #expect(Set(resolved.map { $0.initialization?.map.uri }) == ["media/variant-1/000001.mp4"])
        #expect(resolved[0].initialization?.keys.isEncrypted == false)
    }

    @Test func resumeAfterACrash() throws {
        var track = RecordedTrack(name: "variant-1")
        let map = "#EXT-X-MAP:URI=\"init.mp4\"\n"
        let first = try add(live(0..<3, before: [0: map]), to: &track)
        let (stored, next) = (track.playlist, track.next)
        _ = try add(live(0..<4, before: [0: map]), to: &track)
        // The playlist was written, but not the description.
        var resumed = RecordedTrack(name: "variant-1", resuming: track.playlist, next: next, resources: first.resources)
        #expect(resumed.playlist.segments == stored.segments && resumed.duration == 6)
        let addition = try add(live(2..<5, before: [2: map]), to: &resumed)
        #expect(addition.resources.map(\.url) == ["https://live.test/a/s3.ts", "https://live.test/a/s4.ts"])
        #expect(resumed.playlist.segments.last?.map == nil && addition.missing.isEmpty)
        #expect(addition.resources[0].file == "media/variant-1/000005.ts")
    }
}
