extension FPSDevice {
    /// The keys that a secure invalidation removes.
    public enum Invalidation: Sendable {
        /// The key with the stream ID (content ID in version 1) of this persistent key.
        case stream([UInt8])
        /// Every key of the title of this persistent key. A key of version 1 has no title; only this key is removed.
        case title([UInt8])
        /// Every key of the app. The asset ID is used only for the SPC.
        case all(assetID: [UInt8])
    }

    /// Creates a Sync SPC, which reports to the server how long an offline key is still valid. The version is 1 for
    /// keys whose Offline Key TLLV had version 1; otherwise it is 2, with the flag REPORT.
    ///
    /// - Parameters:
    ///   - persistentKey: a key from a CKC with an Offline Key TLLV. A key that was invalidated or replaced is reported
    ///     with OBJ_NOT_FOUND; version 1 has no flag for this.
    ///   - challenge: the challenge of the server, for version 2.
    /// - Throws: the errors of `makeSPC(certificate:assetID:versions:options:)`; ``FPSError/invalidPersistentKey`` if
    ///   the key cannot be decrypted, its CKC had no Offline Key TLLV, or a key of version 1 was invalidated or
    ///   replaced; ``FPSError/persistentKeyOutdated``.
    public func makeSyncSPC(
        for persistentKey: [UInt8],
        certificate: [UInt8]?,
        challenge: UInt64 = 0,
        versions: [UInt32]? = [1],
        mutations: [SPCMutation] = []
    ) throws(FPSError) -> [UInt8] {
        let (key, offlineKey) = try openOfflineKey(persistentKey)
        let isCurrent = withState { $0.vault.isCurrent(key) }
        let remaining = key.validity.remaining(at: clock.now)
        let sync: DeviceSyncReport
        if let titleID = offlineKey.titleID {
            var report = DeviceSyncReport.Version2(challenge: challenge, flags: .report)
            report.titleID = titleID
            if isCurrent {
                report.flags.formUnion(remaining == 0 ? [.success, .objectExpired] : .success)
                report.remaining = remaining
            } else {
                report.flags.insert(.objectNotFound)
            }
            sync = .version2(report)
        } else {
            guard isCurrent else { throw .invalidPersistentKey.because("the key was invalidated or replaced") }
            sync = .version1(contentID: offlineKey.streamID, remaining: remaining)
        }
        return try makeSPC(try origin(certificate, key.assetID, versions), sync: sync, mutations: mutations)
    }

    /// Removes persistent keys and creates the Sync SPC (always version 2) that proves the removal to the server.
    ///
    /// The flags are SECURE_INVALIDATION or SECURE_INVALIDATION_ALL, and SUCCESS, together with OBJ_EXPIRED if the
    /// given key had expired. If the given key had been invalidated or replaced before, the flag is OBJ_NOT_FOUND
    /// instead.
    ///
    /// - Parameter challenge: the challenge of the server. - Throws: the errors of
    ///   `makeSPC(certificate:assetID:versions:options:)`; no key is removed then, except for
    ///   ``FPSError/spcCreationFailed``. Also ``FPSError/memoryFailed``; ``FPSError/invalidationNotSupported``;
    ///   ``FPSError/invalidPersistentKey`` if the given key cannot be decrypted, belongs to another app, or its CKC had
    ///   no Offline Key TLLV; ``FPSError/persistentKeyOutdated``.
    public func invalidate(
        _ target: Invalidation,
        certificate: [UInt8]?,
        challenge: UInt64,
        versions: [UInt32]? = [1],
        mutations: [SPCMutation] = []
    ) throws(FPSError) -> [UInt8] {
        guard profile.has(.secureInvalidation) else { throw .invalidationNotSupported }
        var report = DeviceSyncReport.Version2(challenge: challenge, flags: .secureInvalidation)
        let origin: KeyOrigin
        switch target {
        case .all(let assetID):
            origin = try self.origin(certificate, assetID, versions)
            report.flags = [.secureInvalidationAll, .success]
            report.invalidatedStreamIDs = try removingKeys { vault in
                vault.invalidateAll(certificateHash: origin.certificateHash)
            }
        case .stream(let sealed), .title(let sealed):
            let (key, offlineKey) = try openOfflineKey(sealed)
            origin = try self.origin(certificate, key.assetID, versions)
            guard key.certificateHash == origin.certificateHash else {
                throw .invalidPersistentKey.because("the key belongs to another app")
            }
            if let titleID = offlineKey.titleID { report.titleID = titleID }
            let byTitle = if case .title = target { offlineKey.titleID != nil } else { false }
            let removed: [[UInt8]]? = try removingKeys { vault in
                guard vault.isCurrent(key) else { return nil }
                return vault.invalidate(certificateHash: key.certificateHash) { other in
                    byTitle ? other.titleID == offlineKey.titleID : other.streamID == offlineKey.streamID
                }
            }
            if let removed {
                report.invalidatedStreamIDs = removed
                report.flags.insert(.success)
                if key.validity.remaining(at: clock.now) == 0 { report.flags.insert(.objectExpired) }
            } else {
                report.flags.insert(.objectNotFound)
            }
        }
        return try makeSPC(origin, sync: .version2(report), mutations: mutations)
    }

    /// Removes keys permanently before the device reports the removal. If the change cannot be saved, no key is
    /// removed.
    private func removingKeys<Value: Sendable>(_ remove: (inout KeyVault) -> Value) throws(FPSError) -> Value {
        try withState { state throws(FPSError) in
            try changeVault(&state) { vault throws(FPSError) in remove(&vault) }
        }
    }

    private func openOfflineKey(_ sealed: [UInt8]) throws(FPSError) -> (PersistentKey, ReceivedOfflineKey) {
        let key = try openPersistentKey(sealed)
        guard let offlineKey = key.validity.terms.offlineKey else {
            throw .invalidPersistentKey.because("the CKC of the key had no Offline Key TLLV")
        }
        return (key, offlineKey)
    }

    private func origin(
        _ certificate: [UInt8]?,
        _ assetID: [UInt8],
        _ versions: [UInt32]?
    ) throws(FPSError) -> KeyOrigin {
        let application = try checkedCertificate(certificate, assetID, versions)
        return KeyOrigin(
            certificate: certificate ?? [],
            certificateHash: application.hash,
            assetID: assetID,
            versions: versions ?? [],
            output: profile.output,
            session: beginSession()
        )
    }
}
