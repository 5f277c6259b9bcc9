extension KeyLoader {
    /// The maximum size of a response in bytes, larger than any CKC, batch of CKCs or certificate.
    private static let maximumResponseSize = 1 << 20

    /// Returns the certificate, and fetches it if it is not cached.
    func certificate(left: Duration) async throws(KeyFailure) -> [UInt8] {
        switch certificates.step(now: clock.now) {
        case .use(let bytes): return bytes
        case .wait: return try await withCheckedContinuation { certificateWaiters.append($0) }.get()
        case .fetch: break
        }
        let start = clock.now
        let result: Result<[UInt8], KeyFailure>
        do throws(KeyFailure) {
            result = .success(try await fetchCertificate(left: left))
        } catch {
            result = .failure(error)
        }
        let label = KeyLabel(service.certificateURL)
        let bytes = try? result.get()
        certificates.fetched(bytes, now: clock.now)
        let waiters = certificateWaiters
        certificateWaiters = []
        for waiter in waiters { waiter.resume(returning: result) }
        if let bytes {
            accessLog.append(
                KeyAccess(
                    kind: .certificate,
                    label: label,
                    time: clock.now,
                    duration: clock.now - start,
                    attempts: 1,
                    batchSize: 0,
                    bytesSent: 0,
                    bytesReceived: bytes.count
                )
            )
        }
        return try result.get()
    }

    private func fetchCertificate(left: Duration) async throws(KeyFailure) -> [UInt8] {
        let answer = try await send(
            .get,
            service.certificateURL,
            [],
            purpose: .certificate,
            token: nil,
            contentType: nil,
            left: left
        )
        guard answer.status == 200 else { throw failure(answer) }
        guard CertificateCache.isPlausible(answer.body) else { throw KeyFailure(.malformedResponse, status: 200) }
        return answer.body
    }

    /// Sends an HTTP request for these key requests.
    func send(
        _ tickets: [KeyTicket],
        _ method: KeyTransportRequest.Method,
        _ url: String,
        contentType: String?,
        _ body: [UInt8]
    ) async throws(KeyFailure) -> KeyTransportResponse {
        try await send(
            method,
            url,
            body,
            purpose: tickets.contains { $0.kind == .renewal } ? .renewal : .license,
            token: tickets.first?.token?.value,
            contentType: contentType,
            left: left(tickets)
        )
    }

    private func send(
        _ method: KeyTransportRequest.Method,
        _ url: String,
        _ body: [UInt8],
        purpose: KeyService.Purpose,
        token: PlaybackToken?,
        contentType: String?,
        left: Duration
    ) async throws(KeyFailure) -> KeyTransportResponse {
        let timeout = settings.retry.timeout(left: left)
        let headers = service.headers
        let transport = transport
        return try await within(timeout) { () throws(KeyFailure) in
            var fields: [KeyTransportHeader]
            do { fields = try await headers(purpose) } catch {
                throw KeyFailure(Task.isCancelled ? .cancelled : .noToken)
            }
            if let contentType { fields.append(.init("Content-Type", contentType)) }
            if let token { fields.append(.init("Authorization", "Bearer " + token.value)) }
            let request = KeyTransportRequest(
                method,
                url,
                headers: fields,
                body: body,
                timeout: timeout,
                maximumResponseSize: Self.maximumResponseSize
            )
            do throws(KeyTransportError) {
                return try await transport.send(request)
            } catch {
                throw KeyFailure(transport: error)
            }
        }
    }

    /// Runs an operation with a timeout, measured with the loader's clock.
    func within<Value: Sendable>(
        _ timeout: Duration,
        _ body: @escaping @Sendable () async throws(KeyFailure) -> Value
    ) async throws(KeyFailure) -> Value {
        let clock = clock
        let end = clock.now + timeout
        return try await withTaskGroup(of: Result<Value, KeyFailure>?.self) { group in
            group.addTask {
                do throws(KeyFailure) { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                // Nil if the task was cancelled, because the value arrived first or the caller was cancelled.
                (try? await clock.sleep(until: end)).map { .failure(KeyFailure(.timeout)) }
            }
            defer { group.cancelAll() }
            for await result in group {
                if let result { return result }
            }
            return .failure(KeyFailure(.cancelled))
        }.get()
    }
}
