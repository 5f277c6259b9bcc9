extension FPSDevice {
    /// Takes a persistent key that this device made, to play with it.
    ///
    /// - Parameter session: the playback that it is for; nil begins a new one.
    /// - Throws: ``FPSError/persistentKeyOutdated``, ``FPSError/persistentKeyExpired``,
    ///   ``FPSError/invalidPersistentKey``.
    public func loadPersistentKey(_ sealed: [UInt8], session: PlaybackSession? = nil) throws(FPSError) -> DeviceKey {
        let key = try openPersistentKey(sealed)
        let isCurrent = try withState { state throws(FPSError) in
            try recall(&state)
            // The device made it, and its program ended before that was written down.
            if state.vault.catchUp(key.recordID, key.generation) { state.unsaved[key.recordID] = key.generation }
            return state.vault.isCurrent(key)
        }
        guard isCurrent else {
            throw .invalidPersistentKey.because("it was invalidated, or replaced when playback first started")
        }
        if let obstacle = key.validity.obstacleToStarting(at: clock.now) { throw obstacle }
        let origin = KeyOrigin(
            certificate: [],
            certificateHash: key.certificateHash,
            assetID: key.assetID,
            versions: [],
            output: profile.output,
            session: session ?? beginSession()
        )
        return DeviceKey(
            device: self,
            origin: origin,
            contentKey: key.contentKey,
            iv: key.iv,
            validity: key.validity,
            hdcp: key.hdcp,
            persistent: key
        )
    }

    /// What a persistent key says of itself, whether it is still valid or not; never the key.
    ///
    /// - Throws: ``FPSError`` when this device cannot open it.
    public func facts(of stored: [UInt8]) throws(FPSError) -> PersistentKeyFacts {
        let key = try openPersistentKey(stored)
        var facts = PersistentKeyFacts(
            acquired: key.validity.acquired,
            firstPlayed: key.validity.firstPlayed,
            isCurrent: withState { $0.vault.isCurrent(key) }
        )
        switch key.validity.terms {
        case .streaming: break
        case .persistent(let duration): facts.storageDuration = duration
        case .dualExpiry(let terms):
            facts.hasDualExpiry = true
            (facts.storageDuration, facts.playbackDuration) = (terms.storageDuration, terms.playbackDuration)
        }
        return facts
    }

    /// Opens a persistent key whether it is still valid or not.
    func openPersistentKey(_ sealed: [UInt8]) throws(FPSError) -> PersistentKey {
        try PersistentKey.open(sealed, with: sealingKey, format: withState { $0.persistentKeyFormat })
    }

    /// Holds that a persistent key may start to play; at the first play of an offline key, makes the one that replaces
    /// it and voids the old one.
    ///
    /// - Returns: the new key, and its bytes for the app; nil if it is not a first play.
    func startPersistentKey(_ key: PersistentKey, at now: Int64) throws(FPSError) -> (PersistentKey, [UInt8])? {
        let sealingKey = sealingKey
        return try withState { state throws(FPSError) in
            try recall(&state)
            guard state.vault.isCurrent(key) else {
                throw .invalidPersistentKey.because("it was invalidated, or replaced when playback first started")
            }
            guard key.validity.terms.offlineKey != nil, key.validity.firstPlayed == nil else { return nil }
            var next = key
            next.validity.firstPlayed = now
            state.vault.advance(&next)
            state.unsaved[next.recordID] = next.generation
            return (next, try next.seal(with: sealingKey, format: state.persistentKeyFormat))
        }
    }

    /// Holds that a persistent key in use was not invalidated.
    func checkNotInvalidated(_ key: PersistentKey) throws(FPSError) {
        guard withState({ $0.vault.knows(key) }) else { throw .invalidPersistentKey.because("it was invalidated") }
    }
}
