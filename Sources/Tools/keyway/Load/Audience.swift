import FPSCrypto
import NIOCore
import Synchronization
import TextCoding
import VirtualDevice

/// Devices that watch: they take a license, renew it while they play, stop, and begin again; for as long as they are
/// told to, whatever the server does meanwhile.
struct Audience: Sendable {
    /// How long things take, in seconds.
    struct Habits: Sendable {
        /// Between two playbacks, at most.
        var pause: Double
        /// How many times a playback renews its lease, at most.
        var renewals: Int
        /// The share of playbacks whose first request is sent once more after it was answered.
        var retries: Double
        /// The length of a playback without a lease, at most.
        var unlimited: Double
    }

    let client: LoadClient
    let population: LoadPopulation
    let certificate: [UInt8]
    let versions: [UInt32]
    let assets: [String]
    let habits: Habits
    /// When everybody stops, by the system's clock.
    let end: Double
    let log: AudienceLog

    /// Lets all watch until the end.
    func watch() async {
        await withTaskGroup(of: Void.self) { group in
            for member in population.members { group.addTask { await self.watch(member) } }
        }
    }

    /// Lets everybody ask once, one after the other: the devices of the first account, then those of the second.
    func askOnce() async {
        for member in population.members.sorted(by: { ($0.account, $0.number) < ($1.account, $1.number) }) {
            var line = Line(self, member)
            await line.askOnce()
        }
    }

    private func watch(_ member: LoadPopulation.Member) async {
        var line = Line(self, member)
        await pause(upTo: habits.pause)
        while LoadClock.now < end {
            await line.play()
            await pause(upTo: habits.pause)
        }
        line.hangUp()
    }

    /// Waits for a random time, but not beyond the end.
    private func pause(upTo seconds: Double) async {
        let seconds = min(Double.random(in: 0...max(seconds, 0.001)), end - LoadClock.now)
        guard seconds > 0 else { return }
        try? await Task.sleep(for: .seconds(seconds))
    }

    /// One device and its connection.
    private struct Line {
        let audience: Audience
        let member: LoadPopulation.Member
        var connection: LoadConnection?
        /// What the last request carried; a retry carries it again.
        var token: String?

        init(_ audience: Audience, _ member: LoadPopulation.Member) {
            self.audience = audience
            self.member = member
        }

        func hangUp() { connection?.close() }

        /// Gets the token of the next request. Without one the server's refusal says so.
        private mutating func renewToken(isFirst: Bool) async {
            let tokens = audience.population.tokens
            token = try? await tokens.token(account: member.account, last: isFirst ? nil : token)
        }

        mutating func askOnce() async {
            let session = member.device.beginSession()
            let asset = Int.random(in: audience.assets.indices)
            guard let request = request(asset, session) else { return }
            await renewToken(isFirst: true)
            // A server that has only just started gets a second chance.
            for _ in 0..<50 {
                if await ask(request, asset, kind: "start").status != 0 { break }
                try? await Task.sleep(for: .milliseconds(100))
            }
            hangUp()
        }

        /// One playback, from its first request to its last.
        mutating func play() async {
            let session = member.device.beginSession()
            let asset = Int.random(in: audience.assets.indices)
            guard let request = request(asset, session) else { return }
            await renewToken(isFirst: true)
            var answer = await ask(request, asset, kind: "start")
            if answer.status == 0 {
                // What an app does whose connection broke: it does not know whether there was an answer.
                try? await Task.sleep(for: .milliseconds(Int.random(in: 50...300)))
                answer = await ask(request, asset, kind: "retry")
            }
            guard let key = answer.key, (try? key.startPlaying()) != nil else { return }
            if Double.random(in: 0..<1) < audience.habits.retries { _ = await ask(request, asset, kind: "retry") }
            guard let lease = answer.lease else { return await audience.pause(upTo: audience.habits.unlimited) }
            for _ in 0..<Int.random(in: 0...audience.habits.renewals) {
                await audience.pause(upTo: Double(lease) * 0.8)
                guard LoadClock.now < audience.end, await renew(key, asset) else { break }
            }
            await audience.pause(upTo: Double(lease) * 0.8)
            key.stopPlaying()
        }

