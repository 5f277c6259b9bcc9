import ContentKeySession
import Foundation
import HLSPlaylist
import StreamPlayer
import Testing

@Suite("A player plays", .timeLimit(.minutes(10)))
struct PlayerTests {
    private static func media(_ lines: String...) -> String {
        (["#EXTM3U", "#EXT-X-TARGETDURATION:4"] + lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n")
    }

    @Test("every segment of a playlist, in order, and reports it")
    func clear() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock, rate: { _ in 8000 }) { resource, _ in
            resource.url.hasSuffix("m3u8")
                ? .text(Self.media("#EXTINF:4,", "a.ts?token=secret", "#EXTINF:3,", "b.ts"))
                : .media(resource.url.contains("a.ts") ? "first" : "second")
        }
        let report = try await stage.play(server)
        #expect(stage.output.texts == ["first", "second"])
        #expect(report.segments == [.main: 2])
        #expect(report.duration == 7)
        #expect(report.byteCount == 11 + 2 * StageMedia.prefix.count)
        #expect(report.encryptedSegments == 0)
        // Loading the playlist and the first segment took one millisecond per byte.
        #expect(
            report.startUpTime
                == .milliseconds(
                    Self.media("#EXTINF:4,", "a.ts?token=secret", "#EXTINF:3,", "b.ts").utf8.count
                        + StageMedia.bytes("first").count
                )
        )
        let names = stage.events.compactMap { if case .played(let segment) = $0 { segment.name } else { nil } }
        #expect(names == ["a.ts", "b.ts"])
    }

    @Test("encrypted media with the keys of the session, each requested once")
    func encrypted() async throws {
        let stage = Stage()
        let keys = StageKeys(stage.clock)
        let server = StageServer(stage.clock) { resource, _ in
            switch resource.url.split(separator: "/").last {
            case "main.m3u8":
                .text(
                    Self.media(
                        "#EXT-X-MEDIA-SEQUENCE:7",
                        #"#EXT-X-KEY:METHOD=AES-128,URI="one.key""#,
                        "#EXTINF:4,",
                        "7.ts",
                        "#EXTINF:4,",
                        "8.ts",
                        #"#EXT-X-KEY:METHOD=AES-128,URI="https://keys.test/two""#,
                        "#EXTINF:4,",
                        "9.ts",
                        "#EXT-X-KEY:METHOD=NONE",
                        "#EXTINF:4,",
                        "clear.ts"
                    )
                )
            case "7.ts": .bytes(StageKeys.encrypted("seven", "https://stage.test/one.key", number: 7))
            case "8.ts": .bytes(StageKeys.encrypted("eight", "https://stage.test/one.key", number: 8))
            case "9.ts": .bytes(StageKeys.encrypted("nine", "https://keys.test/two", number: 9))
            default: .media("clear")
            }
        }
        let report = try await keys.answering(StageKeys.key) { try await stage.play(server, keys: keys.systems) }
        #expect(stage.output.texts == ["seven", "eight", "nine", "clear"])
        #expect(report.encryptedSegments == 3)
        // Relative to the playlist, like any URI in it.
        #expect(keys.asked == ["https://stage.test/one.key", "https://keys.test/two"])
    }

    @Test("nothing after a refused key, and reports the key")
    func refusedKey() async throws {
        let stage = Stage()
        let keys = StageKeys(stage.clock)
        let server = StageServer(stage.clock) { resource, _ in
            .text(Self.media(#"#EXT-X-KEY:METHOD=AES-128,URI="https://keys.test/k?secret""#, "#EXTINF:4,", "1.ts"))
        }
        let error = await keys.answering({ _ in nil }) { await stage.failure(server, keys: keys.systems) }
        #expect(error?.place == "https://keys.test/k")
        #expect(stage.output.all.isEmpty)
    }

    @Test("no media without a session for its keys")
    func noKeySystem() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { _, _ in
            .text(
                Self.media(
                    #"#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1""#,
                    "#EXTINF:4,",
                    "1.ts"
                )
            )
        }
        let error = await stage.failure(server)
        #expect(error?.code == "no-key-system")
        #expect(error?.place == "com.apple.streamingkeydelivery")
    }

    @Test(
        "after a temporary failure, but not after a permanent one",
        arguments: [
            (MediaLoadError.Code.noConnection, Int?.none, 4), (.deadline, nil, 4), (.status, 503, 4), (.status, 403, 1),
            (.notFound, 404, 4), (.tooLarge, nil, 1), (.badAddress, nil, 1), (.wrongRange, 200, 4),
        ]
    )
    func retries(code: MediaLoadError.Code, status: Int?, attempts: Int) async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8") ? .text(Self.media("#EXTINF:4,", "1.ts")) : .failure(code, status)
        }
        let error = await stage.failure(server)
        #expect(error?.code == code.rawValue)
        #expect(server.asked.count { $0 == "1.ts" } == attempts)
        // Half a second, one second, two seconds.
        #expect(stage.clock.elapsed > .seconds(attempts == 4 ? 3.5 : 0))
        #expect(stage.clock.elapsed < .seconds(attempts == 4 ? 3.6 : 0.1))
    }

    @Test(
        "after the delay that the server requires, up to a maximum",
        arguments: [(Duration.seconds(7), 7.0), (.milliseconds(1), 0.5), (.seconds(3600), 30)]
    )
    func retryAfter(delay: Duration, seconds: Double) async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, time in
            if resource.url.hasSuffix("m3u8") { return .text(Self.media("#EXTINF:4,", "1.ts")) }
            return time < .milliseconds(400)
                ? .error(MediaLoadError(.status, "", status: 503, retryAfter: delay)) : .media("segment")
        }
        _ = try await stage.play(server)
        #expect(abs(stage.clock.elapsed / .seconds(1) - seconds) < 0.1)
    }

    /// An output on a full disk.
    private struct FullDisk: MediaOutput {
        let supportsInitializationChanges = true
        let error: NSError
        func write(_: DecryptedPiece) async throws { throw error }
        func finish() async throws {}
    }

    @Test("to an output that fails: the error contains the reason of the system")
    func fullDisk() async {
        let system = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        let outer = NSError(domain: NSCocoaErrorDomain, code: 640, userInfo: [NSUnderlyingErrorKey: system])
        for error in [system, outer] {
            let clock = StageClock()
            let server = StageServer(clock) { resource, _ in
                resource.url.hasSuffix("m3u8") ? .text(Self.media("#EXTINF:4,", "1.ts")) : .media("segment")
            }
            let player = Player(keys: PlayerKeySystems(), loader: server, clock: clock)
            let failure = await #expect(throws: PlayerError.self) {
                _ = try await player.play("https://stage.test/main.m3u8", to: FullDisk(error: error))
            }
            #expect(failure?.code == "output")
            #expect(failure?.description.hasSuffix("the output cannot be written: No space left on device") == true)
        }
    }

    @Test("no file that a playlist from a server specifies")
    func files() async throws {
        for uri in ["file:///etc/passwd", "FILE:///etc/passwd", "ftp://stage.test/1.ts", "data:,1"] {
            let stage = Stage()
            let server = StageServer(stage.clock) { _, _ in .text(Self.media("#EXTINF:4,", uri)) }
            #expect(await stage.failure(server)?.code == "bad-address")
            #expect(server.asked == ["main.m3u8"])
        }
    }

    @Test("past a gap, and up to the limit")
    func gaps() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8")
                ? .text(
                    Self.media(
                        "#EXTINF:4,",
                        "1.ts",
                        "#EXT-X-GAP",
                        "#EXTINF:4,",
                        "2.ts",
                        "#EXTINF:4,",
                        "3.ts",
                        "#EXTINF:4,",
                        "4.ts"
                    )
                )
                : .media(String(resource.url.suffix(4)))
        }
        let report = try await stage.play(server) { $0.maximumDuration = 9 }
        #expect(stage.output.texts == ["1.ts", "3.ts"])
        #expect(stage.missed == [.gap(numbers: 1...1, seconds: 4)])
        #expect(report.missedSeconds == 4)
    }

    @Test(
        "nothing that is not a Media Playlist",
        arguments: [
            ("", "not-media"), ("<html>", "not-media"), ("#EXTM3U\n", "not-media"),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-ENDLIST\n", "live"),
        ]
    )
    func notPlaylists(text: String, code: String) async {
        let stage = Stage()
        let server = StageServer(stage.clock) { _, _ in .text(text) }
        let error = await stage.failure(server)
        #expect(error != nil && error?.code != nil, "\(code)")
        #expect(stage.output.all.isEmpty)
    }
}
