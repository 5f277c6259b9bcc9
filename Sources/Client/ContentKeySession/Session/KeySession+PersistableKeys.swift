// Persistent keys, and keys that the device removes.

extension KeySession {
    /// Creates a secure token that reports to the server when a persistent key expires.
    public func makeSecureTokenForExpirationDate(
        ofPersistableContentKey stored: [UInt8],
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        guard !machine.isExpired else { throw ContentKeyError(.sessionExpired, .session) }
        return try await device.makeSecureToken(forExpirationDateOf: stored, context)
    }

    /// Invalidates a persistent key permanently, stops it if this session uses it, and returns the proof for the server
    /// that issued the challenge.
    public func invalidatePersistableContentKey(
        _ stored: [UInt8],
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        try await invalidate(stored, context)
    }

    /// Invalidates all persistent keys of the app in the same way. The context's certificate identifies the app.
    public func invalidateAllPersistableContentKeys(
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        try await invalidate(nil, context)
    }

    private func invalidate(_ stored: [UInt8]?, _ context: ServerPlaybackContext) async throws(ContentKeyError)
        -> [UInt8]
    {
        guard !machine.isExpired else { throw ContentKeyError(.sessionExpired, .session) }
        let proof = try await device.invalidate(stored, context)
        for (key, request) in keys.values where key.protectedKey?.isUsable != true { apply(.revoke(request)) }
        return proof
    }

    /// Stops a key.
    func revoke(_ key: ContentKey) {
        guard let (loaded, request) = keys[key.name], loaded === key else { return }
        apply(.revoke(request))
    }

    /// Delivers the key that replaces a persistent key.
    func announce(updatedKey: [UInt8], for identifier: String) {
        delegate?.contentKeySession(
            self,
            didUpdatePersistableContentKey: updatedKey,
            forContentKeyIdentifier: identifier
        )
        eventBroadcast.add(.didUpdatePersistableKey(RedactedBytes(updatedKey), identifier: identifier))
    }

    /// Checks the displays attached to the device, and reports each key whose external content protection status has
    /// changed. Call it when a display is attached or removed.
    public func checkExternalProtection() {
        let changed = keys.values.sorted { $0.request < $1.request }.map(\.key).filter { $0.updateProtectionStatus() }
        for key in changed {
            delegate?.contentKeySession(self, externalProtectionStatusDidChangeFor: key)
            eventBroadcast.add(.externalProtectionStatusDidChange(key))
        }
    }
}
