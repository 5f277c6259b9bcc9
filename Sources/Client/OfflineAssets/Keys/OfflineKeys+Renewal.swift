public import ContentKeySession
import HLSPlaylist

extension OfflineKeys {
    /// The result of a key renewal.
    public enum Renewal: Sendable, Hashable {
        /// The server returned a new key, which replaced the old one.
        case renewed
        /// The server or the device refused, or the network failed. The old key is kept.
        case refused(OfflineKeyError)
    }

    /// Requests new keys from the server to replace the stored keys of a title, before or after they expire. The server
    /// decides; if its policy has `renewAfterExpiry: false`, it refuses to renew an expired key
    /// (`renewal-after-expiry`), which is recorded.
    ///
    /// - Returns: The results by key identifier.
    /// - Throws: ``OfflineStorageError``; ``OfflineKeyError`` `not-stored` if no key is stored for the title.
    public func renew(_ title: String) async throws -> [String: Renewal] {
        guard let kept = try store.title(title), !kept.keys.isEmpty else {
            throw OfflineKeyError(
                code: "not-stored",
                place: title,
                reason: "no key is stored for this title: download it again"
            )
        }
        let identifiers = kept.keys.filter { $0.value.kind == .fairPlay }.keys.sorted()
        return try await obtain(identifiers, title: title)
    }

    /// Requests persistable keys from the server, in one round trip if it has a batch route, and stores them.
    ///
    /// - Parameter tags: The tags of the keys in the playlist, which determine their protocol versions; the versions of
    ///   other keys are those of the stored key.
    func obtain(_ identifiers: [String], tags: [KeyTag] = [], title: String) async throws -> [String: Renewal] {
        await sendPendingReturnsIfPossible()
        let playback = playback(of: title, .serverOnly)
        return try await playback.whileAnswering {
            let recipient = KeyWaiter()
            try await playback.fairPlay.addContentKeyRecipient(recipient)
            await playback.loader.keysDeclared(tags)
            // The requests are announced together; otherwise each would be sent as soon as it arrives.
            if identifiers.count > 1 { await playback.loader.preload(identifiers, isPersistable: true) }
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

    /// The result for one key: Swift 6.3.1's optimizer swaps the elements of tuples returned by a task group.
    private struct Outcome: Sendable {
        let identifier: String
        let renewal: Renewal
    }

    private func obtain(
        _ identifier: String,
        with playback: OfflinePlayback,
        for recipient: KeyWaiter
    ) async -> Renewal {
        let before = try? playback.keys.storedKey(identifier)
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
        guard let after = try? playback.keys.storedKey(identifier)?.bytes, after != before?.bytes else {
            return .refused(
                OfflineKeyError(
                    code: ContentKeyError.Code.persistenceNotAllowed.rawValue,
                    place: identifier,
                    reason: "the key is for online use only: add \"persist\" to the license policy"
                )
            )
        }
        return .renewed
    }
}

/// A recipient that waits for keys and does not play.
final class KeyWaiter: ContentKeyRecipient {
    let hasBegunLoading = false
}
