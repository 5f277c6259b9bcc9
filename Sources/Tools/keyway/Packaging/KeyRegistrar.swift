import DRMSignaling
import Packager
import Synchronization

/// Registers new keys with a development server, and takes those back that nothing was published with.
actor KeyRegistrar {
    /// A key on its way to the server.
    struct Key: Sendable {
        let entry: KeyRegistration.Entry
        /// The key period; nil where keys do not change.
        let period: Int?
    }

    /// What the server has made of a key.
    private enum Outcome {
        /// It may have it, or not: the answer did not come.
        case unknown
        case registered(isNew: Bool)
    }

    private let client: KeyServerClient
    private let policy: String?
    /// What was asked for, in order; abandoned where the keys beside it could not be registered.
    private var attempts: [(key: Key, outcome: Outcome, isAbandoned: Bool)] = []
    private var requests: [Int: Task<Void, any Error>] = [:]
    private var isClosed = false
    /// The key periods with which something was published.
    nonisolated let published = PublishedPeriods()

    init(_ client: KeyServerClient, policy: String?) { (self.client, self.policy) = (client, policy) }

    /// Makes sure that the server is there, and takes the token: before hours of work, and not after them.
    func check() async throws { try await client.checkAdministration() }

    /// Registers keys, one after the other.
    func register(_ keys: [Key]) async throws {
        var places: [Int] = []
        do {
            try await register(keys, &places)
        } catch {
            for place in places { attempts[place].isAbandoned = true }
            throw error
        }
    }

    private func register(_ keys: [Key], _ places: inout [Int]) async throws {
        for key in keys {
            guard let iv = key.entry.key.iv else { continue }
            try Task.checkCancellation()
            guard !isClosed else { throw CancellationError() }
            let place = attempts.count
            attempts.append((key, .unknown, false))
            places.append(place)
            let request = Task { [client, policy] in
                let isNew = try await client.register(
                    assetID: key.entry.assetID,
                    keyID: key.entry.key.keyID.hexadecimal,
                    key: key.entry.key.key,
                    iv: iv,
                    track: key.entry.track,
                    policy: policy
                )
                attempts[place].outcome = .registered(isNew: isNew)
            }
            requests[place] = request
            defer { requests[place] = nil }
            try await withTaskCancellationHandler {
                try await request.value
            } onCancel: {
                request.cancel()
            }
        }
    }

    /// Ends what is under way, and deletes the keys that nothing was published with. What had another key before stays as it
    /// is, since the key that it had is gone in any case.
    ///
    /// - Returns: The asset IDs of those that could not be deleted.
    func withdraw() async -> [String] {
        isClosed = true
        for request in requests.values { request.cancel() }
        for request in requests.values { _ = await request.result }
        var left: [String] = []
        for (key, outcome, isAbandoned) in attempts where isAbandoned || !published.contains(key.period) {
            switch outcome {
            case .registered(isNew: false): continue
            // Without an answer, only an asset ID that has the new key's ID in it cannot be another's.
            case .unknown where !key.entry.assetID.contains(key.entry.key.keyID.hexadecimal): continue
            case .unknown, .registered(isNew: true): break
            }
            do {
                // A server that has not answered once is not waited for again and again.
                guard left.isEmpty else { throw CancellationError() }
                try await client.unregister(assetID: key.entry.assetID)
            } catch {
                left.append(key.entry.assetID)
            }
        }
        attempts = []
        return left
    }

    /// As ``withdraw()``; says what is left.
    func withdrawWithNotes() async {
        for asset in await withdraw() {
            Terminal.complain(
                "note: the key of \(escaped(asset)) may still be registered, and nothing uses it: delete that content"
            )
        }
    }
}

/// The key periods with which something was published, so that it can be played: their keys have to stay.
final class PublishedPeriods: Sendable {
    private struct State {
        var current: Int?
        var periods: Set<Int?> = []
    }

    private let state = Mutex(State())

    /// Takes note of what a live run does.
    func note(_ event: LiveRun.Event) {
        state.withLock { state in
            switch event {
            case .period(let number): state.current = number
            case .segment: state.periods.insert(state.current)
            case .discontinuity, .warning: break
            }
        }
    }

    /// Whether something was published with a period's keys; nil for keys that do not change.
    func contains(_ period: Int?) -> Bool { state.withLock { $0.periods.contains(period) } }
}
