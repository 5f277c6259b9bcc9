import DRMSignaling
import Packager
import Synchronization
import ToolSupport

/// A registrar of new keys with a development server, which deletes the keys that nothing was published with.
actor KeyRegistrar {
    /// A key to register.
    struct Key: Sendable {
        let entry: KeyRegistration.Entry
        /// The key period; nil if keys do not change.
        let period: Int?
    }

    /// The result of a registration.
    private enum Outcome {
        /// No response arrived, so the server may or may not have the key.
        case unknown
        case registered(isNew: Bool)
    }

    private let client: KeyServerClient
    private let policies: KeyPolicies
    private let title: TitleRegistrar?
    /// The names of the created policies.
    private var createdPolicies: Set<String> = []
    /// The classes whose policies on the command line have been compared with the playlists.
    private var comparedClasses: Set<TrackClass> = []
    /// The registrations in order; abandoned if other keys of the same call could not be registered.
    private var attempts: [(key: Key, outcome: Outcome, isAbandoned: Bool)] = []
    private var requests: [Int: Task<Void, any Error>] = [:]
    private var isClosed = false
    /// The key periods of published segments.
    nonisolated let published = PublishedPeriods()

    /// Creates a registrar.
    ///
    /// - Parameter title: The registrar of the title that the keys belong to; nil for separate keys.
    init(_ client: KeyServerClient, policies: KeyPolicies, title: TitleRegistrar?) {
        (self.client, self.policies, self.title) = (client, policies, title)
    }

    /// Checks that the server can be reached and accepts the token, before packaging starts.
    func check() async throws { try await client.checkAdministration() }

    /// Registers keys, one after the other.
    func register(_ keys: [Key]) async throws {
        var indices: [Int] = []
        do {
            try await register(keys, &indices)
        } catch {
            for index in indices { attempts[index].isAbandoned = true }
            throw error
        }
    }

    private func register(_ keys: [Key], _ indices: inout [Int]) async throws {
        for key in keys {
            guard let iv = key.entry.key.iv else { continue }
            let policy = try await policy(for: key.entry)
            var place: (name: String, track: String)?
            if let title, let trackClass = key.entry.classes.first {
                place = (title.name, try await title.track(for: trackClass))
            }
            // A signal may have ended the run meanwhile.
            try Task.checkCancellation()
            guard !isClosed else { throw CancellationError() }
            let index = attempts.count
            attempts.append((key, .unknown, false))
            indices.append(index)
            let request = Task { [client, place] in
                let isNew = try await client.register(
                    assetID: key.entry.assetID,
                    keyID: key.entry.key.keyID.hexadecimal,
                    key: key.entry.key.key,
                    iv: iv,
                    track: key.entry.track,
                    title: place,
                    policy: policy
                )
                attempts[index].outcome = .registered(isNew: isNew)
            }
            requests[index] = request
            defer { requests[index] = nil }
            try await withTaskCancellationHandler {
                try await request.value
            } onCancel: {
                request.cancel()
            }
        }
    }

    /// Returns the name of a key's policy, which is created if the server does not have it; nil for the server's default.
    private func policy(for entry: KeyRegistration.Entry) async throws -> String? {
        let choice = policies.choice(for: entry)
        guard let name = choice.name else { return nil }
        guard let document = choice.document else {
            await compareHDCP(of: name, entry)
            return name
        }
        guard !createdPolicies.contains(name) else { return name }
        if try await client.policy(named: name) == nil { try await client.put(policy: document, named: name) }
        createdPolicies.insert(name)
        return name
    }

    /// Prints a warning, once for each class, if a policy requires another HDCP type than the playlists declare. Audio has
    /// no HDCP-LEVEL.
    private func compareHDCP(of name: String, _ entry: KeyRegistration.Entry) async {
        guard let level = entry.protection?.hdcp, let trackClass = entry.classes.first(where: { $0 != .audio }),
            comparedClasses.insert(trackClass).inserted,
            // A policy that does not exist is an error of the registration.
            let document = try? await client.policy(named: name)
        else { return }
        let warning = PolicyHDCP.warning(policy: name, document, trackClass, declared: level)
        if let warning { Terminal.writeError(escaped("warning: \(warning)")) }
    }

    /// Cancels running registrations, and deletes the keys that nothing was published with. An asset that had another
    /// key before is not deleted, because the earlier key has been replaced in any case.
    ///
    /// - Returns: The asset IDs of the keys that could not be deleted.
    func withdraw() async -> [String] {
        isClosed = true
        for request in requests.values { request.cancel() }
        for request in requests.values { _ = await request.result }
        var left: [String] = []
        var kept: Set<TrackClass> = []
        for (key, outcome, isAbandoned) in attempts {
            guard isAbandoned || !published.contains(key.period) else {
                kept.formUnion(key.entry.classes)
                continue
            }
            switch outcome {
            case .registered(isNew: false):
                kept.formUnion(key.entry.classes)
                continue
            // Without a response, an asset can be deleted safely only if its ID contains the ID of the new key.
            case .unknown where !key.entry.assetID.contains(key.entry.key.keyID.hexadecimal): continue
            case .unknown, .registered(isNew: true): break
            }
            do {
                // After one failed request, no others are sent, so that timeouts do not add up.
                guard left.isEmpty else { throw CancellationError() }
                try await client.unregister(assetID: key.entry.assetID)
            } catch {
                left.append(key.entry.assetID)
            }
        }
        attempts = []
        if left.isEmpty { await title?.withdraw(keeping: kept) }
        return left
    }

    /// Performs ``withdraw()``, and prints a note for each key that could not be deleted.
    func withdrawWithNotes() async {
        for asset in await withdraw() {
            Terminal.writeError(
                "note: the key of \(escaped(asset)) may still be registered, but is not used: delete that content"
            )
        }
    }
}

/// The key periods of published segments. Their keys must stay registered, so that the segments can be played.
final class PublishedPeriods: Sendable {
    private struct State {
        var current: Int?
        var periods: Set<Int?> = []
    }

    private let state = Mutex(State())

    /// Records an event of a live run.
    func record(_ event: LiveRun.Event) {
        state.withLock { state in
            switch event {
            case .period(let number): state.current = number
            case .segment, .part: state.periods.insert(state.current)
            case .discontinuity, .warning: break
            }
        }
    }

    /// Returns whether a segment or a part of one was published with the keys of a period; nil for keys that do not change.
    func contains(_ period: Int?) -> Bool { state.withLock { $0.periods.contains(period) } }
}
