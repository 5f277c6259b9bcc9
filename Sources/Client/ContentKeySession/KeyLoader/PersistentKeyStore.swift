/// An app's store of persistent keys: opaque bytes that only the device that created them can open.
public protocol PersistentKeyStore: Sendable {
    /// Returns the stored persistent key for an identifier, or nil.
    func key(for identifier: String) async -> [UInt8]?
    /// Stores a key and replaces an older one.
    func save(_ key: [UInt8], for identifier: String) async
}

/// Use of persistent keys, through a session that requests a persistable key:
///
/// | Condition | Result |
/// |---|---|
/// | the app stores no keys, the request cannot provide a persistable key, or it renews a lease | an online key |
/// | the route does not allow persistence | an online key |
/// | a key is stored | it is the response; nothing is sent |
/// | a key is stored that the device has rejected since this loader started | as if no key were stored |
/// | no key is stored | a key is requested from the server with `persist`, stored, and used as the response |
/// | the device or the CKC does not allow persistence | the CKC is the response: an online key |
extension KeyLoader {
    /// Converts the request to a persistable one; returns true if a stored key was the response.
    func respondWithStoredKey(_ ticket: inout KeyTicket) async -> Bool {
        guard let keys = settings.persistentKeys, ticket.request.canProvidePersistableKey, !ticket.request.isRenewal
        else {
            return false
        }
        do throws(ContentKeyError) {
            try await ticket.request.respondByRequestingPersistableKey()
        } catch {
            return false
        }
        ticket.isPersistable = true
        // A rejected key would be rejected again, as often as the session retries.
        guard !rejectedStoredKeys.contains(ticket.identifier), let key = await keys.key(for: ticket.identifier) else {
            return false
        }
        let response = ContentKeyResponse(fairPlayStreamingKeyResponseData: key)
        rejectedStoredKeys.insert(ticket.identifier)
        if await deliver(response, of: key.count, to: ticket, batchSize: 0) {
            rejectedStoredKeys.remove(ticket.identifier)
        }
        return true
    }

    /// Returns the response to a request: the CKC, or the persistent key that the device creates from it.
    func answer(with ckc: [UInt8], for ticket: KeyTicket) async throws(KeyFailure) -> ContentKeyResponse {
        guard ticket.isPersistable, let keys = settings.persistentKeys else {
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: ckc)
        }
        do throws(ContentKeyError) {
            let key = try await ticket.request.persistableContentKey(fromKeyVendorResponse: ckc)
            await keys.save(key, for: ticket.identifier)
            rejectedStoredKeys.remove(ticket.identifier)
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: key)
        } catch  where error.code == .persistenceNotAllowed {
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: ckc)
        } catch {
            throw KeyFailure(.ckcRejected, code: error.code.rawValue)
        }
    }
}
