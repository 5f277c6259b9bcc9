import TextCoding

extension KeyLoader {
    /// Makes one attempt for requests that share a round trip, and then completes or reschedules each request.
    func load(_ tickets: [KeyTicket]) async {
        var tickets: [KeyTicket] = await stillWanted(tickets)
        guard !tickets.isEmpty else { return }
        for index in tickets.indices {
            tickets[index].history.attempts += 1
            open[tickets[index].request.id]?.pause = nil
        }
        var failed: [(ticket: KeyTicket, failure: KeyFailure)] = []
        do throws(KeyFailure) {
            switch tickets[0].request.keySystem {
            case .clearKey where tickets.count == 1: try await loadClearKey(&tickets[0])
            case .authorizationToken where tickets.count == 1: try await loadAuthorizationToken(tickets[0])
            default: failed = await loadFairPlay(&tickets)
            }
        } catch {
            failed = [(tickets[0], error)]
        }
        await recover(failed)
    }

    /// Removes requests that the session has ended in the meantime: its timeout may be shorter than the loader's.
    private func stillWanted(_ tickets: [KeyTicket]) async -> [KeyTicket] {
        var wanted: [KeyTicket] = []
        for ticket in tickets where open[ticket.request.id] != nil {
            if ticket.request.isOpen {
                wanted.append(ticket)
            } else {
                await fail(ticket, KeyFailure(.cancelled))
                rescheduleRenewals([(ticket, KeyFailure(.cancelled))])
            }
        }
        return wanted
    }

    private func loadFairPlay(_ tickets: inout [KeyTicket]) async -> [(ticket: KeyTicket, failure: KeyFailure)] {
        var failed: [(ticket: KeyTicket, failure: KeyFailure)] = []
        var ready: [KeyTicket] = []
        do throws(KeyFailure) {
            let certificate = try await certificate(left: left(tickets))
            try await fetchToken(&tickets)
            for var ticket in tickets {
                do throws(KeyFailure) {
                    try await makeMessage(&ticket, certificate)
                    ready.append(ticket)
                } catch {
                    failed.append((ticket, error))
                }
            }
        } catch {
            return tickets.map { ($0, error) }
        }
        guard !ready.isEmpty else { return failed }
        let results: [Result<[UInt8], KeyFailure>]
        do throws(KeyFailure) {
            results = try await requestLicenses(ready)
        } catch {
            return failed + ready.map { ($0, error) }
        }
        var granted: [KeyTicket] = []
        for (ticket, result) in zip(ready, results) {
            switch result {
            case .failure(let failure): failed.append((ticket, failure))
            case .success(let ckc):
                do throws(KeyFailure) {
                    let answer = try await answer(with: ckc, for: ticket)
                    if await deliver(answer, of: ckc.count, to: ticket, batchSize: ready.count) {
                        granted.append(ticket)
                    }
                } catch {
                    failed.append((ticket, error))
                }
            }
        }
        renew(granted)
        return failed
    }

    private func makeMessage(_ ticket: inout KeyTicket, _ certificate: [UInt8]) async throws(KeyFailure) {
        guard ticket.message == nil else { return }
        let versions = await protocolVersions(for: ticket.request)
        do throws(ContentKeyError) {
            let spc = try await ticket.request.makeStreamingContentKeyRequestData(
                certificate: certificate,
                contentIdentifier: ticket.identity.contentIdentifier,
                protocolVersions: versions
            )
            ticket.message = .init(spc: spc, certificate: certificate, versions: versions)
        } catch {
            switch error.code {
            // The key is no longer needed; the device did not reject it.
            case .requestAnswered, .sessionExpired, .cancelled: throw KeyFailure(.cancelled, code: error.code.rawValue)
            default: break
            }
            // The certificate may be the cause, and it is cached for a long time.
            certificates.drop(certificate)
            throw KeyFailure(.spcCreationFailed, error)
        }
    }

