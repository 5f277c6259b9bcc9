/// An app's store of persistent keys: opaque bytes that only the device that created them can open. `docs/key-loader.md`
/// describes its use with AVFoundation, and `docs/testing.md` contains a store and its tests.
public protocol PersistentKeyStore: Sendable {
    /// Returns the stored persistent key for an identifier, or nil.
    func key(for identifier: String) async -> [UInt8]?
    /// Stores a key and replaces an older one.
    ///
    /// - Throws: An error of the storage; the stored keys are then unchanged.
    func save(_ key: [UInt8], for identifier: String) async throws
}

/// A store that also stores the protocol versions of keys. Without it, a stored key is requested again with version 1,
/// unless the app has its playlist.
///
/// ``PersistentKeyStore/save(_:for:)`` of such a store keeps the protocol versions of the key that it replaces: the device
/// replaces keys too.
public protocol VersionedPersistentKeyStore: PersistentKeyStore {
    /// Returns the protocol versions that the stored key was requested with; nil if they are not known.
    func protocolVersions(for identifier: String) async -> [UInt32]?
    /// Stores a key with the protocol versions that it was requested with, and replaces an older key.
    ///
    /// - Throws: An error of the storage; the stored keys are then unchanged.
    func save(_ key: [UInt8], protocolVersions: [UInt32], for identifier: String) async throws
}

/// Use of persistent keys, through a session that requests a persistable key:
///
/// | Condition | Result |
/// |---|---|
/// | the app stores no keys, the request cannot provide a persistable key, or it renews a lease | an online key |
/// | the route does not allow persistence | an online key; an error if `requiresPersistence` is set |
/// | a key is stored | it is the response; nothing is sent |
/// | a key is stored that the device has rejected since this loader started | as if no key were stored |
/// | no key is stored | a key is requested from the server with `persist`, stored, and used as the response |
/// | the device or the CKC does not allow persistence | the CKC: an online key; an error if `requiresPersistence` is set |
/// | the store reports an error | the persistent key, until the session ends; an error if `requiresPersistence` is set |
extension KeyLoader {
    /// Converts the request to a persistable one; returns true if a stored key was the response, or
    /// if the request failed because the key must be persistent.
    func respondWithStoredKey(_ ticket: inout KeyTicket) async -> Bool {
        guard let keys = settings.persistentKeys, ticket.request.requestsPersistableKey, !ticket.request.isRenewal
        else {
            return false
        }
        do throws(ContentKeyError) {
            try await ticket.request.respondByRequestingPersistableKey()
        } catch {
            guard settings.requiresPersistence else { return false }
            await fail(ticket, KeyFailure(.persistenceRefused, error))
            return true
        }
        ticket.isPersistable = true
        // A rejected key would be rejected again, as often as the session retries.
        guard rejectedStoredKeys[ticket.identifier] == nil, let key = await keys.key(for: ticket.identifier) else {
            return false
        }
        let response = ContentKeyResponse(fairPlayStreamingKeyResponseData: key)
        rejectedStoredKeys[ticket.identifier] = .some(nil)
        if await deliver(response, of: key.count, to: ticket, batchSize: 0) {
            rejectedStoredKeys[ticket.identifier] = nil
        } else {
            rejectedStoredKeys[ticket.identifier] = .some(ticket.request.error)
        }
        return true
    }

    /// Returns the failure with the device's error about the stored key, if the server did not respond to the request for
    /// a new one.
    func withStoredKeyError(_ failure: KeyFailure, _ ticket: KeyTicket) -> KeyFailure {
        guard [.noConnection, .timeout, .deadlineExceeded].contains(failure.kind), failure.status == nil,
            let error = rejectedStoredKeys[ticket.identifier] ?? nil
        else { return failure }
        var failure = failure
        (failure.code, failure.platformCode) = (error.code.rawValue, error.platformCode)
        return failure
    }

    /// Returns the response to a request: the CKC, or the persistent key that the device creates from it.
    func answer(with ckc: [UInt8], for ticket: KeyTicket) async throws(KeyFailure) -> ContentKeyResponse {
        guard ticket.isPersistable, let keys = settings.persistentKeys else {
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: ckc)
        }
        let key: [UInt8]
        do throws(ContentKeyError) {
            key = try await ticket.request.persistableContentKey(fromKeyVendorResponse: ckc)
        } catch  where error.code == .persistenceNotAllowed {
            guard !settings.requiresPersistence else { throw KeyFailure(.persistenceNotLicensed, error) }
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: ckc)
        } catch {
            throw KeyFailure(.ckcRejected, error)
        }
        do {
            try await save(key, in: keys, for: ticket)
        } catch {
            let failure = KeyFailure(.keyNotStored)
            guard !settings.requiresPersistence else { throw failure }
            // The key can still be played until the session ends.
            logFailure(failure, ticket.label, retryAfter: nil)
        }
        rejectedStoredKeys[ticket.identifier] = nil
        return ContentKeyResponse(fairPlayStreamingKeyResponseData: key)
    }

    private func save(_ key: [UInt8], in keys: any PersistentKeyStore, for ticket: KeyTicket) async throws {
        if let keys = keys as? any VersionedPersistentKeyStore, let versions = ticket.message?.versions {
            try await keys.save(key, protocolVersions: versions, for: ticket.identifier)
        } else {
            try await keys.save(key, for: ticket.identifier)
        }
    }
}
