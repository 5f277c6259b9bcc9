import HLSPlaylist
import Testing

@testable import StreamPlayer

/// Variants of 1, 2, 4 and 8 Mbit/s, with increasing quality.
func ladder(_ megabits: [UInt64] = [1, 2, 4, 8]) -> MultivariantPlaylist {
    var playlist = MultivariantPlaylist()
    playlist.variants = megabits.map { rate in
        var tag = StreamInfTag(VariantAttributes(bandwidth: rate * 1_000_000))
        tag.attributes.resolution = Resolution(width: rate * 160, height: rate * 90)
        return Variant(tag, uri: "\(rate).m3u8")
    }
    return playlist
}

func controller(
    _ playlist: MultivariantPlaylist = ladder(),
    settings: QualitySettings = QualitySettings()
) -> QualityController {
    var abilities = PlayerCapabilities(codecs: .highDefinition)
    abilities.safetyFactor = 1
    var selector = VariantSelector(abilities)
    selector.upSwitchMargin = 0
    return QualityController(playlist, selector: selector, settings: settings)
}

@Suite("The choice of a variant for the next segment")
struct QualityControllerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The buffer in seconds and the throughput in Mbit/s at the start, and one second later or at the given time.
        var first: UInt64 = 4
        var buffer: Double
        var throughput: UInt64
        var at = Duration.seconds(1)
        /// True if a switch occurred at second 0.
        var hasSwitched = false
        let chosen: String
        let reason: QualityDecision.Reason
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "nothing changes", buffer: 15, throughput: 4_500_000, chosen: "4.m3u8", reason: .steady),
        Row(name: "up", buffer: 15, throughput: 9_000_000, chosen: "8.m3u8", reason: .throughput(9_000_000)),
        Row(
            name: "up at the mark",
            buffer: 10,
            throughput: 8_000_000,
            chosen: "8.m3u8",
            reason: .throughput(8_000_000)
        ),
        Row(name: "not up below it", buffer: 9.9, throughput: 9_000_000, chosen: "4.m3u8", reason: .bufferLow(9.9)),
        Row(name: "down", buffer: 15, throughput: 3_000_000, chosen: "2.m3u8", reason: .throughput(3_000_000)),
        Row(name: "far down", buffer: 24.9, throughput: 10, chosen: "1.m3u8", reason: .throughput(10)),
        Row(name: "not down when rich", buffer: 25, throughput: 3_000_000, chosen: "4.m3u8", reason: .bufferHigh(25)),
        Row(name: "down to be safe", buffer: 3.9, throughput: 4_500_000, chosen: "2.m3u8", reason: .bufferLow(3.9)),
        Row(name: "safe enough", buffer: 3.9, throughput: 8_100_000, chosen: "4.m3u8", reason: .bufferLow(3.9)),
        Row(name: "low, steady", buffer: 3.9, throughput: 7_900_000, chosen: "2.m3u8", reason: .bufferLow(3.9)),
        Row(
            name: "too soon",
            buffer: 20,
            throughput: 9_000_000,
            at: .milliseconds(7999),
            hasSwitched: true,
            chosen: "4.m3u8",
            reason: .tooSoon(until: .seconds(8))
        ),
        Row(
            name: "not too soon",
            buffer: 20,
            throughput: 9_000_000,
            at: .seconds(8),
            hasSwitched: true,
            chosen: "8.m3u8",
            reason: .throughput(9_000_000)
        ),
        Row(
            name: "never too soon to go down",
            buffer: 20,
            throughput: 1_000_000,
            at: .milliseconds(1),
            hasSwitched: true,
            chosen: "1.m3u8",
            reason: .throughput(1_000_000)
        ),
        Row(
            name: "a buffer that is not a number counts as empty",
            buffer: .nan,
            throughput: 9_000_000,
            chosen: "4.m3u8",
            reason: .bufferLow(0)
        ),
        Row(name: "endless numbers", buffer: .infinity, throughput: .max, chosen: "8.m3u8", reason: .throughput(.max)),
    ]

    @Test("the first row that applies decides", arguments: rows)
    func decision(row: Row) {
        var controller = controller()
        let first: UInt64 = row.hasSwitched ? 2_000_000 : 4_000_000
        _ = controller.next(buffer: 0, throughput: first, now: .zero)
        if row.hasSwitched { _ = controller.next(buffer: 12, throughput: 4_000_000, now: .zero) }
        _ = controller.next(buffer: 20, throughput: 4_000_000, now: .zero)
        #expect(controller.current?.uri == "4.m3u8")
        let before = controller.counts
        let decision = controller.next(buffer: row.buffer, throughput: row.throughput, now: row.at)
        #expect(decision.variant?.uri == row.chosen)
        #expect(decision.reason == row.reason)
        #expect(decision.previous?.uri == "4.m3u8")
        #expect(decision.isSwitch == (row.chosen != "4.m3u8"))
        let bandwidth = decision.variant?.bandwidth ?? 0
        #expect(controller.counts.up - before.up == (bandwidth > 4_000_000 ? 1 : 0))
        #expect(controller.counts.down - before.down == (bandwidth < 4_000_000 ? 1 : 0))
    }

    @Test("the start selects what fits, and reports the fit")
    func start() {
        var controller = controller()
        let decision = controller.next(buffer: 0, throughput: 2_500_000, now: .zero)
        #expect(decision.variant?.uri == "2.m3u8")
        #expect(decision.reason == .start(.good))
        #expect(!decision.isSwitch)
        var poor = self.controllerAtStart(throughput: 3)
        #expect(poor.next(buffer: 5, throughput: 3, now: .seconds(1)).reason == .steady)
        #expect(controller.counts == SwitchCounts())
    }

    private func controllerAtStart(throughput: UInt64) -> QualityController {
        var result = controller()
        let decision = result.next(buffer: 0, throughput: throughput, now: .zero)
        #expect(decision.reason == .start(.aboveBandwidth))
        #expect(decision.variant?.uri == "1.m3u8")
        return result
    }

    @Test("a buffer that was never filled, or was emptied by a seek, is not low")
    func filling() {
        var controller = controller()
        _ = controller.next(buffer: 0, throughput: 4_500_000, now: .zero)
        #expect(controller.next(buffer: 2, throughput: 4_500_000, now: .seconds(1)).reason == .steady)
        _ = controller.next(buffer: 4, throughput: 4_500_000, now: .seconds(2))
        controller.bufferWasEmptied()
        #expect(controller.next(buffer: 1, throughput: 4_500_000, now: .seconds(3)).reason == .steady)
        _ = controller.next(buffer: 4, throughput: 4_500_000, now: .seconds(4))
        #expect(controller.next(buffer: 1, throughput: 4_500_000, now: .seconds(5)).reason == .bufferLow(1))
    }

    @Test("a throughput that varies between the thresholds has no effect")
    func hysteresis() {
        var controller = controller()
        controller.selector.upSwitchMargin = 0.15
        _ = controller.next(buffer: 0, throughput: 4_000_000, now: .zero)
        for second in 1...60 {
            let throughput: UInt64 = second.isMultiple(of: 2) ? 4_000_000 : 9_100_000
            let decision = controller.next(buffer: 20, throughput: throughput, now: .seconds(second))
            #expect(decision.reason == .steady)
        }
        #expect(controller.counts == SwitchCounts())
    }

    @Test("a single variant, no variant, and no playable variant")
    func few() {
        var one = controller(ladder([2]))
        _ = one.next(buffer: 0, throughput: 5, now: .zero)
        #expect(one.next(buffer: 0, throughput: 9_000_000, now: .seconds(1)).reason == .onlyOne)
        var none = controller(ladder([]))
        let decision = none.next(buffer: 0, throughput: 5, now: .zero)
        #expect(decision.reason == .nothingPlayable)
        #expect(decision.variant == nil)
        var unknown = ladder([1, 2])
        for index in unknown.variants.indices { unknown.variants[index].codecs = ["zzzz.1"] }
        var unplayable = controller(unknown)
        #expect(unplayable.next(buffer: 0, throughput: 5, now: .zero).reason == .nothingPlayable)
    }

    @Test("a limit that is set during playback is enforced at once, regardless of the buffer")
    func limits() throws {
        var controller = controller()
        _ = controller.next(buffer: 0, throughput: 9_000_000, now: .zero)
        controller.selector.abilities.bandwidthCap = 3_000_000
        let decision = controller.next(buffer: 60, throughput: 9_000_000, now: .seconds(1))
        #expect(decision.variant?.uri == "2.m3u8")
        #expect(decision.reason == .noLongerFits([.bandwidthAboveCap(8_000_000, cap: 3_000_000)]))
        #expect(controller.counts.down == 1)
    }

    @Test("settings for a small buffer can be reached in it")
    func fitting() {
        let settings = QualitySettings().fitting(buffer: 6)
        #expect(settings.upSwitchBuffer == 3)
        #expect(abs(settings.lowBuffer - 1.2) < 1e-9)
        #expect(abs(settings.highBuffer - 5.4) < 1e-9)
        #expect(QualitySettings().fitting(buffer: 100) == QualitySettings())
    }

    @Test("the bit rate of a variant without BANDWIDTH is measured, and then limits the choice")
    func measurement() throws {
        // The second variant is the better one, but its tag has no BANDWIDTH.
        var playlist = ladder([1, 4])
        playlist.variants[1].bandwidth = 0
        var controller = controller(playlist)
        let first = controller.next(buffer: 0, throughput: 2_000_000, now: .zero)
        #expect(first.variant?.uri == "4.m3u8")
        #expect(controller.next(buffer: 15, throughput: 2_000_000, now: .seconds(1)).reason == .steady)
        let variant = try #require(controller.current)
        controller.measure(bytes: 500_000, duration: 4, of: variant)
        #expect(controller.current?.bandwidth == 1_000_000)
        #expect(controller.next(buffer: 15, throughput: 2_000_000, now: .seconds(2)).reason == .steady)
        controller.measure(bytes: 2_000_000, duration: 4, of: variant)
        // A smaller segment does not change the peak.
        controller.measure(bytes: 1000, duration: 4, of: variant)
        #expect(controller.current?.bandwidth == 4_000_000)
        let down = controller.next(buffer: 15, throughput: 2_000_000, now: .seconds(3))
        #expect(down.variant?.uri == "1.m3u8")
        #expect(down.reason == .throughput(2_000_000))
        // A declared bit rate is not replaced.
        controller.measure(bytes: 9_000_000, duration: 1, of: try #require(down.variant))
        #expect(controller.current?.bandwidth == 1_000_000)
        let up = controller.next(buffer: 15, throughput: 9_000_000, now: .seconds(60))
        #expect(up.variant?.uri == "4.m3u8")
        #expect(controller.counts.down == 1 && controller.counts.up == 1)
        for (bytes, duration) in [(0, 4.0), (.max, 0), (.max, .nan), (-1, 1), (.max, 1e-300)] {
            controller.measure(bytes: bytes, duration: duration, of: variant)
        }
        #expect(controller.current?.bandwidth ?? 0 <= 1_000_000_000_000_000)
    }
}