    /// Requests the token of a round trip from the app.
    func fetchToken(_ tickets: inout [KeyTicket]) async throws(KeyFailure) {
        guard let ticket = tickets.first(where: { $0.token == nil }) else { return }
        let renewal = tickets.first { $0.purpose == .renewal }
        let purpose = ticket.purpose == .license ? renewal?.purpose ?? .license : ticket.purpose
        let provider = service.token
        let token = try await within(settings.retry.timeout(left: left(tickets))) { () throws(KeyFailure) in
            do { return KeyTicket.Token(value: try await provider(purpose)) } catch {
                throw KeyFailure(Task.isCancelled ? .cancelled : .noToken)
            }
        }
        for index in tickets.indices { tickets[index].token = token }
    }

    /// Sends one or several SPCs. Returns a result for each; throws if the whole round trip failed.
    private func requestLicenses(_ tickets: [KeyTicket]) async throws(KeyFailure) -> [Result<[UInt8], KeyFailure>] {
        let requests = tickets.map { ticket in
            LicenseRequestFormat.Contents(
                spc: ticket.message?.spc ?? [],
                assetID: ticket.identity.assetID,
                isPersistable: ticket.isPersistable,
                isPreload: ticket.kind == .preload
            )
        }
        if tickets.count > 1, let batchURL {
            let body = LicenseBatchFormat.encode(requests)
            let answer = try await send(tickets, .post, batchURL, contentType: "application/json", body)
            guard answer.status == 200 else { throw failure(answer, ofBatch: true) }
            guard let items = LicenseBatchFormat.decode(answer.body, count: tickets.count) else {
                throw KeyFailure(.malformedResponse, status: 200)
            }
            return items.map { item in
                switch item {
                case .ckc(let ckc): .success(ckc)
                case .refused(let status, let problem): .failure(.status(status, problem: problem))
                case .unreadable: .failure(KeyFailure(.malformedResponse, status: 200))
                }
            }
        }
        guard tickets.count == 1 else { throw KeyFailure(.noBatchRoute) }
        let encoded = service.requestFormat.encode(requests[0])
        let url = encoded.query.adding(to: service.licenseURL)
        let answer = try await send(tickets, .post, url, contentType: service.requestFormat.contentType, encoded.body)
        guard answer.status == 200 else { throw failure(answer) }
        guard let ckc = service.requestFormat.decode(answer.body) else {
            throw KeyFailure(.malformedResponse, status: 200)
        }
        return [.success(ckc)]
    }

    func failure(_ answer: KeyTransportResponse, ofBatch: Bool = false) -> KeyFailure {
        .status(
            answer.status,
            problem: ServerProblem(answer),
            retryAfter: KeyFailure.retryAfter(answer),
            ofBatch: ofBatch
        )
    }

    /// Passes the response to the device. Returns true if the device accepted it and the key is loaded.
    func deliver(
        _ response: ContentKeyResponse,
        of size: Int,
        to ticket: KeyTicket,
        batchSize: Int
    ) async -> Bool {
        // A response that arrives too late is not an error of the device.
        guard open[ticket.request.id] != nil, ticket.request.isOpen else {
            await fail(ticket, KeyFailure(.cancelled))
            return false
        }
        let status = await ticket.request.processContentKeyResponse(response)
        close(ticket)
        switch status {
        case .receivedResponse, .renewed:
            markLoaded(ticket.identifier)
            accessLog.append(
                KeyAccess(
                    kind: ticket.kind,
                    label: ticket.label,
                    time: clock.now,
                    duration: clock.now - ticket.arrival,
                    attempts: ticket.history.attempts,
                    batchSize: batchSize,
                    bytesSent: ticket.message?.spc.count ?? 0,
                    bytesReceived: size
                )
            )
            return true
        case .retried, .cancelled:
            // Another request follows, or the key is no longer needed.
            return false
        case .failed, .requestingResponse:
            noteFinal(KeyFailure(.ckcRejected, ticket.request.error), of: ticket)
            return false
        }
    }
}
