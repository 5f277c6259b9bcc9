internal import FPSCrypto

extension FPSDevice {
    /// Decrypts a CKC and returns its key: the renewed key for a renewal request, a new key otherwise.
    ///
    /// The key is not persistent, even if the CKC allows persistence: it is discarded when playback stops. Its
    /// durations start now. After an error, another CKC can be processed for the same request.
    ///
    /// - Throws: ``FPSError/invalidCKC``, ``FPSError/securityLevelTooLow``; for a late renewal,
    ///   ``FPSError/leaseExpired`` or ``FPSError/keyDiscarded``.
    public func process(ckc: [UInt8], for request: KeyRequest) throws(FPSError) -> DeviceKey {
        try open(ckc, for: request) { received throws(FPSError) in
            saveTimeIfPossible()
            if let key = request.renewing {
                // A CKC for state 2 does not have to contain a valid key, so the key in use stays.
                try key.renew(with: received, keepingKey: request.reader.state == .playing)
                return key
            }
            // The reader accepts a CKC without a key only for state 2; if there is no key to renew, the CKC must
            // contain one.
            guard let contentKey = received.contentKey else {
                throw .invalidCKC.because("the CKC contains no content key")
            }
            return DeviceKey(
                device: self,
                origin: request.origin,
                contentKey: contentKey,
                iv: received.iv,
                validity: KeyValidity(terms: received.terms, acquired: clock.now),
                hdcp: received.hdcp,
                notes: received.notes
            )
        }
    }

    /// Decrypts a CKC and creates a persistent key, which the app stores and later passes to ``loadPersistentKey(_:)``.
    ///
    /// - Throws: ``FPSError/invalidCKC``, ``FPSError/securityLevelTooLow``; ``FPSError/persistenceNotAllowed`` if the
    ///   CKC does not allow persistence or the device does not support it. The CKC can then still be processed for a
    ///   key that is not persistent.
    public func makePersistentKey(ckc: [UInt8], for request: KeyRequest) throws(FPSError) -> [UInt8] {
        try open(ckc, for: request) { received throws(FPSError) in
            guard profile.supportsPersistentKeys else {
                throw .persistenceNotAllowed.because("this kind of device does not support persistent keys")
            }
            guard received.terms.isPersistable, request.renewing == nil, let contentKey = received.contentKey else {
                throw .persistenceNotAllowed.because("the CKC does not allow a persistent key")
            }
            let now = clock.now
            return try withState { state throws(FPSError) in
                let key = PersistentKey(
                    contentKey: contentKey,
                    iv: received.iv,
                    recordID: state.random.bytes(16),
                    certificateHash: request.origin.certificateHash,
                    validity: KeyValidity(terms: received.terms, acquired: now),
                    hdcp: received.hdcp,
                    assetID: request.assetID
                )
                let sealed = try key.seal(with: persistentKeyEncryptionKey, format: state.persistentKeyFormat)
                try changeVault(&state) { $0.add(key) }
                return sealed
            }
        }
    }

    private func open<Value>(
        _ ckc: [UInt8],
        for request: KeyRequest,
        then body: (ReceivedCKC) throws(FPSError) -> Value
    ) throws(FPSError) -> Value {
        guard request.deviceHU == hu(for: .local) else {
            throw .invalidCKC.because("another device created the request")
        }
        return try request.answer { () throws(FPSError) in
            try body(try request.reader.read(ckc))
        }
    }
}
