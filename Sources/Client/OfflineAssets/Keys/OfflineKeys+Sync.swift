public import ContentKeySession

/// Reports of a device about its persistent keys (Sync), and the server's responses.
///
/// | Call | Sync SPC | Effect on the server's record |
/// |---|---|---|
/// | ``OfflineKeys/report(_:)`` | REPORT, for each key with two expiry periods | expiration time; expiry ends it |
/// | ``OfflineKeys/invalidate(_:title:)`` | SECURE_INVALIDATION of a stream, with the server's challenge | it ends |
/// | ``OfflineKeys/invalidate(title:)`` | the same, for all streams of the title | all of them end |
///
/// A key without two expiry periods has no stream ID, so it cannot be reported: it is only deleted.
extension OfflineKeys {
    /// Reports the remaining time of each key of a title to the server.
    ///
    /// - Returns: The server's responses by key identifier.
    /// - Throws: ``OfflineKeyError`` or ``OfflineStorageError``.
    public func report(_ title: String) async throws -> [String: SyncResponse] {
        let use = try await store.use(title)
        defer { withExtendedLifetime(use) {} }
        let client = try syncClient(title)
        await sendPendingReturnsIfPossible()
        let keys = try await syncable(title)
        guard !keys.isEmpty else { throw Self.nothingToReport(title) }
        let certificate = try await client.certificate()
        var answers: [String: SyncResponse] = [:]
        for (identifier, key) in keys {
            let context = context(certificate, try protocolVersions(identifier, of: title), challenge: 0)
            let spc = try await withKeyErrors(identifier) { () async throws(ContentKeyError) in
                try await device.makeSecureToken(forExpirationDateOf: key, context)
            }
            answers[identifier] = try await client.send(spc, place: identifier)
            try note(.reported, [identifier], of: title)
        }
        return answers
    }

    /// Invalidates the keys of one stream permanently, and sends the proof to the server.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a stored key of the title.
    ///   - title: The title.
    /// - Returns: The server's response.
    /// - Throws: ``OfflineKeyError`` or ``OfflineStorageError``. With the code `proof-not-delivered`, the keys are
    ///   invalid but the server was not notified.
    @discardableResult
    public func invalidate(_ identifier: String, title: String) async throws -> SyncResponse {
        let client = try syncClient(title)
        guard let key = try await syncable(title)[identifier] else { throw Self.nothingToReport(identifier) }
        return try await invalidate(key, identifier, of: title, client) { context throws(ContentKeyError) in
            try await device.invalidate(key, context)
        }
    }

    /// Invalidates all keys of a title permanently, and sends the proof to the server. If the device does not group
    /// keys by title, they are invalidated one after the other.
    ///
    /// - Returns: The server's responses; empty if no key can be invalidated.
    /// - Throws: Errors as ``invalidate(_:title:)``.
    @discardableResult
    public func invalidate(title: String) async throws -> [SyncResponse] {
        await sendPendingReturnsIfPossible()
        var answers: [SyncResponse] = []
        var given: Set<String> = []
        while let (identifier, key) = try await syncable(title).filter({ !given.contains($0.key) })
            .min(by: { $0.key < $1.key })
        {
            // Each key is tried only once, regardless of the result.
            given.insert(identifier)
            let client = try syncClient(title)
            let answer = try await invalidate(key, identifier, of: title, client) { context throws(ContentKeyError) in
                try await device.invalidateTitle(ofPersistableKey: key, context)
            }
            answers.append(answer)
        }
        return answers
    }

    private func invalidate(
        _ key: [UInt8],
        _ identifier: String,
        of title: String,
        _ client: SyncClient,
        _ body: (ServerPlaybackContext) async throws(ContentKeyError) -> [UInt8]
    ) async throws -> SyncResponse {
        // The server is contacted first: without its challenge, the proof would be worthless and the key would be lost.
        let certificate = try await client.certificate()
        let challenge = try await client.challenge()
        let context = context(certificate, try protocolVersions(identifier, of: title), challenge: challenge)
        let proof = try await withKeyErrors(identifier) { () async throws(ContentKeyError) in try await body(context) }
        try await noteInvalidated(title)
        do {
            return try await client.send(proof, place: identifier)
        } catch {
            throw OfflineKeyError(
                code: "proof-not-delivered",
                place: error.place,
                reason: "the key was invalidated, but the server was not notified: \(error.reason)"
            )
        }
    }

    /// Records the keys that the device has invalidated, whether or not the proof reaches the server.
    private func noteInvalidated(_ title: String) async throws {
        guard let kept = try store.title(title) else { return }
        var gone: [String] = []
        for (identifier, key) in kept.keys where key.kind == .fairPlay {
            guard let bytes = key.bytes?.bytes else { continue }
            if let facts = try? await device.facts(ofPersistableKey: bytes), !facts.isCurrent {
                gone.append(identifier)
            }
        }
        try note(.invalidated, gone, of: title)
    }

    private func note(_ event: KeyHistoryEvent, _ identifiers: [String], of title: String) throws {
        let now = clocks.now()
        try store.change(title) { kept in
            for identifier in identifiers {
                kept.keys[identifier]?.entry.note(event, at: now)
                if event == .invalidated { kept.keys[identifier]?.bytes = nil }
            }
        }
    }

    /// Returns the keys of a title that are on the device and can be reported with a Sync SPC.
    private func syncable(_ title: String) async throws -> [String: [UInt8]] {
        guard let kept = try store.title(title) else { throw Self.nothingToReport(title) }
        var keys: [String: [UInt8]] = [:]
        for (identifier, key) in kept.keys where key.kind == .fairPlay {
            guard let bytes = key.bytes?.bytes, key.entry.revoked == nil else { continue }
            guard let facts = try? await device.facts(ofPersistableKey: bytes) else { continue }
            if facts.hasDualExpiry, facts.isCurrent { keys[identifier] = bytes }
        }
        return keys
    }

    func syncClient(_ place: String) throws(OfflineKeyError) -> SyncClient {
        guard let service else {
            throw OfflineKeyError(
                code: "no-server",
                place: place,
                reason: "a key server is required: use --server"
            )
        }
        return SyncClient(service: service, transport: transport)
    }

    /// Returns the protocol versions that a stored key was requested with.
    private func protocolVersions(_ identifier: String, of title: String) throws(OfflineStorageError) -> [UInt32] {
        try store.title(title)?.keys[identifier]?.entry.protocolVersions ?? [1]
    }

    func context(_ certificate: [UInt8], _ versions: [UInt32], challenge: UInt64) -> ServerPlaybackContext {
        ServerPlaybackContext(certificate: certificate, protocolVersions: versions, serverChallenge: challenge)
    }

    func withKeyErrors<Value>(
        _ place: String,
        _ body: () async throws(ContentKeyError) -> Value
    ) async throws(OfflineKeyError) -> Value {
        do throws(ContentKeyError) {
            return try await body()
        } catch {
            throw OfflineKeyError(code: error.code.rawValue, place: place, reason: "\(error)")
        }
    }

    private static func nothingToReport(_ place: String) -> OfflineKeyError {
        OfflineKeyError(
            code: "nothing-to-report",
            place: place,
            reason: "no key with two expiry periods is stored, and a device can report only such keys"
        )
    }
}
