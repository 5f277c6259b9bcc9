public import ContentKeySession

/// The return of the keys of titles that were deleted while the server could not be reached.
///
/// Only the server's challenge makes a proof that a key was removed, so the keys are kept until the next contact. They
/// cannot be played, because their title no longer exists.
extension OfflineKeys {
    /// The result of returning the keys of deleted titles.
    public struct Returns: Sendable, Hashable {
        /// The number of deleted titles whose keys were returned, or had nothing to return.
        public var completed = 0
        /// The number of deleted titles that remain, for example because their keys are from another server.
        public var remaining = 0
        /// The server's responses, one for each returned key.
        public var responses: [SyncResponse] = []
        /// The error that ended the attempt; nil if there was none.
        public var error: OfflineKeyError?
    }

    /// Records that the FairPlay keys of a title are to be returned at the next contact with their server. Call this
    /// before the title is removed.
    ///
    /// - Returns: The number of keys; 0 if there are no keys to return.
    @discardableResult
    public func deferReturn(of title: String) async throws(OfflineStorageError) -> Int {
        guard var kept = try store.title(title) else { return 0 }
        for (identifier, key) in kept.keys where key.kind == .fairPlay {
            guard let bytes = key.bytes?.bytes else { continue }
            // Only keys with two expiry periods have a record that the server ends.
            let facts = try? await device.facts(ofPersistableKey: bytes)
            if let facts, facts.hasDualExpiry, facts.isCurrent { continue }
            kept.keys[identifier] = nil
        }
        return try store.deferReturn(of: kept)
    }

    /// Returns the keys of deleted titles to the server.
    ///
    /// A key of a title that was downloaded again is not returned: the server's record belongs to the new key.
    ///
    /// - Throws: ``OfflineStorageError``; ``OfflineKeyError`` `no-server`. Other errors are part of the result.
    public func sendPendingReturns() async throws -> Returns {
        var returns = Returns()
        let client = try syncClient("deleted titles")
        for (name, title) in try store.pendingReturns() {
            guard returns.error == nil, title.server == nil || title.server == origin else {
                returns.remaining += 1
                continue
            }
            do throws(OfflineKeyError) {
                let current = try? store.title(title.title)
                for (identifier, key) in title.keys.sorted(by: { $0.key < $1.key }) {
                    guard let bytes = key.bytes?.bytes, current?.keys[identifier]?.bytes == nil,
                        let facts = try? await device.facts(ofPersistableKey: bytes), facts.isCurrent
                    else { continue }
                    returns.responses.append(try await giveBack(bytes, identifier, key.entry.protocolVersions, client))
                }
                try? store.removeReturn(name)
                returns.completed += 1
            } catch {
                returns.error = error
                returns.remaining += 1
            }
        }
        return returns
    }

    /// Returns the keys of deleted titles at the beginning of another exchange with the server, which does not depend on
    /// the result.
    func sendPendingReturnsIfPossible() async {
        guard service != nil, store.pendingReturnCount > 0 else { return }
        _ = try? await sendPendingReturns()
    }

    private func giveBack(
        _ key: [UInt8],
        _ identifier: String,
        _ versions: [UInt32],
        _ client: SyncClient
    ) async throws(OfflineKeyError) -> SyncResponse {
        let certificate = try await client.certificate()
        let context = context(certificate, versions, challenge: try await client.challenge())
        let proof = try await withKeyErrors(identifier) { () async throws(ContentKeyError) in
            try await device.invalidate(key, context)
        }
        return try await client.send(proof, place: identifier)
    }
}
