import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing

@Suite("A player of live streams", .timeLimit(.minutes(10)))
struct PlayerLiveTests {
    private static let segment = 4

    /// Returns a live playlist at a time: a segment every 4 seconds, a window of 8, a key for every `rotation`
    /// segments.
    private static func playlist(at time: Duration, rotation: Int? = nil, isEnded: Bool = false) -> String {
        // As if the stream had started a minute ago.
        let end = Int(time.components.seconds) / segment + 15
        let first = max(end - 8, 0)
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
        for number in first..<end {
            if let rotation, number == first || number.isMultiple(of: rotation) {
                lines.append(#"#EXT-X-KEY:METHOD=AES-128,URI="https://keys.test/\#(number / rotation)""#)
            }
            lines += ["#EXTINF:4,", "\(number).ts"]
        }
        if isEnded { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func number(_ resource: MediaResource) -> UInt64 {
        UInt64(resource.url.split(separator: "/").last?.dropLast(3) ?? "") ?? .max
    }

    private static func numbers(_ stage: Stage) -> [UInt64] {
        stage.events.compactMap { if case .played(let segment) = $0 { segment.mediaSequenceNumber } else { nil } }
    }

    @Test("starts three target durations before the end and plays every segment once")
    func follows() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock, rate: { _ in 1e6 }) { resource, time in
            resource.url.hasSuffix("m3u8") ? .text(Self.playlist(at: time)) : .media("segment")
        }
        let report = try await stage.play(server) { $0.maximumDuration = 200 }
        #expect(Self.numbers(stage) == Array(12..<62))
        #expect(report.stalls.count == 0)
        #expect(report.missedSeconds == 0)
        // One load for each new segment, and sometimes one that is too early.
        #expect(server.asked.count { $0 == "main.m3u8" } < 100)
    }

    @Test("ends where the playlist ends")
    func ends() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, time in
            let last = min(time, .seconds(40))
            return resource.url.hasSuffix("m3u8")
                ? .text(Self.playlist(at: last, isEnded: time >= .seconds(40))) : .media("segment")
        }
        _ = try await stage.play(server)
        #expect(Self.numbers(stage) == Array(12..<25))
    }

    @Test("falls behind on a slow network, reports what it missed, and continues")
    func fallsBehind() async throws {
        let stage = Stage()
        // Loading a segment of 4 seconds takes 12 seconds.
        let server = StageServer(stage.clock, rate: { _ in 1000 }) { resource, time in
            resource.url.hasSuffix("m3u8")
                ? .text(String(Self.playlist(at: time))) : .bytes(StageMedia.filled(0, count: 1500))
        }
        let report = try await stage.play(server) { $0.maximumDuration = 200 }
        let numbers = Self.numbers(stage)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect(report.missedSeconds > 0)
        #expect(report.stalls.count > 0)
        #expect(report.stalls.total > .seconds(20))
        #expect(
            stage.missed.allSatisfy { if case .fellOutOfWindow(_, _, let seconds) = $0 { seconds > 0 } else { false } }
        )
    }

    @Test("fails for a playlist that is stale, and for one that goes back")
    func standsStill() async {
        let stage = Stage()
        let still = StageServer(stage.clock) { resource, time in
            resource.url.hasSuffix("m3u8") ? .text(Self.playlist(at: min(time, .seconds(20)))) : .media("segment")
        }
        #expect(await stage.failure(still)?.code == "live")
        let other = Stage()
        let back = StageServer(other.clock) { resource, time in
            resource.url.hasSuffix("m3u8")
                ? .text(Self.playlist(at: time > .seconds(20) ? .zero : time)) : .media("segment")
        }
        #expect(await other.failure(back)?.code == "live")
        #expect(Self.numbers(other) == Array(12..<UInt64(Self.numbers(other).count + 12)))
    }

    @Test("continues after a restart of the encoder, whose media sequence starts again")
    func restart() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock, rate: { _ in 1e6 }) { resource, time in
            guard resource.url.hasSuffix("m3u8") else { return .media(String(resource.url.suffix(6))) }
            guard time >= .seconds(20) else { return .text(Self.playlist(at: time)) }
            // Another encoder, whose first segment is finished after 4 seconds.
            let count = Int((time - .seconds(20)).components.seconds) / Self.segment
            guard count > 0 else { return .text(Self.playlist(at: .seconds(19))) }
            let segments = (0..<count).map { "#EXTINF:4,\nb\($0).ts\n" }.joined()
            return .text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-DISCONTINUITY\n" + segments)
        }
        let report = try await stage.play(server) { $0.maximumDuration = 80 }
        let texts = stage.output.texts
        let restarted = texts.filter { $0.contains("b") }
        #expect(restarted.first == "/b0.ts" && restarted.count > 5)
        #expect(restarted.map { $0.drop { !$0.isNumber }.dropLast(3) } == restarted.indices.map { "\($0)" })
        #expect(Self.numbers(stage).prefix(8) == [12, 13, 14, 15, 16, 17, 18, 0])
        #expect(report.missedSeconds == 0)
        let notices = stage.events.compactMap { if case .live(_, let notice) = $0 { notice } else { nil } }
        #expect(notices.contains { if case .restarted(_, first: 0) = $0 { true } else { false } })
    }

    @Test("switches from a variant with a stale playlist to another variant")
    func leavesStaleVariant() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock, rate: { _ in 1e6 }) { resource, time in
            guard resource.url.hasSuffix("m3u8") else { return .media(resource.url.contains("high") ? "high" : "low") }
            if resource.url.contains("high/") { return .text(Self.playlist(at: min(time, .seconds(20)))) }
            if resource.url.contains("low/") { return .text(Self.playlist(at: time)) }
            return .text(
                """
                #EXTM3U
                #EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.64000c"
                low/main.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS="avc1.64000c"
                high/main.m3u8

                """
            )
        }
        let report = try await stage.play(server) { $0.maximumDuration = 100 }
        #expect(stage.switches.map(\.reason) == [.failed(.stale)])
        #expect(stage.output.texts.last == "low")
        #expect(stage.output.texts.first == "high")
        #expect(report.switches.down == 1)
    }

    @Test("requests each key of an hour of rotation once, and never stalls")
    func rotation() async throws {
        let stage = Stage()
        let keys = StageKeys(stage.clock)
        // A key per minute.
        let server = StageServer(stage.clock, rate: { _ in 1e6 }) { resource, time in
            if resource.url.hasSuffix("m3u8") { return .text(Self.playlist(at: time, rotation: 15)) }
            let number = Self.number(resource)
            return .bytes(StageKeys.encrypted("segment \(number)", "https://keys.test/\(number / 15)", number: number))
        }
        let report = try await keys.answering(StageKeys.key) {
            try await stage.play(server, keys: keys.systems) { $0.maximumDuration = 3600 }
        }
        #expect(stage.output.texts == (12..<912).map { "segment \($0)" })
        #expect(keys.asked.count == 61)
        #expect(Set(keys.asked).count == keys.asked.count)
        #expect(report.stalls.count == 0)
        #expect(report.encryptedSegments == 900)
    }

    /// Returns a live playlist with segments of one second and a window of six.
    private static func shortPlaylist(at time: Duration) -> String {
        let end = Int(time.components.seconds) + 15
        let segments = ((end - 6)..<end).map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(end - 6)\n\(segments)"
    }

    @Test(
        "survives five seconds of 503, of the playlist, of segments or of both, at a target duration of one second",
        arguments: [["m3u8"], ["ts"], ["m3u8", "ts"]],
        [false, true]
    )
    func interruption(of suffixes: [String], requiresDelay: Bool) async throws {
        let stage = Stage()
        let server = StageServer(stage.clock, rate: { _ in 1e6 }) { resource, time in
            if time >= .seconds(20), time < .seconds(25), suffixes.contains(where: resource.url.hasSuffix) {
                let delay: Duration? = requiresDelay ? .seconds(3) : nil
                return .error(MediaLoadError(.status, resource.url, status: 503, retryAfter: delay))
            }
            return resource.url.hasSuffix("m3u8") ? .text(Self.shortPlaylist(at: time)) : .media("segment")
        }
        let report = try await stage.play(server) { $0.maximumDuration = 60 }
        #expect(report.duration + report.missedSeconds >= 60)
        let numbers = Self.numbers(stage)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        // At most the segments that were removed from the playlist during the interruption are missed.
        #expect(report.missedSeconds <= 6)
    }

    @Test("fails for a server that does not recover")
    func endOfInterruption() async {
        for suffix in ["m3u8", "ts"] {
            let stage = Stage()
            let server = StageServer(stage.clock, rate: { _ in 1e6 }) { resource, time in
                if time >= .seconds(20), resource.url.hasSuffix(suffix) { return .failure(.status, 503) }
                return resource.url.hasSuffix("m3u8") ? .text(Self.shortPlaylist(at: time)) : .media("segment")
            }
            #expect(await stage.failure(server) != nil)
            #expect(stage.clock.elapsed > .seconds(25) && stage.clock.elapsed < .seconds(90))
        }
    }
}
