import TextCoding

// Keys and tokens of key systems other than FairPlay Streaming.

extension KeyLoader {
    /// Loads a Clear Key from its URI. A `data:` URI contains the key (RFC 2397), so nothing is sent.
    func loadClearKey(_ ticket: inout KeyTicket) async throws(KeyFailure) {
        if DataURI.isDataURI(ticket.identifier) {
            guard let key = DataURI(ticket.identifier)?.bytes, key.count == 16 else { throw KeyFailure(.badKeyURI) }
            let response = ContentKeyResponse(clearKeyData: key)
            if await deliver(response, of: 16, to: ticket, batchSize: 1) { renew([ticket]) }
            return
        }
        var tickets = [ticket]
        if URLOrigin(ticket.identifier) == URLOrigin(service.licenseURL) {
            defer { ticket = tickets[0] }
            try await fetchToken(&tickets)
        }
        let answer = try await send(tickets, .get, ticket.identifier, contentType: nil, [])
        guard answer.status == 200 else { throw failure(answer) }
        guard answer.body.count == 16 else {
            throw KeyFailure(.malformedResponse, status: 200, code: "\(answer.body.count) bytes, a key has 16 bytes")
        }
        if await deliver(ContentKeyResponse(clearKeyData: answer.body), of: 16, to: tickets[0], batchSize: 1) {
            renew(tickets)
        }
    }

    /// Loads a token that authorizes access to the content; the app provides it.
    func loadAuthorizationToken(_ ticket: KeyTicket) async throws(KeyFailure) {
        guard let provider = service.authorizationToken else { throw KeyFailure(.unsupportedKeySystem) }
        let identifier = ticket.identifier
        let token = try await within(settings.retry.timeout(left: left([ticket]))) { () throws(KeyFailure) in
            do { return try await provider(identifier).bytes } catch {
                throw KeyFailure(Task.isCancelled ? .cancelled : .noToken)
            }
        }
        let response = ContentKeyResponse(authorizationTokenData: token)
        if await deliver(response, of: token.count, to: ticket, batchSize: 1) { renew([ticket]) }
    }
}
