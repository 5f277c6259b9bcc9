internal import FPSCrypto

extension FPSDevice {
    /// Opens a CKC. The answer to a renewal gives back the renewed key, any other a new one.
    ///
    /// The key of a CKC that allows persistence is an ordinary key here, which goes when playback stops; its terms count
    /// from now. A CKC that fails leaves the request open for another.
    ///
    /// - Throws: ``FPSError/invalidCKC``, ``FPSError/securityLevelTooLow``; for a renewal that comes too late,
    ///   ``FPSError/leaseExpired`` or ``FPSError/keyDiscarded``.
    public func process(ckc: [UInt8], for request: KeyRequest) throws(FPSError) -> DeviceKey {
        try open(ckc, for: request) { received throws(FPSError) in
            if let key = request.renewing {
                // An answer to state 2 need not hold a valid key, so the one in use stays.
                try key.renew(with: received, keepingKey: request.reader.playbackState == .playing)
                return key
            }
            // The reader lets a key be absent in answers to state 2 only; with nothing to renew, it is needed.
            guard let contentKey = received.contentKey else { throw .invalidCKC.because("there is no content key") }
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

    /// Opens a CKC and makes a persistent key, which the app keeps and later gives to ``loadPersistentKey(_:)``.
    ///
    /// - Throws: ``FPSError/invalidCKC``, ``FPSError/securityLevelTooLow``; ``FPSError/persistenceNotAllowed`` if the
    ///   CKC's key may not be kept or the device keeps none: the CKC may then still be processed for an ordinary key.
    public func makePersistentKey(ckc: [UInt8], for request: KeyRequest) throws(FPSError) -> [UInt8] {
        try open(ckc, for: request) { received throws(FPSError) in
            guard profile.keepsPersistentKeys else {
                throw .persistenceNotAllowed.because("this kind of device keeps no persistent keys")
            }
            guard received.terms.isPersistable, request.renewing == nil, let contentKey = received.contentKey else {
                throw .persistenceNotAllowed.because("the CKC does not allow it")
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
                let sealed = try key.seal(with: sealingKey, format: state.persistentKeyFormat)
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
        guard request.maker == hu(for: .local) else {
            throw .invalidCKC.because("another device made the request")
        }
        return try request.answer { () throws(FPSError) in
            let received = try request.reader.read(ckc)
            try received.check(for: profile)
            return try body(received)
        }
    }
}
