import Packager
import Testing

@Suite("Segmenter")
struct SegmenterTests {
    typealias Sample = (track: Int, timing: Segmenter.Timing)

    /// Samples of equal duration; those at multiples of `every` are sync samples.
    static func track(_ index: Int, count: Int, duration: Int64, timescale: UInt32, every: Int, start: Int64 = 0)
        -> [Sample]
    {
        (0..<count).map { number in
            let time = RationalTime(start + Int64(number) * duration, timescale: timescale)
            return (index, Segmenter.Timing(decode: time, presentation: time, isSync: number.isMultiple(of: every)))
        }
    }

    /// Adds samples in decoding order, and returns the number of samples in each track's segments.
    static func run(_ tracks: [Segmenter.Track], _ samples: [Sample], target: Int64 = 6) throws -> [[Int]] {
        var segmenter = Segmenter(tracks: tracks, target: RationalTime(target, timescale: 1))
        var segments = tracks.map { _ in [0] }
        func take(_ decisions: [Segmenter.Decision]) {
            for decision in decisions {
                switch decision {
                case .append(let track, _): segments[track][segments[track].count - 1] += 1
                case .cut(let track, _): segments[track].append(0)
                }
            }
        }
        for sample in samples { take(try segmenter.add(sample.timing, track: sample.track)) }
        for track in tracks.indices { take(try segmenter.end(track: track)) }
        return segments.map { $0.last == 0 ? Array($0.dropLast()) : $0 }
    }

    static func merged(_ tracks: [[Sample]]) -> [Sample] {
        tracks.flatMap { $0 }.sorted { ($0.timing.decode, $0.track) < ($1.timing.decode, $1.track) }
    }

    static let video = Segmenter.Track(isVideo: true, name: "video")
    static let audio = Segmenter.Track(isVideo: false, name: "audio")

    @Test("cuts video at the first sync sample of each grid point")
    func video() throws {
        // 25 frames per second, a key frame every two seconds, 20 seconds.
        let samples = Self.track(0, count: 500, duration: 1, timescale: 25, every: 50)
        #expect(try Self.run([Self.video], samples) == [[150, 150, 150, 50]])
    }

    @Test("cuts the other tracks on a grid of their own if the leading track is empty")
    func emptyLeader() throws {
        let samples = Self.track(1, count: 60, duration: 1, timescale: 1, every: 1, start: 10)
        let segments = try Self.run([Self.video, Self.audio], samples)
        #expect(segments == [[], [Int](repeating: 6, count: 10)])
    }

    @Test("does not drift if the key frame interval does not divide the target duration")
    func grid() throws {
        // A key frame every four seconds: 0, 8, 12, 20, 24 are the first at or after 0, 6, 12, 18, 24.
        let samples = Self.track(0, count: 28, duration: 1, timescale: 1, every: 4)
        #expect(try Self.run([Self.video], samples) == [[8, 4, 8, 4, 4]])
    }

    @Test("cuts at the first sync sample of a splice, and continues the grid from there")
    func splice() throws {
        let samples = Self.track(0, count: 40, duration: 1, timescale: 2, every: 2)
        var segmenter = Segmenter(tracks: [Self.video], target: RationalTime(6, timescale: 1))
        var cuts: [Double] = []
        for sample in samples {
            segmenter.earliestSplice = cuts.last ?? 0 < 8 ? RationalTime(15, timescale: 2) : nil
            for case .cut(_, let next?) in try segmenter.add(sample.timing, track: 0) { cuts.append(next.seconds) }
            if sample.timing.presentation.seconds == 6 {
                #expect(segmenter.nextCut == RationalTime(15, timescale: 2))
            }
        }
        #expect(cuts == [6, 8, 14])
    }

    @Test("skips grid points between two key frames")
    func longGroups() throws {
        let samples = Self.track(0, count: 60, duration: 1, timescale: 1, every: 20)
        #expect(try Self.run([Self.video], samples) == [[20, 20, 20]])
    }

    @Test("cuts audio at the first sample presented at or after the cut of the video")
    func audio() throws {
        let video = Self.track(0, count: 300, duration: 1, timescale: 25, every: 50)
        let audio = Self.track(1, count: 563, duration: 1024, timescale: 48_000, every: 1)
        // 6 s is 281.25 audio frames: frame 282 is the first that starts after it.
        #expect(try Self.run([Self.video, Self.audio], Self.merged([video, audio])) == [[150, 150], [282, 281]])
    }

    @Test("buffers audio that is ahead until the video has caught up")
    func audioAhead() throws {
        let video = Self.track(0, count: 300, duration: 1, timescale: 25, every: 50)
        let audio = Self.track(1, count: 563, duration: 1024, timescale: 48_000, every: 1)
        #expect(try Self.run([Self.video, Self.audio], audio + video) == [[150, 150], [282, 281]])
        #expect(try Self.run([Self.video, Self.audio], video + audio) == [[150, 150], [282, 281]])
    }

    @Test("uses audio as the leader if there is no video")
    func audioOnly() throws {
        let audio = Self.track(0, count: 30, duration: 1, timescale: 2, every: 1)
        #expect(try Self.run([Self.audio], audio) == [[12, 12, 6]])
    }

    @Test("continues along the grid if audio is longer than the video")
    func audioLonger() throws {
        let video = Self.track(0, count: 12, duration: 1, timescale: 1, every: 1)
        let audio = Self.track(1, count: 20, duration: 1, timescale: 1, every: 1)
        #expect(try Self.run([Self.video, Self.audio], Self.merged([video, audio])) == [[6, 6], [6, 6, 6, 2]])
    }

    @Test("rejects video renditions with unaligned key frames, and reports the time")
    func unaligned() throws {
        let first = Self.track(0, count: 300, duration: 1, timescale: 25, every: 50)
        let second = Self.track(1, count: 300, duration: 1, timescale: 25, every: 40)
        let other = Segmenter.Track(isVideo: true, name: "other")
        #expect(
            throws: Segmenter.Failure.unalignedVideo(
                track: "other",
                leader: "video",
                cut: RationalTime(6, timescale: 1),
                next: RationalTime(160, timescale: 25)
            )
        ) { try Self.run([Self.video, other], Self.merged([first, second])) }
        #expect(
            try Self.run([Self.video, other], Self.merged([first, first.map { (1, $0.timing) }])) == [
                [150, 150], [150, 150],
            ]
        )
    }

    @Test("rejects video that does not start with a key frame")
    func noKeyFrame() throws {
        let samples = Array(Self.track(0, count: 10, duration: 1, timescale: 1, every: 5).dropFirst())
        #expect(throws: Segmenter.Failure.noSyncSampleAtStart(track: "video")) { try Self.run([Self.video], samples) }
    }

    @Test("rejects input in which a track is too far ahead")
    func badInterleaving() throws {
        var segmenter = Segmenter(
            tracks: [Self.video, Self.audio],
            target: RationalTime(6, timescale: 1),
            maximumWaiting: 100
        )
        let failure = Segmenter.Failure.badInterleaving(track: "audio", leader: "video", waiting: 100)
        #expect(throws: failure) {
            for sample in Self.track(1, count: 102, duration: 1, timescale: 1, every: 1) {
                _ = try segmenter.add(sample.timing, track: 1)
            }
        }
    }
}
