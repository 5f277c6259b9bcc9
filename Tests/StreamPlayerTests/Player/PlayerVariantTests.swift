import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing

@Suite("A player and its variants", .timeLimit(.minutes(10)))
struct PlayerVariantTests {
    private static let multivariant = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="audio/main.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=400000,CODECS="avc1.64000c,mp4a.40.2",RESOLUTION=320x180,AUDIO="a"
        low/main.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=4000000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,AUDIO="a"
        high/main.m3u8

        """

    /// Returns a presentation with segments of 4 seconds, whose sizes match the variants' bandwidth.
    private static func answer(_ resource: MediaResource, segments: Int = 30, key: Bool = false) -> StageServer.Answer {
        let parts = resource.url.split(separator: "/")
        if parts.count < 4 { return .text(multivariant) }
        let folder = String(parts[parts.count - 2])
        guard resource.url.hasSuffix("m3u8") else {
            return .bytes(StageMedia.filled(folder.utf8.first ?? 0, count: folder == "high" ? 1_800_000 : 150_000))
        }
        let tag = key ? "#EXT-X-KEY:METHOD=AES-128,URI=\"\(folder).key\"\n" : ""
        return .text(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + tag
                + (0..<segments).map { "#EXTINF:4,\n\($0).ts\n" }.joined() + "#EXT-X-ENDLIST\n"
        )
    }

    /// L for low and H for high, by segment of the main track.
    private static func played(_ stage: Stage) -> String {
        stage.output.letters().uppercased()
    }

    @Test("plays video and audio concurrently, in the best quality on a fast network")
    func together() async throws {
        let stage = Stage()
        let report = try await stage.play(
            StageServer(stage.clock) { resource, _ in Self.answer(resource, segments: 3) }
        )
        #expect(report.segments == [.main: 3, .audio: 3])
        #expect(stage.output.all.map(\.track) == [.main, .audio, .main, .audio, .main, .audio])
        #expect(Self.played(stage) == "HHH")
        #expect(stage.output.all.allSatisfy { $0.tracks == [.main, .audio] })
    }

    @Test("switches down on a slow network, up on a fast one, and never stalls")
    func adapts() async throws {
        let stage = Stage()
        let server = StageServer(
            stage.clock,
            rate: { $0 > .seconds(20) && $0 < .seconds(70) ? 1_500_000 : 30_000_000 }
        ) { resource, _ in Self.answer(resource, segments: 40) }
        let report = try await stage.play(server) { $0.pace = .realTime(ahead: .seconds(20)) }
        let played = Self.played(stage)
        #expect(played.count == 40)
        // Starts with a throughput that most networks have, switches up, down and up.
        #expect(played.hasSuffix("HHHH"))
        #expect(report.switches.down >= 1)
        #expect(report.switches.up >= 1)
        #expect(report.stalls.count == 0)
        #expect(stage.switches.allSatisfy { $0.isSwitch })
    }

    @Test("leaves a variant that is missing, and one whose key is refused")
    func failures() async throws {
        let stage = Stage()
        let report = try await stage.play(
            StageServer(stage.clock) { resource, _ in
                resource.url.contains("high/1.ts") ? .failure(.notFound, 404) : Self.answer(resource, segments: 4)
            }
        )
        #expect(Self.played(stage) == "HLLL")
        #expect(stage.switches.map(\.reason) == [.failed(.status(404))])
        #expect(report.switches.down == 1)

        let (other, keys) = (Stage(), StageKeys(StageClock()))
        _ = await keys.answering({ $0.contains("high") ? nil : StageKeys.key($0) }) {
            await other.failure(
                StageServer(other.clock) { resource, _ in
                    let answer = Self.answer(resource, segments: 2, key: true)
                    guard case .bytes = answer else { return answer }
                    let folder =
                        resource.url.contains("audio") ? "audio" : resource.url.contains("high") ? "high" : "low"
                    let number: UInt64 = resource.url.hasSuffix("0.ts") ? 0 : 1
                    return .bytes(
                        StageKeys.encrypted(folder, "https://stage.test/\(folder)/\(folder).key", number: number)
                    )
                },
                keys: keys.systems
            )
        }
        #expect(Self.played(other) == "LL")
        #expect(other.switches.map(\.reason) == [.failed(.keyRefused)])
    }

    @Test("fails with the reason when no variant is left")
    func nothingLeft() async {
        let stage = Stage()
        let error = await stage.failure(
            StageServer(stage.clock) { resource, _ in
                resource.url.hasSuffix(".ts") && !resource.url.contains("audio")
                    ? .failure(.status, 403) : Self.answer(resource)
            }
        )
        #expect(error?.code == "status")
        #expect(error?.place.hasPrefix("https://stage.test/") == true)
    }

    @Test(
        "starts with another variant if the playlist of the best one is missing or is not a playlist",
        arguments: [
            StageServer.Answer.failure(.notFound, 404), .failure(.status, 403), .text("<html></html>"), .text(""),
        ]
    )
    func startsWithAnother(answer: StageServer.Answer) async throws {
        let stage = Stage()
        let report = try await stage.play(
            StageServer(stage.clock) { resource, _ in
                resource.url.hasSuffix("high/main.m3u8") ? answer : Self.answer(resource, segments: 3)
            }
        )
        #expect(Self.played(stage) == "LLL")
        #expect(report.segments == [.main: 3, .audio: 3])
        #expect(stage.switches.count == 1)
        guard case .failed? = stage.switches.first?.reason else {
            Issue.record("\(stage.switches)")
            return
        }
    }

    @Test("fails with the error of the last variant if no playlist can be loaded at the start")
    func nothingAtTheStart() async {
        let stage = Stage()
        let error = await stage.failure(
            StageServer(stage.clock) { resource, _ in
                resource.url.contains("/high/") || resource.url.contains("/low/")
                    ? .failure(.status, 403) : Self.answer(resource)
            }
        )
        #expect(error?.code == "status")
        #expect(error?.description == "https://stage.test/low/main.m3u8: the server responded with status 403")
    }

    @Test("continues without subtitles that are missing, at the start and later")
    func subtitles() async throws {
        for missing in ["subtitles/main.m3u8", "subtitles/1.ts"] {
            let stage = Stage()
            let report = try await stage.play(
                StageServer(stage.clock) { resource, _ in
                    if resource.url.hasSuffix(missing) { return .failure(.status, 403) }
                    guard resource.url.hasSuffix("test/main.m3u8") else { return Self.answer(resource, segments: 3) }
                    return .text(
                        """
                        #EXTM3U
                        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="s",DEFAULT=YES,AUTOSELECT=YES,URI="subtitles/main.m3u8"
                        #EXT-X-STREAM-INF:BANDWIDTH=400000,SUBTITLES="s"
                        low/main.m3u8

