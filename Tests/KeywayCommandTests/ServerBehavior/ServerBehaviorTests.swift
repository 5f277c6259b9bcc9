import ContentKeySession
import Foundation
import HTTPTransport
import StreamPlayer
import Synchronization
import Testing

@testable import keyway

/// Playback from a server with one behavior per path, over a real port and with the HTTP client of the commands. Only
/// the delays of the player are simulated.
@Suite("Playback from servers with unusual behavior", .timeLimit(.minutes(10)))
struct ServerBehaviorTests {
    /// A clock that advances only while a task sleeps.
    private final class JumpingClock: Clock {
        struct Instant: InstantProtocol {
            var offset: Duration
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
        }

        private let moment = Mutex(Swift.Duration.zero)
        let minimumResolution = Duration.zero
        var now: Instant { Instant(offset: moment.withLock { $0 }) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            moment.withLock { $0 = max($0, deadline.offset) }
        }
    }

    /// A loader whose first load of one resource has another timeout.
    private struct FirstLoad: MediaLoader {
        let loader: HTTPMediaLoader
        let behavior: ServerBehavior
        private let isOver = FirstTime()

        init(_ loader: HTTPMediaLoader, _ behavior: ServerBehavior) {
            (self.loader, self.behavior) = (loader, behavior)
        }

        func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
            var resource = resource
            let path = resource.url.split(separator: "/").dropFirst(3).joined(separator: "/")
            if BehaviorSite.resource(path) == behavior.resource, isOver.begin() {
                resource.idleTimeout = behavior.idleTimeout
            }
            return try await loader.load(resource)
        }
    }

    /// True once.
    private final class FirstTime: Sendable {
        private let isOver = Mutex(false)

        func begin() -> Bool {
            isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
        }
    }

    /// A limit of the number of concurrent playbacks, so that a response is slow only if the server is.
    private actor Gate {
        static let shared = Gate()
        private var free = 12
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func enter() async {
            guard free == 0 else {
                free -= 1
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func leave() {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
    }

    @Test("has the declared outcome, and what is played is equal to the source", arguments: ServerBehavior.all.indices)
    func outcome(index: Int) async throws {
        let (behavior, site) = (ServerBehavior.all[index], try BehaviorSite.shared.get())
        let expected = behavior.outcome
        let url = "\(site.server.address)/\(index)/main.m3u8"
        let (clock, seen) = (JumpingClock(), PlaybackObservations())
        await Gate.shared.enter()
        let error = await Self.play(url, behavior, clock, seen)
        await Gate.shared.leave()
        let elapsed = clock.now.offset
        let name = behavior.testDescription
        if let code = expected.code {
            #expect(error?.code == code, "\(name): \(error.map { "\($0)" } ?? "no error")")
            #expect(
                error?.description.contains(expected.text) == true,
                "\(name): \(error.map { "\($0)" } ?? "no error")"
            )
            #expect(error?.description.contains("s3cr3t") == false)
        } else {
            #expect(error == nil, "\(name)")
            let media = site.media(behavior)
            #expect(
                !media.isEmpty && seen.playedMedia == media,
                "\(name): \(seen.playedMedia.count) bytes of \(media.count)"
            )
        }
        #expect(seen.retryCount == expected.retries, "\(name)")
        #expect(elapsed >= expected.wait, "\(name)")
        // Half a second, one second and two seconds, or the longest delay that a server can require.
        #expect(elapsed <= max(expected.wait, .seconds(4)), "\(name)")
        #expect(seen.omittedTracks == (expected.omitsSubtitles ? [.subtitles] : []), "\(name)")
    }

    @Test("There are more than a hundred behaviors")
    func count() { #expect(ServerBehavior.all.count > 100) }

    private static func play(
        _ url: String,
        _ behavior: ServerBehavior,
        _ clock: JumpingClock,
        _ seen: PlaybackObservations
    ) async -> PlayerError? {
        var client = WebClient(proxies: HTTPProxies([:]))
        client.headers.headers = behavior.headers
        if let url = URL(string: url) { client.headers.add(url) }
        let session = KeySession(keySystem: .clearKey, device: NoContentProtection())
        let keys = KeyLoader(
            source: session,
            service: KeyService(certificateURL: "", licenseURL: ""),
            transport: HTTPClientTransport(client.withoutRedirects)
        )
        var settings = PlayerSettings()
        settings.loadsSubtitles = true
        let player = Player(
            settings: settings,
            keys: PlayerKeySystems(clearKey: session) { try PlayKeys.playable($0) },
            loader: FirstLoad(HTTPMediaLoader(client, idleTimeout: .seconds(60)), behavior),
            clock: clock
        ) { seen.record($0) }
        async let answering: Void = keys.run()
        var result: PlayerError?
        do throws(PlayerError) {
            _ = try await player.play(url, to: seen)
        } catch {
            result = error
        }
        await session.expire()
        await answering
        return result
    }
}
