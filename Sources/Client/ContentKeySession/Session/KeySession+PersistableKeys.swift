// Stored keys, and keys that the device lets go of.

extension KeySession {
    /// Makes what tells the server securely until when a stored key is valid.
    public func makeSecureTokenForExpirationDate(
        ofPersistableContentKey stored: [UInt8],
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        guard !machine.isExpired else { throw ContentKeyError(.sessionExpired, .session) }
        return try await device.makeSecureToken(forExpirationDateOf: stored, context)
    }

    /// Makes a stored key unusable for ever, stops it where this session uses it, and makes what proves that to the
    /// server that gave the challenge.
    public func invalidatePersistableContentKey(
        _ stored: [UInt8],
        context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        try await invalidate(stored, context)
    }

    /// Makes every stored key of the app unusable, likewise. The app is known by the context's certificate.
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

    /// Ends a key.
    func revoke(_ key: ContentKey) {
        guard let (loaded, request) = keys[key.name], loaded === key else { return }
        apply(.revoke(request))
    }

    /// Hands over the key that takes a stored one's place.
    func announce(updatedKey: [UInt8], for identifier: String) {
        delegate?.contentKeySession(
            self,
            didUpdatePersistableContentKey: updatedKey,
            forContentKeyIdentifier: identifier
        )
        eventFeed.add(.didUpdatePersistableKey(RedactedBytes(updatedKey), identifier: identifier))
    }

    /// Looks at what is attached to the device, and tells of each key for which that makes a difference. Call it when a
    /// display comes or goes.
    public func checkExternalProtection() {
        let changed = keys.values.sorted { $0.request < $1.request }.map(\.key).filter { $0.noteProtection() }
        for key in changed {
            delegate?.contentKeySession(self, externalProtectionStatusDidChangeFor: key)
            eventFeed.add(.externalProtectionStatusDidChange(key))
        }
    }
}
