import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HLSPlaylist
import SimulatedClocks
import StreamPlayer
import TextCoding
import VirtualDevice

/// The playback of the demonstration: a content key session with a virtual device, a key loader and a player, with a
/// simulated clock.
struct StoryPlayback: Sendable {
    /// The result of the playback.
    struct Outcome: Sendable {
        let report: PlaybackReport
        let requests: StoryNetwork.Requests
        let accesses: [KeyAccess]
        let sections: [StoryOutput.Section]
    }

    /// The numbers of the video segments after which events happen, from 0.
    private enum EventSegment {
        static let startAirPlay: UInt64 = 17
        static let endAirPlay: UInt64 = 23
        static let outage: UInt64 = 30
    }

    /// The duration that is loaded ahead, and the duration of the network outage, which is shorter.
    private static let (ahead, outage) = (Duration.seconds(20), Duration.seconds(12))
    /// The initial bandwidth estimate, in bits per second.
    private static let firstThroughput: UInt64 = 400_000

    private let time = SimulatedTime()
    private let network: StoryNetwork
    private let session: KeySession
    private let loader: KeyLoader
    private let persistentKeys = StoryPersistentKeys()
    private let app = StoryApp()
    private let printer: StoryPrinter
    private let keyEvents: StoryKeyEvents

    /// Creates all parts without sending requests.
    init(_ server: StoryServer, _ printer: StoryPrinter) throws {
        self.printer = printer
        network = StoryNetwork(time)
        let device = FPSDevice(
            profile: .iPhone,
            dask: .development(ask: try Self.ask(server)),
            clock: SimulatedDeviceClock(time: time, start: Int64(Date().timeIntervalSince1970))
        )
        session = KeySession(
            device: device,
            clock: SimulatedClock(time: time, wakes: false),
            // The loader handles timeouts and lease renewals.
            responseTimeout: nil,
            renewalLead: nil
        )
        var settings = KeyLoaderSettings()
        settings.persistentKeys = persistentKeys
        loader = KeyLoader(
            source: session,
            service: .keyway(server.url),
            transport: network,
            settings: settings,
            clock: SimulatedClock(time: time),
            // With a fixed seed, all runs are the same.
            random: SeededNumbers(seed: 1)
        )
        keyEvents = StoryKeyEvents(printer, loader)
    }

