// Operations that requests perform through their session.

extension KeySession {
    func makeRequestData(
        _ request: ContentKeyRequest,
        _ certificate: [UInt8],
        _ contentIdentifier: [UInt8],
        _ protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8] {
        try applyOrThrow(.request(request.id, .makeRequestData))
        let made = try await device.makeKeyRequest(
            DeviceKeyRequestParameters(
                certificate: certificate,
                contentIdentifier: contentIdentifier,
                protocolVersions: protocolVersions,
                isPersistable: machine.isPersistable(request: request.id),
                route: request.route,
                session: contentProtectionSessionIdentifier,
                renewing: request.isRenewal ? keys[KeyName(request.identifier, request.route)]?.key.protectedKey : nil
            )
        )
        // The request may have ended while the device created the SPC.
        try applyOrThrow(.request(request.id, .makeRequestData))
        deviceRequests[request.id] = made
        return made.requestData
    }

    func requestPersistable(_ request: ContentKeyRequest) throws(ContentKeyError) {
        try applyOrThrow(.request(request.id, .requestPersistable))
    }

    func makePersistableKey(
        _ request: ContentKeyRequest,
        _ response: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        try applyOrThrow(.request(request.id, .makePersistableKey))
        guard let deviceRequest = deviceRequests[request.id] else { throw ContentKeyError(.noRequestData, .request) }
        do throws(ContentKeyError) {
            return try await device.makePersistableKey(ckc: response, for: deviceRequest)
        } catch {
            if error.code == .persistenceNotAllowed { apply(.request(request.id, .persistenceRefused)) }
            throw error
        }
    }

    func respond(_ request: ContentKeyRequest, _ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        let isPersistable = machine.isPersistable(request: request.id)
        do throws(ContentKeyError) {
            try applyOrThrow(.request(request.id, .respond))
        } catch {
            return request.status
        }
        do throws(ContentKeyError) {
            let key = try await open(response, for: request, isPersistable: isPersistable)
            let lease = key.leaseRemaining
            // A key that is renewed in place may have been stopped while the device processed the response.
            guard lease.map({ $0 > .zero }) ?? true, key.isUsable || !request.isRenewal else {
                key.stop()
                throw ContentKeyError(.leaseExpired, .device, reason: "the lease had expired when the key arrived")
            }
            receivedKeys[request.id] = key
            request.setLease(lease)
            apply(.request(request.id, .accepted(lease: lease)))
            await storeCrashReport(for: KeyName(request.identifier, request.route))
        } catch {
            apply(.request(request.id, error.retryReason == nil ? .rejected(error) : .rejectedTemporarily(error)))
        }
        return request.status
    }

    func fail(_ request: ContentKeyRequest, _ error: ContentKeyError) { apply(.request(request.id, .fail(error))) }

    /// Passes the response to the device and returns its key.
    private func open(
        _ response: ContentKeyResponse,
        for request: ContentKeyRequest,
        isPersistable: Bool
    ) async throws(ContentKeyError) -> any ProtectedContentKey {
        guard response.keySystem == keySystem else {
            let found = "the response is for \(response.keySystem.rawValue), expected \(keySystem.rawValue)"
            throw ContentKeyError(.wrongResponse, .response, reason: found)
        }
        switch response.content {
        case .clearKey(let key, let initializationVector):
            return try ClearContentKey(key: key, initializationVector: initializationVector)
        case .authorizationToken(let token): return AuthorizationToken(token)
        case .fairPlayStreaming(let data) where isPersistable:
            return try await device.loadPersistableKey(data.bytes, session: contentProtectionSessionIdentifier)
        case .fairPlayStreaming(let data):
            guard let deviceRequest = deviceRequests[request.id] else {
                throw ContentKeyError(.noRequestData, .request)
            }
            return try await device.process(ckc: data.bytes, for: deviceRequest)
        }
    }
}
