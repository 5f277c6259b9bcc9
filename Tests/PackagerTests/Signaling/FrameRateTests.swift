import Testing

@testable import Packager

@Suite("Frame rate")
struct FrameRateTests {
    private static func measure(_ durations: [UInt32], timescale: UInt32) -> FrameRateMeter {
        var meter = FrameRateMeter(timescale: timescale)
        for duration in durations { meter.append(duration) }
        return meter
    }

    private static func rounded(_ rate: Double?) -> Double? { rate.map { ($0 * 1000).rounded() / 1000 } }

    @Test(
        "of constant video is exact",
        arguments: [(1001, 24000, 23.976), (1, 25, 25), (1001, 60000, 59.94), (2, 15, 7.5)]
            as [(UInt32, UInt32, Double)]
    )
    func constant(duration: UInt32, timescale: UInt32, rate: Double) {
        for count in [1, 5, 50, 500] {
            let durations = [UInt32](repeating: duration, count: count)
            #expect(Self.rounded(Self.measure(durations, timescale: timescale).maximum) == rate)
        }
    }

    @Test("is that of the video, not of times rounded to milliseconds", arguments: [23.976, 24, 25, 29.97, 59.94, 60])
    func jitter(rate: Double) {
        let exact = rate == rate.rounded() ? rate : (rate * 1.001).rounded() * 1000 / 1001
        for count in [60, 1000] {
            let times = (0...count).map { Int((Double($0) * 1000 / exact).rounded()) }
            let durations = zip(times, times.dropFirst()).map { UInt32($1 - $0) }
            let found = Self.measure(durations, timescale: 1000).maximum ?? 0
            #expect(abs(found - rate) < (count == 60 ? rate * 0.002 : 0.001))
        }
    }

    @Test("is the highest of variable video (RFC 8216bis, 4.4.6.2), while DASH signals the average")
    func variable() {
        // Two seconds at 30 frames per second, then one at 60.
        let durations = [UInt32](repeating: 3000, count: 60) + [UInt32](repeating: 1500, count: 60)
        let meter = Self.measure(durations, timescale: 90_000)
        #expect(meter.maximum == 60)
        #expect(meter.average == 40)
        // Each third frame, and a quarter of a second with all frames.
        let sparse = [UInt32](repeating: 3, count: 50) + [UInt32](repeating: 1, count: 12) + [3, 3, 3]
        #expect(Self.measure(sparse, timescale: 25).maximum == 25)
    }

    @Test(
        "does not change with a hole, or with the duration of the last sample",
        arguments: [1, 90_000 * 60] as [UInt32]
    )
    func outliers(duration: UInt32) {
        var durations = [UInt32](repeating: 3003, count: 200)
        durations[30] = 900_000
        #expect(Self.rounded(Self.measure(durations, timescale: 90_000).maximum) == 29.97)
        durations[30] = 3003
        durations[199] = duration
        #expect(Self.rounded(Self.measure(durations, timescale: 90_000).maximum) == 29.97)
    }

    @Test("is that of all parts of a film, whatever their timescales")
    func parts() throws {
        func samples(_ count: Int, _ duration: UInt32) -> [MediaSample] {
            (0..<count).map { index in
                MediaSample(
                    bytes: BufferedBytes([]),
                    offset: 0,
                    size: 0,
                    decodeTime: Int64(index) * Int64(duration),
                    duration: duration
                )
            }
        }
        // Two seconds at 50 frames per second, then two at 25.
        var track = try Renditions.videoTrack(width: 64, height: 48)
        track.timescale = 90_000
        var measurement = VideoMeasurement(track)
        measurement.add(samples(100, 1800))
        track.timescale = 25
        measurement.begin(track)
        measurement.add(samples(50, 1))
        var rendition = Rendition(track: track, folder: "video", name: "Video")
        measurement.describe(&rendition)
        #expect(rendition.frameRate == 50)
        #expect(rendition.averageFrameRate == 37.5)
    }

    @Test("is unknown without samples")
    func none() {
        #expect(Self.measure([], timescale: 25).maximum == nil)
        #expect(Self.measure([0, 0, 0], timescale: 25).maximum == nil)
    }
}
