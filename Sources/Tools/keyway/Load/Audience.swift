import FPSCrypto
import NIOCore
import Synchronization
import TextCoding
import ToolSupport
import VirtualDevice

/// A simulated audience: devices that acquire a license, renew it during playback, stop, and start again, until the end
/// of the simulation, even while the server is unavailable.
struct Audience: Sendable {
    /// The durations and probabilities of the simulated viewers; durations are in seconds.
    struct Behavior: Sendable {
        /// The maximum pause between two playbacks.
        var pause: Double
        /// The maximum number of lease renewals of a playback.
        var renewals: Int
        /// The fraction of playbacks whose first request is sent again after the response.
        var retries: Double
        /// The maximum duration of a playback without a lease.
        var unlimited: Double
    }

    let client: LoadClient
    let population: LoadPopulation
    let certificate: [UInt8]
    let versions: [UInt32]
    let assets: [String]
    let behavior: Behavior
    /// The time at which all devices stop, in seconds since 1970.
    let end: Double
    let log: AudienceLog

    /// Runs all devices until the end.
    func watch() async {
        await withTaskGroup(of: Void.self) { group in
            for member in population.members { group.addTask { await self.watch(member) } }
        }
    }

    /// Sends one request for each device, one after the other, ordered by account.
    func requestOnce() async {
        for member in population.members.sorted(by: { ($0.account, $0.number) < ($1.account, $1.number) }) {
            var device = DeviceConnection(self, member)
            await device.requestOnce()
        }
    }

    private func watch(_ member: LoadPopulation.Member) async {
        var device = DeviceConnection(self, member)
        await pause(upTo: behavior.pause)
        while LoadClock.now < end {
            await device.play()
            await pause(upTo: behavior.pause)
        }
        device.close()
    }

    /// Waits for a random time, but not beyond the end.
    private func pause(upTo seconds: Double) async {
        let seconds = min(Double.random(in: 0...max(seconds, 0.001)), end - LoadClock.now)
        guard seconds > 0 else { return }
        try? await Task.sleep(for: .seconds(seconds))
    }

    /// A device and its connection.
    private struct DeviceConnection {
        let audience: Audience
        let member: LoadPopulation.Member
        var connection: LoadConnection?
        /// The token of the last request, which a retry sends again.
        var token: String?

        init(_ audience: Audience, _ member: LoadPopulation.Member) {
            self.audience = audience
            self.member = member
        }

        func close() { connection?.close() }

        /// Acquires the token of the next request. If that fails, the server refuses the request, which is logged.
        private mutating func renewToken(isFirst: Bool) async {
            let tokens = audience.population.tokens
            token = try? await tokens.token(account: member.account, last: isFirst ? nil : token)
        }

        mutating func requestOnce() async {
            let session = member.device.beginSession()
            let asset = Int.random(in: audience.assets.indices)
            guard let request = request(asset, session) else { return }
            await renewToken(isFirst: true)
            // The request is retried, because the server may still be starting.
            for _ in 0..<50 {
                if await send(request, asset, kind: "start").status != 0 { break }
                try? await Task.sleep(for: .milliseconds(100))
            }
            close()
        }

        /// Performs one playback, from the first request to the last.
        mutating func play() async {
            let session = member.device.beginSession()
            let asset = Int.random(in: audience.assets.indices)
            guard let request = request(asset, session) else { return }
            await renewToken(isFirst: true)
            var response = await send(request, asset, kind: "start")
            if response.status == 0 {
                // Like an app whose connection broke, the device does not know whether the server sent a response, and
                // retries.
                try? await Task.sleep(for: .milliseconds(Int.random(in: 50...300)))
                response = await send(request, asset, kind: "retry")
            }
            guard let key = response.key, (try? key.startPlaying()) != nil else { return }
            if Double.random(in: 0..<1) < audience.behavior.retries { _ = await send(request, asset, kind: "retry") }
            guard let lease = response.lease else { return await audience.pause(upTo: audience.behavior.unlimited) }
            for _ in 0..<Int.random(in: 0...audience.behavior.renewals) {
                await audience.pause(upTo: Double(lease) * 0.8)
                guard LoadClock.now < audience.end, await renew(key, asset) else { break }
            }
            await audience.pause(upTo: Double(lease) * 0.8)
            key.stopPlaying()
        }

        /// Renews the lease; retries until the renewal succeeds, is refused, or the lease has expired.
        private mutating func renew(_ key: DeviceKey, _ asset: Int) async -> Bool {
            await renewToken(isFirst: false)
            while let request = try? member.device.makeSPC(renewing: key) {
                let response = await send(request, asset, kind: "renewal")
                if response.status == 200 { return true }
                if response.status != 0 && response.status != 503 { return false }
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

        /// Sends a request, opens the CKC in the response, and logs the outcome.
        private mutating func send(
            _ request: KeyRequest,
            _ asset: Int,
            kind: String
        ) async -> (status: Int, key: DeviceKey?, lease: Int64?) {
            let sent = LoadClock.now
            let head = LoadRequestHeads(authority: audience.client.target.authority).license(token: token)
            var response: LoadResponse?
            do {
                let connection = try await self.connection.orOpen(audience.client)
                self.connection = connection
                response = try await connection.response(to: head, body: request.spc)
            } catch {
                connection?.close()
                connection = nil
            }
            let received = LoadClock.now
            var outcome = response?.outcome ?? .lost
            var key: DeviceKey?
            var lease: Int64?
            if outcome == .granted, let response {
                do throws(FPSError) {
                    let opened = try member.device.process(ckc: response.body, for: request)
                    key = opened
                    lease = opened.leaseEnd.map { $0 - member.clock.lastTime }
                } catch .invalidCKC where kind == "retry" {
                    // A retry after a response returns the same CKC again, which the device accepts only once.
                } catch .leaseExpired, .keyDiscarded, .notPlaying {
                    // The renewal arrived after the lease had expired.
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
                    requestId: response?.requestID,
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
    /// Returns this connection, or opens a new one.
    fileprivate func orOpen(_ client: LoadClient) async throws -> LoadConnection {
        if let self { return self }
        return try await LoadConnection.open(client.target, on: client.loop).get()
    }
}

/// The log of an audience's requests, which counts their outcomes and writes the trace.
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
            state.line.show(
                "\(counted(counts[.granted] ?? 0, "license"))  \(counted(counts.values.reduce(0, +), "request"))"
            )
        }
    }

    /// Removes the progress line, and returns the counts.
    ///
    /// - Throws: An error if the trace is incomplete.
    func finish() throws(CommandFailure) -> [LoadOutcome: Int] {
        try state.withLock { state throws(CommandFailure) in
            state.line.clear()
            try state.trace?.finish()
            return state.outcomes
        }
    }
}
