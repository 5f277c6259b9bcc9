import ContentKeySession

/// Why a key was not had from the server.
public struct OfflineKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of what went wrong, stable: a reason or type of the server's problem document, a kind of
    /// ``ContentKeySession/KeyFailure``, or a code of this target.
    public let code: String
    /// Which key: its identifier, or the title.
    public let place: String
    /// What is wrong, and what can be done about it; no secrets.
    public let reason: String

    /// Makes an error.
    public init(code: String, place: String, reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// One line.
    public var description: String { "\(place): \(reason) (\(code))" }
}

extension OfflineKeys {
    /// What became of a key that the server was asked for.
    public enum Renewal: Sendable, Hashable {
        /// There is a new one, which has taken the old one's place.
        case renewed
        /// The server, the device or the network has something against it. The old one stays.
        case refused(OfflineKeyError)
    }

    /// Asks the server for other keys in the place of those that are kept for a title: after they have run out, or
    /// before. The server decides; where its policy says `renewAfterExpiry: false` it refuses what has run out
    /// (`renewal-after-expiry`), which is written down.
    ///
    /// - Returns: what became of each, by its identifier.
    /// - Throws: ``OfflineStorageError``; ``OfflineKeyError`` `not-kept` when no key is kept for the title.
    public func renew(_ title: String) async throws -> [String: Renewal] {
        guard let kept = try store.title(title), !kept.keys.isEmpty else {
            throw OfflineKeyError(code: "not-kept", place: title, reason: "no key is kept for it: download it again")
        }
        let identifiers = kept.keys.filter { $0.value.kind == .fairPlay }.keys.sorted()
        return try await obtain(identifiers, title: title)
    }

    /// Has the server asked for persistable keys, and keeps them.
    func obtain(_ identifiers: [String], title: String) async throws -> [String: Renewal] {
        let playback = playback(of: title, .serverAlone)
        return try await playback.whileAnswering {
            let recipient = KeyWaiter()
            try await playback.fairPlay.addContentKeyRecipient(recipient)
            return await withTaskGroup(of: Outcome.self) { group in
                for identifier in identifiers {
                    group.addTask {
                        Outcome(
                            identifier: identifier,
                            renewal: await obtain(identifier, with: playback, for: recipient)
                        )
                    }
                }
                var renewals: [String: Renewal] = [:]
                for await outcome in group { renewals[outcome.identifier] = outcome.renewal }
                return renewals
            }
        }
    }

    /// What became of one key: Swift 6.3.1's optimizer mixes up pairs that a task group hands out.
    private struct Outcome: Sendable {
        let identifier: String
        let renewal: Renewal
    }

    private func obtain(
        _ identifier: String,
        with playback: OfflinePlayback,
        for recipient: KeyWaiter
    ) async -> Renewal {
        let before = try? playback.keys.kept(identifier)
        do throws(ContentKeyError) {
            _ = try await playback.fairPlay.contentKey(
                identifier: identifier,
                options: ContentKeyRequestOptions(isPersistable: true),
                for: recipient
            )
        } catch {
            let failure = await playback.loader.errorLog.entries
                .last { $0.label == KeyLabel(identifier) && $0.retryAfter == nil }
            guard let failure else {
                return .refused(OfflineKeyError(code: error.code.rawValue, place: identifier, reason: "\(error)"))
            }
            let refusal = failure.failure
            if refusal.kind == .forbidden, let word = refusal.reason ?? refusal.problem {
                playback.keys.note(.renewalRefused(word), for: identifier)
            }
            return .refused(
                OfflineKeyError(
                    code: refusal.reason?.description ?? refusal.problem?.description ?? refusal.kind.rawValue,
                    place: identifier,
                    reason: "\(refusal): \(failure.advice)"
                )
            )
        }
        if let error = playback.keys.error {
            let reason = "\(error): \(error.advice)"
            return .refused(OfflineKeyError(code: error.code.rawValue, place: identifier, reason: reason))
        }
        guard let after = try? playback.keys.kept(identifier)?.bytes, after != before?.bytes else {
            return .refused(
                OfflineKeyError(
                    code: ContentKeyError.Code.persistenceNotAllowed.rawValue,
                    place: identifier,
                    reason: "the key may be used online alone: the license policy has to have \"persist\""
                )
            )
        }
        return .renewed
    }
}

/// Waits for keys and plays nothing.
final class KeyWaiter: ContentKeyRecipient {
    let hasBegunLoading = false
}
