import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import HLSPlaylist
import SimulatedClocks
import StreamPlayer
import Synchronization
import Testing
import VirtualDevice

@Suite("End to end: packaging, keys, playback", .timeLimit(.minutes(10)))
struct StoryTests {
    /// The events of a playback, for the expectations at the end.
    private final class PlaybackRecord: Sendable {
        let events = Mutex<[PlayerEvent]>([])

        func note(_ event: PlayerEvent) { events.withLock { $0.append(event) } }

        var switches: [QualityDecision] {
            events.withLock { $0.compactMap { if case .switched(let decision) = $0 { decision } else { nil } } }
        }
        var mainNumbers: [UInt64] {
            events.withLock { events in
                events.compactMap { event in
                    guard case .played(let segment) = event, segment.track == .main else { return nil }
                    return segment.mediaSequenceNumber
                }
            }
        }
        var retries: Int { events.withLock { $0.count { if case .retrying = $0 { true } else { false } } } }
    }

    private static func player(
        _ bench: KeyPathBench,
        _ film: FilmServer,
        _ record: PlaybackRecord,
        _ change: (inout PlayerSettings) -> Void = { _ in },
        onSegment: @escaping @Sendable (PlayedSegment) async -> Void = { _ in }
    ) -> Player {
        var settings = PlayerSettings()
        settings.pace = .realTime(ahead: .seconds(30))
        settings.preferences.languages = ["de"]
        // The bandwidth that a phone assumes before its first measurement.
        settings.abilities.throughput = 60_000
        change(&settings)
        let keys = PlayerKeySystems(fairPlay: bench.session) { key in
            let content = try #require(key as? DeviceKey).contentKey()
            return PlayableKey(key: content.key, initializationVector: content.iv)
        }
        return Player(settings: settings, keys: keys, loader: film, clock: SimulatedClock(time: bench.time)) { event in
            record.note(event)
            await bench.session.checkDeadlines()
            if case .loadedMultivariant(let playlist) = event {
                await bench.loader.preload(playlist)
                try? await bench.pass(.seconds(1))
            }
            if case .played(let segment) = event { await onSegment(segment) }
        }
    }

    @Test("A movie is packaged, keys are preloaded, leases renewed, variants switched; the network fails and recovers")
    func film() async throws {
        let time = SimulatedTime()
        try await TestKeyServer.run(time) { server in
            let film = try Film(keys: server.keys, rounds: 80)
            let clear = try Film(keys: nil, rounds: 1)
            let outage = Duration.seconds(100)..<Duration.seconds(115)
            let record = PlaybackRecord()
            let output = FilmOutput()
            try await KeyPathBench.run(
                .init(),
                server: server,
                time: time,
                script: { _ in outage.contains(time.now) ? .resetBeforeHead : .none }
            ) { bench in
                let web = FilmServer(film, time, rate: 2_000_000, outage: outage)
                let player = Self.player(bench, web, record) { $0.attempts = 10 }
                let report = try await player.play("https://film.test/main.m3u8", to: output)

                // All keys arrived in one round trip, before the first segment; later requests renew the lease.
                #expect(bench.proxy.licenses.first?.path == "/fps/licenses")
                let accesses = await bench.accesses
                #expect(accesses.filter { $0.kind == .preload }.map(\.batchSize) == [4, 4, 4, 4])
                #expect(accesses.count { $0.kind == .onDemand } == 0)
                #expect(accesses.count { $0.kind == .renewal } >= 3)
                #expect(accesses.filter { $0.kind == .renewal }.allSatisfy { "\($0.label)" == "skd://film/uhd" })

                // Playback started low and switched up, to another key; every second played once, without a stall.
                #expect(!record.switches.isEmpty && record.switches.count <= 2)
                #expect(report.switches.up == record.switches.count)
                #expect(record.mainNumbers == Array(0..<240))
                #expect(report.stalls.count == 0)
                #expect(report.duration == 240)
                #expect(report.encryptedSegments == 480)
                // The network failed, and recovered.
                #expect(record.retries > 0)
            }
            // Each segment equals the packaged one of the variant that played at the time.
            let names = clear.files.keys.filter { $0.hasSuffix(".m4s") }
            let known = Set(names.compactMap { clear.files[$0].map(FilmOutput.samples) })
            #expect(output.samples(.main).allSatisfy(known.contains))
            #expect(output.samples(.audio).allSatisfy(known.contains))
            #expect(Set(output.samples(.main)).count >= 4)
        }
    }

    @Test("Over AirPlay each segment makes a key request and gets an online key, never a persistent one")
    func airPlay() async throws {
        let time = SimulatedTime()
        try await TestKeyServer.run(time) { server in
            let film = try Film(keys: server.keys, rounds: 4)
            let record = PlaybackRecord()
            try await KeyPathBench.run(.init(), server: server, time: time) { bench in
                let web = FilmServer(film, time, rate: 2_000_000, outage: .zero..<(.zero))
                let player = Self.player(bench, web, record) { settings in
                    settings.isAdaptive = false
                    settings.pace = .unpaced
                } onSegment: { segment in
                    // AirPlay starts after the sixth segment.
                    if segment.track == .main, segment.mediaSequenceNumber == 5 {
                        await bench.session.setRoute(.airPlay)
                    }
                }
                let report = try await player.play("https://film.test/main.m3u8", to: DiscardingOutput())
                #expect(report.segments == [.main: 12, .audio: 12])
                let after = await bench.accesses.filter { $0.kind == .onDemand }
                // From the audio of the sixth second on.
                #expect(after.count == 13)
                #expect(await bench.errors.isEmpty)
                #expect(bench.proxy.licenses.allSatisfy { !$0.path.contains("persist") })
            }
        }
    }
}
