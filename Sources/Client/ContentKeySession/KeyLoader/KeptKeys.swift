/// Where an app keeps the keys that may be kept: opaque bytes, which open on the device that made them alone.
public protocol KeptKeys: Sendable {
    /// The key that is kept for an identifier.
    func key(for identifier: String) async -> [UInt8]?
    /// Keeps a key in the place of an older one.
    func keep(_ key: [UInt8], for identifier: String) async
}

/// Keys that are kept, by way of a session that was asked for a persistable key:
///
/// | What is so | Done |
/// |---|---|
/// | the app keeps no keys, or the request cannot carry one, or renews a lease | an online key |
/// | the route refuses persistence | an online key |
/// | a key is kept | it is the answer; nothing is sent |
/// | a key is kept that the device has refused since this loader began | as if none was kept |
/// | none is kept | the server is asked for one with `persist`, which is kept and is the answer |
/// | device or CKC do not let it be kept | the CKC is the answer: an online key |
extension KeyLoader {
    /// Asks the session for a persistable request; true when a kept key was its answer.
    func answerWithKeptKey(_ ticket: inout KeyTicket) async -> Bool {
        guard let keys = settings.keptKeys, ticket.request.canProvidePersistableKey, !ticket.request.isRenewal else {
            return false
        }
        do throws(ContentKeyError) {
            try await ticket.request.respondByRequestingPersistableKey()
        } catch {
            return false
        }
        ticket.isPersistable = true
        // Offered again, it would be refused again, for as long as the session wants another try.
        guard !refusedKeptKeys.contains(ticket.identifier), let key = await keys.key(for: ticket.identifier) else {
            return false
        }
        let response = ContentKeyResponse(fairPlayStreamingKeyResponseData: key)
        refusedKeptKeys.insert(ticket.identifier)
        if await hand(response, of: key.count, to: ticket, batchSize: 0) {
            refusedKeptKeys.remove(ticket.identifier)
        }
        return true
    }

    /// What answers a request: the CKC, or the key to keep that the device makes of it.
    func answer(with ckc: [UInt8], for ticket: KeyTicket) async throws(KeyFailure) -> ContentKeyResponse {
        guard ticket.isPersistable, let keys = settings.keptKeys else {
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: ckc)
        }
        do throws(ContentKeyError) {
            let key = try await ticket.request.persistableContentKey(fromKeyVendorResponse: ckc)
            await keys.keep(key, for: ticket.identifier)
            refusedKeptKeys.remove(ticket.identifier)
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: key)
        } catch  where error.code == .persistenceNotAllowed {
            return ContentKeyResponse(fairPlayStreamingKeyResponseData: ckc)
        } catch {
            throw KeyFailure(.deviceRefusesAnswer, code: error.code.rawValue)
        }
    }
}