    /// Returns the ASk of the server's credentials.
    private static func ask(_ server: StoryServer) throws -> SecretBytes {
        let text = try String(contentsOfFile: server.credentials + "/ask.hex", encoding: .utf8)
        guard let bytes = Hexadecimal.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw StoryFailure("\(server.credentials)/ask.hex is not hexadecimal")
        }
        return SecretBytes(copying: bytes)
    }

    /// Returns the content key in a virtual device's key.
    private static func playable(_ key: any ProtectedContentKey) throws -> PlayableKey {
        guard let key = key as? DeviceKey else { throw ContentKeyError(.unsupportedOperation, .device) }
        let content = try key.contentKey()
        return PlayableKey(key: content.key, initializationVector: content.iv)
    }

    /// Plays the movie to its end.
    func run(_ url: String, to output: StoryOutput) async throws -> Outcome {
        try await session.addContentKeyRecipient(app)
        let report = try await time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await loader.run() }
                let result: Result<PlaybackReport, any Error>
                do { result = .success(try await play(url, to: output)) } catch { result = .failure(error) }
                await session.expire()
                try await group.waitForAll()
                return try result.get()
            }
        }
        return Outcome(
            report: report,
            requests: network.requests,
            accesses: await loader.accessLog.entries,
            sections: await output.sections
        )
    }

    private func play(_ url: String, to output: StoryOutput) async throws -> PlaybackReport {
        var settings = PlayerSettings()
        settings.pace = .realTime(ahead: Self.ahead)
        settings.preferences.languages = [StoryMovie.language]
        settings.abilities.throughput = Self.firstThroughput
        settings.attempts = 10
        let systems = PlayerKeySystems(fairPlay: session) { try Self.playable($0) }
        let clock = SimulatedClock(time: time)
        let player = Player(settings: settings, keys: systems, loader: network, clock: clock) { event in
            // Expired leases are ended here, because the session's timer does not follow the simulated clock.
            await session.checkDeadlines()
            await keyEvents.printEvents(at: time.now)
            await handle(event)
        }
        return try await player.play(url, to: output)
    }

    // MARK: Events

    private func handle(_ event: PlayerEvent) async {
        switch event {
        case .loadedMultivariant(let playlist): await preload(playlist)
        case .selected(let selection):
            let size = selection.variant.map(StoryKeyEvents.text) ?? "nothing"
            print(
                "Starting with \(size), because the initial bandwidth estimate is \(Self.firstThroughput / 1000) kbit/s."
            )
        case .switched(let decision): await printSwitch(decision)
        case .retrying(let error, let attempt):
            print("A segment failed to load (\(error.code.rawValue)); attempt \(attempt) follows.")
        case .playback(let transition): if let text = StoryKeyEvents.text(transition) { print(text) }
        case .played(let segment) where segment.track == .main: await triggerEvent(after: segment.mediaSequenceNumber)
        case .played, .reloaded, .live, .missed, .omitted: break
        }
    }

    private func print(_ text: String) { printer.event(at: time.now, text) }

    private func preload(_ playlist: MultivariantPlaylist) async {
        printer.chapter("Start of playback")
        let keys = playlist.sessionKeys.filter { $0.key.keyFormat == .fairPlay }.count
        print("The playlist has \(playlist.variants.count) qualities and \(keys) keys, which are preloaded.")
        await loader.preload(playlist)
        try? await time.sleep(until: time.now + .seconds(1))
        await keyEvents.printEvents(at: time.now)
        await keyEvents.setKeys(of: playlist)
    }

    private func printSwitch(_ decision: QualityDecision) async {
        printer.chapter("Variant switch")
        let (size, before) = (decision.variant.map(StoryKeyEvents.text) ?? "nothing", network.requests.all)
        if case .throughput(let rate) = decision.reason {
            print("Switching to \(size), because the measured throughput is \(rate / 1000) kbit/s.")
        } else {
            print("Switching to \(size).")
        }
        print("Its key is different, and was preloaded: there are still \(before) requests to the key server.")
    }

    private func triggerEvent(after number: UInt64) async {
        switch number {
        case EventSegment.startAirPlay: await startAirPlay()
        case EventSegment.endAirPlay:
            await keyEvents.endAirPlay(at: time.now)
            await endAirPlay()
        case EventSegment.outage:
            printer.chapter("Network outage")
            network.cut(for: Self.outage)
            print(
                "The network fails for \(Self.outage.components.seconds) s. \(Self.ahead.components.seconds) s are buffered."
            )
        default: break
        }
    }

    private func endAirPlay() async {
        await session.setRoute(.local)
        print("The viewer ends AirPlay. The leases of the phone's keys continued to run, and are renewed now.")
        let identifiers = await keyEvents.identifiers
        // A renewal is for the current route. Keys whose leases have expired are requested again.
        for identifier in identifiers { await session.renewExpiringResponseData(for: identifier) }
        await loader.preload(identifiers)
    }

    private func startAirPlay() async {
        printer.chapter("AirPlay")
        await session.setRoute(.airPlay)
        await keyEvents.beginAirPlay()
        print("The viewer starts AirPlay. The receiver needs separate keys, and may request them with every segment.")
        guard let identifier = await keyEvents.identifiers.first else { return }
        let before = network.requests
        do throws(ContentKeyError) {
            // The options are those of a download.
            _ = try await session.contentKey(
                identifier: identifier,
                options: ContentKeyRequestOptions(isPersistable: true),
                for: app
            )
            let persistentRequests = network.requests.persistable - before.persistable
            print(
                "The app requests a persistent key. During AirPlay it receives a streaming key instead: "
                    + "\(persistentRequests) persistent keys requested from the server, \(persistentKeys.count) stored."
            )
        } catch {
            print("The app receives no key during AirPlay: \(error)")
        }
    }
}

/// The app, as a recipient of keys in addition to the player.
final class StoryApp: ContentKeyRecipient {
    let hasBegunLoading = false
}
