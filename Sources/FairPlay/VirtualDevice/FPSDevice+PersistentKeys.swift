extension FPSDevice {
    /// Loads a persistent key that this device created, for playback.
    ///
    /// The device saves the time first, also if it refuses the key, so that the key stays expired in later runs.
    ///
    /// - Parameter session: the playback session of the key; nil starts a new session.
    /// - Throws: ``FPSError/persistentKeyOutdated``, ``FPSError/persistentKeyExpired``,
    ///   ``FPSError/invalidPersistentKey``, ``FPSError/memoryFailed``.
    public func loadPersistentKey(_ sealed: [UInt8], session: PlaybackSession? = nil) throws(FPSError) -> DeviceKey {
        var key = try openPersistentKey(sealed)
        let (isCurrent, ceiling) = try withState { state throws(FPSError) in
            try recall(&state)
            // The device created this key, but the program ended before the device saved the new generation.
            if state.vault.updateGeneration(key.recordID, key.generation), state.memory?.isReadOnly != true {
                state.unsaved[key.recordID] = key.generation
            }
            return (state.vault.isCurrent(key), state.vault.ceiling(of: key))
        }
        key.validity.limit(to: ceiling)
        let now = try savedTime()
        guard isCurrent else {
            throw .invalidPersistentKey.because("the key was invalidated, or replaced at first playback")
        }
        if let error = key.validity.startError(at: now) { throw error }
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

    /// Returns the properties of a persistent key, even if it is no longer valid, but not the content key.
    ///
    /// - Throws: ``FPSError`` if this device cannot decrypt the persistent key.
    public func facts(of stored: [UInt8]) throws(FPSError) -> PersistentKeyProperties {
        let key = try openPersistentKey(stored)
        var facts = PersistentKeyProperties(
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

    /// Decrypts a persistent key, even if it is no longer valid.
    func openPersistentKey(_ sealed: [UInt8]) throws(FPSError) -> PersistentKey {
        let format = withState { $0.persistentKeyFormat }
        var key = try PersistentKey.open(sealed, with: persistentKeyEncryptionKey, format: format)
        key.validity.limit(to: withState { [key] in $0.vault.ceiling(of: key) })
        return key
    }

    /// Checks that playback with a persistent key can start. At the first playback with an offline key, creates the key
    /// that replaces it and invalidates the old key.
    ///
    /// - Returns: the new key and its bytes for the app; nil if it is not the first playback.
    func startPersistentKey(_ key: PersistentKey, at now: Int64) throws(FPSError) -> (PersistentKey, [UInt8])? {
        let encryptionKey = persistentKeyEncryptionKey
        return try withState { state throws(FPSError) in
            try recall(&state)
            guard state.vault.isCurrent(key) else {
                throw .invalidPersistentKey.because("the key was invalidated, or replaced at first playback")
            }
            guard key.validity.terms.offlineKey != nil, key.validity.firstPlayed == nil else { return nil }
            guard state.memory?.isReadOnly != true else {
                throw .memoryFailed.because(
                    "the first playback of this key starts its playback period, which must be recorded, but the folder "
                        + "of the device's storage is read-only: make it writable"
                )
            }
            var next = key
            next.validity.firstPlayed = now
            state.vault.advance(&next)
            state.unsaved[next.recordID] = next.generation
            state.started.insert(next.recordID)
            return (next, try next.seal(with: encryptionKey, format: state.persistentKeyFormat))
        }
    }

    /// Checks that a persistent key in use was not invalidated.
    func checkNotInvalidated(_ key: PersistentKey) throws(FPSError) {
        guard withState({ $0.vault.contains(key) }) else {
            throw .invalidPersistentKey.because("the key was invalidated")
        }
    }
}
