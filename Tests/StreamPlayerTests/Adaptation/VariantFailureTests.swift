import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("Failed variants")
struct VariantFailureTests {
    private func playing(_ playlist: MultivariantPlaylist = ladder()) -> QualityController {
        var result = controller(playlist)
        _ = result.next(buffer: 20, throughput: 4_000_000, now: .zero)
        return result
    }

    @Test("a failed variant is replaced by the best other one, and is available again after its exclusion")
    func pause() throws {
        var controller = playing()
        let failed = try #require(controller.current)
        let noted = controller.failed(failed, .status(404), now: .seconds(1))
        #expect(noted?.until == .seconds(31))
        #expect(controller.excludedVariants(now: .seconds(1)).map(\.uri) == ["4.m3u8"])
        let decision = controller.next(buffer: 20, throughput: 4_000_000, now: .seconds(1))
        #expect(decision.variant?.uri == "2.m3u8")
        #expect(decision.reason == .failed(.status(404)))
        #expect(controller.counts.down == 1)
        let early = controller.next(buffer: 20, throughput: 4_000_000, now: .milliseconds(30_999))
        #expect(early.reason == .steady)
        let late = controller.next(buffer: 20, throughput: 4_000_000, now: .seconds(31))
        #expect(late.variant?.uri == "4.m3u8")
        #expect(controller.excludedVariants(now: .seconds(31)).isEmpty)
    }

    @Test("each failure doubles the exclusion, up to a limit, until a success")
    func doubling() throws {
        var controller = playing()
        let variant = try #require(controller.current)
        var pauses: [Duration?] = []
        for _ in 0..<2000 { pauses.append(controller.failed(variant, .noResponse, now: .zero)?.until) }
        #expect(
            pauses.prefix(6) == [
                .seconds(30), .seconds(60), .seconds(120), .seconds(240), .seconds(480), .seconds(480),
            ]
        )
        #expect(pauses.last == .seconds(480))
        controller.succeeded(variant)
        #expect(controller.failed(variant, .noResponse, now: .zero)?.until == .seconds(30))
    }

    @Test("a refused key excludes permanently, regardless of later events")
    func permanently() throws {
        var controller = playing()
        let variant = try #require(controller.current)
        let noted = controller.failed(variant, .keyRefused, now: .zero)
        #expect(noted?.failure == .keyRefused)
        #expect(noted?.until == nil)
        #expect(controller.failed(variant, .noResponse, now: .zero)?.failure == .keyRefused)
        controller.succeeded(variant)
        #expect(controller.next(buffer: 20, throughput: 4_000_000, now: .seconds(100_000)).variant?.uri == "2.m3u8")
        #expect(controller.failed(ladder().variants[0], .unreadable, permanently: true, now: .zero)?.until == nil)
    }

    @Test("all variants of one Media Playlist fail together; a variant of the same rate is not a switch down")
    func sharing() throws {
        var playlist = ladder([4, 4, 4])
        playlist.variants[1].streamInf.audio = "other"
        playlist.variants[2].uri = "backup.m3u8"
        var controller = playing(playlist)
        let variant = try #require(controller.current)
        #expect(variant.uri == "4.m3u8")
        controller.failed(variant, .status(410), now: .zero)
        let decision = controller.next(buffer: 20, throughput: 4_000_000, now: .zero)
        #expect(decision.variant?.uri == "backup.m3u8")
        #expect(controller.counts.sideways == 1)
        #expect(controller.counts.down == 0)
        #expect(controller.next(buffer: 20, throughput: 4_000_000, now: .seconds(1)).reason == .onlyOne)
    }

    @Test("if all variants are excluded there is no choice, and the end of the first exclusion is reported")
    func all() {
        var controller = playing(ladder([1, 2]))
        let variants = ladder([1, 2]).variants
        controller.failed(variants[0], .keyRefused, now: .zero)
        controller.failed(variants[1], .stale, now: .seconds(5))
        let decision = controller.next(buffer: 20, throughput: 4_000_000, now: .seconds(6))
        #expect(decision.variant == nil)
        #expect(decision.reason == .allExcluded(until: .seconds(35)))
        #expect(controller.next(buffer: 20, throughput: 4_000_000, now: .seconds(35)).variant?.uri == "2.m3u8")
        controller.failed(variants[1], .keyRefused, now: .seconds(36))
        #expect(controller.next(buffer: 0, throughput: 1, now: .seconds(36)).reason == .allExcluded(until: nil))
    }

    @Test("a variant of another playlist is ignored")
    func strangers() {
        var controller = playing()
        let stranger = Variant(StreamInfTag(VariantAttributes(bandwidth: 1)), uri: "elsewhere.m3u8")
        #expect(controller.failed(stranger, .keyRefused, now: .zero) == nil)
        #expect(controller.failures.isEmpty)
    }
}