                        """
                    )
                }
            ) { $0.loadsSubtitles = true }
            #expect(Self.played(stage) == "LLL")
            #expect(report.segments[.subtitles] ?? 0 == (missing.hasSuffix("1.ts") ? 1 : 0))
            let omitted = stage.events.compactMap { event in
                if case .omitted(let track, let error) = event { "\(track) \(error.code)" } else { nil }
            }
            #expect(omitted == ["subtitles status"])
        }
    }

    @Test("Media Playlists import the variables of the Multivariant Playlist, or those of the settings")
    func variables() async throws {
        let media =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-DEFINE:IMPORT=\"name\"\n#EXTINF:4,\n{$name}.ts\n#EXT-X-ENDLIST\n"
        let main = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"name\",VALUE=\"a\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow/main.m3u8\n"
        for isMultivariant in [true, false] {
            let stage = Stage()
            let server = StageServer(stage.clock) { resource, _ in
                if resource.url.hasSuffix("low/main.m3u8") { return .text(media) }
                return resource.url.hasSuffix("m3u8") ? .text(isMultivariant ? main : media) : .media("segment")
            }
            _ = try await stage.play(server) { $0.variables = ["name": "b"] }
            #expect(server.asked.last == (isMultivariant ? "a.ts" : "b.ts"))
        }
    }
}