        /// Renews until it works, is refused, or the lease has run out.
        private mutating func renew(_ key: DeviceKey, _ asset: Int) async -> Bool {
            await renewToken(isFirst: false)
            while let request = try? member.device.makeSPC(renewing: key) {
                let answer = await ask(request, asset, kind: "renewal")
                if answer.status == 200 { return true }
                if answer.status != 0 && answer.status != 503 { return false }
                try? await Task.sleep(for: .milliseconds(Int.random(in: 50...300)))
                if LoadClock.now >= audience.end { return false }
            }
            return false
        }

        private func request(_ asset: Int, _ session: FPSDevice.PlaybackSession) -> KeyRequest? {
            try? member.device.makeSPC(
                certificate: audience.certificate,
                assetID: Array(audience.assets[asset].utf8),
                versions: audience.versions,
                options: .init(session: session)
            )
        }

        /// Sends a request, opens the answer and writes down what came of it.
        private mutating func ask(
            _ request: KeyRequest,
            _ asset: Int,
            kind: String
        ) async -> (status: Int, key: DeviceKey?, lease: Int64?) {
            let sent = LoadClock.now
            let head = LoadRequestHeads(authority: audience.client.target.authority).license(token: token)
            var answer: LoadAnswer?
            do {
                let connection = try await self.connection.orOpen(audience.client)
                self.connection = connection
                answer = try await connection.answer(to: head, body: request.spc)
            } catch {
                connection?.close()
                connection = nil
            }
            let received = LoadClock.now
            var outcome = answer?.outcome ?? .lost
            var key: DeviceKey?
            var lease: Int64?
            if outcome == .granted, let answer {
                do throws(FPSError) {
                    let opened = try member.device.process(ckc: answer.body, for: request)
                    key = opened
                    lease = opened.leaseEnd.map { $0 - member.clock.noted }
                } catch .invalidCKC where kind == "retry" {
                    // After an answer it is the same CKC again, which the device takes only once.
                } catch .leaseExpired, .keyDiscarded, .notPlaying {
                    // A renewal that came when the lease had run out.
                } catch {
                    outcome = .unusable
                }
            }
            audience.log.write(
                LoadTraceLine(
                    sent: sent,
                    received: received,
                    account: audience.population.accounts[member.account],
                    device: member.number,
                    session: Hexadecimal.encode(request.session.id, digits: 16),
                    asset: audience.assets[asset],
                    kind: kind,
                    status: outcome.status,
                    requestId: answer?.requestID,
                    problem: outcome.problem,
                    reason: outcome.reason,
                    lease: lease
                ),
                outcome
            )
            return (outcome.status, key, lease)
        }
    }
}

extension LoadConnection? {
    /// This connection, or a new one.
    fileprivate func orOpen(_ client: LoadClient) async throws -> LoadConnection {
        if let self { return self }
        return try await LoadConnection.open(client.target, on: client.loop).get()
    }
}

/// What came of an audience's requests, counted and written down.
final class AudienceLog: Sendable {
    private struct State {
        var trace: LoadTrace?
        var outcomes: [LoadOutcome: Int] = [:]
        var line = ProgressLine()
    }

    private let state: Mutex<State>

    init(trace: sending LoadTrace?) { state = Mutex(State(trace: trace)) }

    func write(_ line: LoadTraceLine, _ outcome: LoadOutcome) {
        state.withLock { state in
            state.trace?.write(line)
            state.outcomes[outcome, default: 0] += 1
            let counts = state.outcomes
            state.line.show("\(counts[.granted] ?? 0) licenses  \(counts.values.reduce(0, +)) requests")
        }
    }

    /// Takes the progress line away and returns what was counted.
    ///
    /// - Throws: when the trace is not whole.
    func finish() throws(CommandFailure) -> [LoadOutcome: Int] {
        try state.withLock { state throws(CommandFailure) in
            state.line.clear()
            try state.trace?.finish()
            return state.outcomes
        }
    }
}
