import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HLSPlaylist
import StreamPlayer
import VirtualDevice

/// The viewer's evening: a content key session over a virtual device, a key loader and a player, whose clock jumps.
struct StoryPlayback: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        let report: PlaybackReport
        let requests: StoryNetwork.Requests
        let accesses: [KeyAccess]
        let stretches: [StoryOutput.Stretch]
    }

    /// After which segment of the pictures something happens; they count from 0.
    private enum Turn {
        static let toTelevision: UInt64 = 17
        static let backToPhone: UInt64 = 23
        static let outage: UInt64 = 30
    }

    /// How much is loaded ahead, and how long the network is away: a shorter time.
    private static let (ahead, outage) = (Duration.seconds(20), Duration.seconds(12))
    /// What a phone knows of its network when it begins, in bits a second.
    private static let firstThroughput: UInt64 = 400_000

    private let time = JumpingTime()
    private let network: StoryNetwork
    private let session: KeySession
    private let loader: KeyLoader
    private let shelf = StoryShelf()
    private let app = StoryApp()
    private let teller: StoryTeller
    private let news: StoryNews

    /// Makes everything ready; nothing is asked for yet.
    init(_ server: StoryServer, _ teller: StoryTeller) throws {
        self.teller = teller
        network = StoryNetwork(time)
        let device = try DeviceOptions.parse(["--credentials", server.credentials])
            .device(clock: JumpingDeviceClock(time: time, start: Int64(Date().timeIntervalSince1970)))
        session = KeySession(
            device: device,
            clock: JumpingClock(time: time, wakes: false),
            // The loader keeps the deadlines and renews the leases.
            responseTimeout: nil,
            renewalLead: nil
        )
        var settings = KeyLoaderSettings()
        settings.keptKeys = shelf
        let token = server.token
        loader = KeyLoader(
            source: session,
            service: .keyway(server.url) { _ in token.map { PlaybackToken($0) } },
            transport: network,
            settings: settings,
            clock: JumpingClock(time: time),
            // Drawn alike each time, so that the story is the same.
            random: SeededNumbers(seed: 1)
        )
        news = StoryNews(teller, loader)
    }

    /// Plays the film to its end.
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
            stretches: await output.stretches
        )
    }

    private func play(_ url: String, to output: StoryOutput) async throws -> PlaybackReport {
        var settings = PlayerSettings()
        settings.pace = .realTime(ahead: Self.ahead)
        settings.preferences.languages = [StoryFilm.language]
        settings.abilities.throughput = Self.firstThroughput
        settings.attempts = 10
        let systems = PlayerKeySystems(fairPlay: session) { try PlayKeys.playable($0) }
        let clock = JumpingClock(time: time)
        let player = Player(settings: settings, keys: systems, loader: network, clock: clock) { event in
            // Leases that have ended end now: the session's own timer does not follow a clock that jumps.
            await session.checkDeadlines()
            await news.tell(at: time.now)
            await tell(event)
        }
        return try await player.play(url, to: output)
    }

    // MARK: What happens

    private func tell(_ event: PlayerEvent) async {
        switch event {
        case .loadedMultivariant(let playlist): await preload(playlist)
        case .selected(let selection):
            let size = selection.variant.map(StoryNews.words) ?? "nothing"
            say(
                "It begins with \(size), since all that it knows of the network is \(Self.firstThroughput / 1000) kbit/s."
            )
        case .switched(let decision): await tellOfSwitch(decision)
        case .retrying(let error, let attempt):
            say("\(error.code.rawValue): a segment does not come; attempt \(attempt) follows.")
        case .playback(let transition): if let words = StoryNews.words(transition) { say(words) }
        case .played(let segment) where segment.track == .main: await turn(after: segment.mediaSequenceNumber)
        case .played, .reloaded, .live, .missed: break
        }
    }

    private func say(_ text: String) { teller.event(at: time.now, text) }

    private func preload(_ playlist: MultivariantPlaylist) async {
        teller.chapter("The viewer presses play")
        let keys = playlist.sessionKeys.filter { $0.key.keyFormat == .fairPlay }.count
        say("The playlist names \(playlist.variants.count) qualities and \(keys) keys, which are asked for ahead.")
        await loader.preload(playlist)
        try? await time.sleep(until: time.now + .seconds(1))
        await news.tell(at: time.now)
        await news.remember(playlist)
    }

    private func tellOfSwitch(_ decision: QualityDecision) async {
        teller.chapter("Another quality, another key")
        let (size, before) = (decision.variant.map(StoryNews.words) ?? "nothing", network.requests.all)
        if case .throughput(let rate) = decision.reason {
            say("\(rate / 1000) kbit/s were measured: it goes on in \(size).")
        } else {
            say("It goes on in \(size).")
        }
        say("Its key is another one, and was there before: still \(before) requests to the key server.")
    }

    private func turn(after number: UInt64) async {
        switch number {
        case Turn.toTelevision: await sendToTelevision()
        case Turn.backToPhone:
            await news.endAirPlay(at: time.now)
            await takeBackToPhone()
        case Turn.outage:
            teller.chapter("The network is gone, and comes back")
            network.cut(for: Self.outage)
            say(
                "For \(Self.outage.components.seconds) s nothing gets through. \(Self.ahead.components.seconds) s are loaded ahead."
            )
        default: break
        }
    }

    private func takeBackToPhone() async {
        await session.setRoute(.local)
        say("The viewer takes the film back to the phone, whose leases went on meanwhile: they are renewed now.")
        let identifiers = await news.identifiers
        // A renewal is for the route that is taken then. Keys whose leases have ended are asked for anew.
        for identifier in identifiers { await session.renewExpiringResponseData(for: identifier) }
        await loader.preload(identifiers)
    }

    private func sendToTelevision() async {
        teller.chapter("AirPlay")
        await session.setRoute(.airPlay)
        await news.beginAirPlay()
        say("The viewer sends the film to the television, which needs keys of its own and may ask with every segment.")
        guard let identifier = await news.identifiers.first else { return }
        let before = network.requests
        do throws(ContentKeyError) {
            // As for a download.
            _ = try await session.contentKey(
                identifier: identifier,
                options: ContentKeyRequestOptions(isPersistable: true),
                for: app
            )
            let asked = network.requests.persistable - before.persistable
            say(
                "The app would like to keep a key. Over AirPlay none can be kept: an online key came; \(asked) were asked for to keep, \(shelf.count) are on the shelf."
            )
        } catch {
            say("The app gets no key over AirPlay: \(error)")
        }
    }
}

/// The app beside the player, as a recipient of keys.
final class StoryApp: ContentKeyRecipient {
    let hasBegunLoading = false
}
