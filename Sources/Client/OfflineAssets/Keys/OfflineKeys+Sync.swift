import ContentKeySession

/// What a device tells the server of keys that it keeps, and what the server has read of that.
///
/// | Call | Sync SPC | The server's record |
/// |---|---|---|
/// | ``OfflineKeys/report(_:)`` | REPORT, of each key with two expiry periods | until when the key is valid; ends with an expired one |
/// | ``OfflineKeys/invalidate(_:title:)`` | SECURE_INVALIDATION with the server's challenge, of a stream | ends |
/// | ``OfflineKeys/invalidate(title:)`` | the same, of all streams of the title | all of them end |
///
/// A key without two expiry periods has no stream ID, so that nothing can be said of it: it is only forgotten.
extension OfflineKeys {
    /// Tells the server how long each key of a title may still be used.
    ///
    /// - Returns: what the server read, by the key's identifier.
    /// - Throws: ``OfflineKeyError``, ``OfflineStorageError``.
    public func report(_ title: String) async throws -> [String: SyncAnswer] {
        let use = try await store.use(title)
        defer { withExtendedLifetime(use) {} }
        let client = try syncClient(title)
        let keys = try await syncable(title)
        guard !keys.isEmpty else { throw Self.nothingToTell(title) }
        let certificate = try await client.certificate()
        var answers: [String: SyncAnswer] = [:]
        for (identifier, key) in keys {
            let context = context(certificate, challenge: 0)
            let spc = try await saying(identifier) { () async throws(ContentKeyError) in
                try await device.makeSecureToken(forExpirationDateOf: key, context)
            }
            answers[identifier] = try await client.send(spc, place: identifier)
            try note(.reported, [identifier], of: title)
        }
        return answers
    }

    /// Makes the keys of one stream unusable for ever, and proves it to the server.
    ///
    /// - Parameter identifier: of a key that is kept for the title.
    /// - Returns: what the server read.
    /// - Throws: ``OfflineKeyError``, ``OfflineStorageError``. When it is `proof-not-delivered`, the keys are gone and the
    ///   server does not know.
    @discardableResult
    public func invalidate(_ identifier: String, title: String) async throws -> SyncAnswer {
        let client = try syncClient(title)
        guard let key = try await syncable(title)[identifier] else { throw Self.nothingToTell(identifier) }
        return try await invalidate(key, identifier, of: title, client) { context throws(ContentKeyError) in
            try await device.invalidate(key, context)
        }
    }

    /// Makes every key of a title unusable for ever, and proves it to the server. Keys of a device that knows no titles
    /// are given back one after the other.
    ///
    /// - Returns: what the server read; nothing where no key can be given back.
    /// - Throws: as ``invalidate(_:title:)``.
    @discardableResult
    public func invalidate(title: String) async throws -> [SyncAnswer] {
        var answers: [SyncAnswer] = []
        var given: Set<String> = []
        while let (identifier, key) = try await syncable(title).filter({ !given.contains($0.key) })
            .min(by: { $0.key < $1.key })
        {
            // Each is tried once, whatever the device makes of it.
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
    ) async throws -> SyncAnswer {
        // The server comes first: without its challenge the proof would be worth nothing, and the key would be lost.
        let certificate = try await client.certificate()
        let challenge = try await client.challenge()
        let proof = try await saying(identifier) { () async throws(ContentKeyError) in
            try await body(context(certificate, challenge: challenge))
        }
        try await noteInvalidated(title)
        do {
            return try await client.send(proof, place: identifier)
        } catch {
            throw OfflineKeyError(
                code: "proof-not-delivered",
                place: error.place,
                reason: "the key is gone, and the server does not know: \(error.reason)"
            )
        }
    }

    /// What the device has removed cannot be used any more, whatever becomes of the proof.
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

    private func note(_ event: KeyLedgerEvent, _ identifiers: [String], of title: String) throws {
        let now = clocks.now()
        try store.change(title) { kept in
            for identifier in identifiers {
                kept.keys[identifier]?.entry.note(event, at: now)
                if event == .invalidated { kept.keys[identifier]?.bytes = nil }
            }
        }
    }

    /// The keys of a title that the device has, and of which it can make a Sync SPC.
    private func syncable(_ title: String) async throws -> [String: [UInt8]] {
        guard let kept = try store.title(title) else { throw Self.nothingToTell(title) }
        var keys: [String: [UInt8]] = [:]
        for (identifier, key) in kept.keys where key.kind == .fairPlay {
            guard let bytes = key.bytes?.bytes, key.entry.revoked == nil else { continue }
            guard let facts = try? await device.facts(ofPersistableKey: bytes) else { continue }
            if facts.hasDualExpiry, facts.isCurrent { keys[identifier] = bytes }
        }
        return keys
    }

    private func syncClient(_ place: String) throws(OfflineKeyError) -> SyncClient {
        guard let service else {
            throw OfflineKeyError(
                code: "no-server",
                place: place,
                reason: "the key server has to be told: give --server"
            )
        }
        return SyncClient(service: service, transport: transport)
    }

    private func context(_ certificate: [UInt8], challenge: UInt64) -> ServerPlaybackContext {
        ServerPlaybackContext(
            certificate: certificate,
            protocolVersions: service?.keys.protocolVersions ?? [1],
            serverChallenge: challenge
        )
    }

    private func saying<Value>(
        _ place: String,
        _ body: () async throws(ContentKeyError) -> Value
    ) async throws(OfflineKeyError) -> Value {
        do throws(ContentKeyError) {
            return try await body()
        } catch {
            throw OfflineKeyError(code: error.code.rawValue, place: place, reason: "\(error)")
        }
    }

    private static func nothingToTell(_ place: String) -> OfflineKeyError {
        OfflineKeyError(
            code: "nothing-to-report",
            place: place,
            reason: "no key with two expiry periods is kept for it, and of others a device cannot report"
        )
    }
}
