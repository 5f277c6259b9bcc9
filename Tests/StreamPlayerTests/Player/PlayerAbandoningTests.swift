import HLSPlaylist
import StreamPlayer
import Testing

@Suite("A player whose network becomes slow in the middle of a segment", .timeLimit(.minutes(10)))
struct PlayerAbandoningTests {
    private static let multivariant = """
        #EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=400000,CODECS="avc1.64000c",RESOLUTION=320x180
        low/main.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=4000000,CODECS="avc1.640028",RESOLUTION=1920x1080
        high/main.m3u8

        """

    /// Segments of 4 seconds whose bytes are their variant's letter; the first of the high variant has 1,800,000 bytes.
    private static func answer(_ resource: MediaResource) -> StageServer.Answer {
        let isHigh = resource.url.contains("/high/")
        guard resource.url.contains("/high/") || resource.url.contains("/low/") else { return .text(multivariant) }
        guard resource.url.hasSuffix("m3u8") else {
            return .bytes(StageMedia.filled(UInt8(ascii: isHigh ? "H" : "L"), count: isHigh ? 1_800_000 : 150_000))
        }
        let segments = (0..<40).map { "#EXTINF:4,\n\($0).ts\n" }.joined()
        return .text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(segments)#EXT-X-ENDLIST\n")
    }

    /// Reduces the rate from 30 Mbit/s to 600 kbit/s while a segment is being loaded, as the clock of the stage
    /// ensures.
    private static func server(_ stage: Stage) -> WatchedServer {
        WatchedServer(stage.clock, rate: { $0 > .seconds(30.1) ? 600_000 : 30_000_000 }) { resource, _ in
            answer(resource)
        }
    }

    private static func numbers(_ stage: Stage) -> [UInt64] {
        stage.events.compactMap { if case .played(let segment) = $0 { segment.mediaSequenceNumber } else { nil } }
    }

    @Test("abandons the download, loads the same time range from a lower variant, and never stalls")
    func abandons() async throws {
        let stage = Stage()
        let report = try await stage.play(Self.server(stage)) { $0.pace = .realTime(ahead: .seconds(20)) }
        #expect(report.switches.abandoned == 1)
        let reasons = stage.switches.map(\.reason)
        #expect(reasons.count { if case .bufferDraining = $0 { true } else { false } } == 1)
        #expect(Self.numbers(stage) == Array(0..<40))
        #expect(report.stalls.count == 0)
        let letters = stage.output.letters()
        #expect(letters.contains("HL") && letters.hasSuffix("LLLL"))
        // The abandoned download measured the slow network, so there is no switch up again.
        #expect(!letters.drop { $0 != "H" }.drop { $0 == "H" }.contains("H"))
    }

    @Test("waits for the download if the player cannot switch")
    func mayNotSwitch() async throws {
        let stage = Stage()
        let report = try await stage.play(Self.server(stage)) {
            $0.pace = .realTime(ahead: .seconds(20))
            $0.isAdaptive = false
            $0.abilities.throughput = 20_000_000
        }
        #expect(report.switches.down == 0 && report.switches.abandoned == 0)
        #expect(report.stalls.count > 0)
        #expect(Self.numbers(stage) == Array(0..<40))
    }

    @Test("waits for the download if its loader has no progress callback")
    func wholeResources() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock, rate: { $0 > .seconds(30.1) ? 600_000 : 30_000_000 }) { resource, _ in
            Self.answer(resource)
        }
        let report = try await stage.play(server) { $0.pace = .realTime(ahead: .seconds(20)) }
        #expect(report.switches.abandoned == 0)
        #expect(Self.numbers(stage) == Array(0..<40))
    }
}
