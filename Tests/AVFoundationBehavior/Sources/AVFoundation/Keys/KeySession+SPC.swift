import Foundation
import Locking

// SPCs and the persistable road: rules 13 to 16, 26 to 31, 68 to 70.

extension AVContentKeySession {
    func playbackSessionName(_ session: UInt64?) -> String? { session.map { "\($0)" } }

    /// Returns the ID of the playback session, and tells the delegate when there is a new one (rule 10).
    func beginPlaybackSession(on device: any FairPlayDevice) -> UInt64 {
        let new = device.beginSession()
        let (session, isNew) = state.withLock { state in
            if let session = state.playbackSession { return (session, false) }
            state.playbackSession = new
            return (new, true)
        }
        if isNew { tell { $1.contentKeySessionContentProtectionSessionIdentifierDidChange($0) } }
        return session
    }

    /// Creates the SPC of a request for its handler. The status of the request does not change (rule 13).
    func makeSPC(
        _ request: AVContentKeyRequest,
        _ appIdentifier: Data,
        _ contentIdentifier: Data?,
        _ options: [String: Any],
        handler: @escaping @Sendable (Data?, NSError?) -> Void
    ) {
        let result = Result { () throws(NSError) in
            try spc(request, appIdentifier, contentIdentifier, options)
        }
        system.deliver(on: delegateQueue ?? .global()) {
            switch result {
            case .success(let spc): handler(spc, nil)
            case .failure(let error): handler(nil, error)
            }
        }
        // Rule 14: whether the request fails by itself is unknown, a switch.
        if case .failure(let error) = result, system.switches.spcFailure == .failsByItself {
            perform { session in
                if request.isWaiting { session.fail(request, error) }
            }
        }
    }

    private func spc(
        _ request: AVContentKeyRequest,
        _ appIdentifier: Data,
        _ contentIdentifier: Data?,
        _ options: [String: Any]
    ) throws(NSError) -> Data {
        // Rule 89: an SPC for a clear key is unknown; here it fails.
        guard keySystem == .fairPlayStreaming, let device = system.device, isActive else {
            throw KeyError.avFoundation(KeyError.unknown)
        }
        let session = beginPlaybackSession(on: device)
        do throws(NSError) {
            let made: any FairPlayRequest
            let isPersistable = request is AVPersistableContentKeyRequest
            if request.renewsExpiringResponseData, !isPersistable, let key = renewedKey(request) {
                made = try device.makeSPC(renewing: key)
            } else {
                made = try device.makeSPC(
                    SPCParameters(
                        certificate: appIdentifier,
                        contentIdentifier: contentIdentifier,
                        versions: Self.versions(options[AVContentKeyRequestProtocolVersionsKey]),
                        session: session,
                        route: request.cause.slot.route,
                        isPersistable: isPersistable,
                        randomDeviceSeed: try randomSeed(options, for: request)
                    )
                )
            }
            // Rule 68: RequiresValidationDataInSecureToken is accepted; what it changes in the SPC is unknown.
            request.state.withLock { $0.fairPlay = made }
            state.withLock { $0.certificate = appIdentifier }
            return made.spc
        } catch {
            throw KeyError.failure(error)
        }
    }

    /// Returns the versions of an option: version 1 if it is not given (rule 13).
    static func versions(_ option: Any?) -> [Int] {
        switch option {
        case let numbers as [NSNumber]: numbers.map(\.intValue)
        case let numbers as [Int]: numbers
        case let numbers as [UInt32]: numbers.map(Int.init)
        default: [1]
        }
    }

    /// Returns the seed of a random device identifier; nil for the device's own (rule 69).
    private func randomSeed(_ options: [String: Any], for request: AVContentKeyRequest) throws(NSError) -> Data? {
        guard #available(iOS 26, macOS 26, tvOS 26, visionOS 26, *) else { return nil }
        let isRandom = options[AVContentKeyRequestShouldRandomizeDeviceIdentifierKey]
        guard isRandom as? Bool == true || (isRandom as? NSNumber)?.boolValue == true else { return nil }
        guard request.cause.slot.route == .local else {
            throw KeyError.avFoundation(KeyError.cannotRandomizeDeviceIdentifier)
        }
        guard let seed = options[AVContentKeyRequestRandomDeviceIdentifierSeedKey] as? Data else {
            return Data((0..<16).map { _ in UInt8.random(in: 0...255) })
        }
        // A seed of another size is unknown; here the SPC fails.
        guard seed.count == 16 else { throw KeyError.avFoundation(KeyError.unknown) }
        return seed
    }

    /// Requests a persistable request in place of a plain one.
    func requestPersistable(_ request: AVContentKeyRequest) throws(NSError) {
        let switches = system.switches
        // Rule 30: unknown, here it throws. So does an advisory session (rule 70), an expired one, and a clear key.
        guard !(request is AVPersistableContentKeyRequest), keySystem == .fairPlayStreaming, isActive,
            !state.withLock({ $0.supportsAdvisoryKeys }),
            // Rule 53: unknown, a switch.
            !request.renewsExpiringResponseData || switches.renewPersist == .works,
            // Rule 31: unknown, a switch.
            storageURL != nil || !switches.persistNeedsStorage,
            // Rule 29: the plain request stays open for an online key or an error.
            system.device?.canPersist(on: request.cause.slot.route) == true
        else { throw switches.persistRefusal }
        // Rule 28, where an earlier request has shown that the method is missing.
        guard !state.withLock({ $0.missing.contains(.persistable) }) else {
            return system.raise(.internalInconsistency, "the delegate does not implement the persistable didProvide")
        }
        guard request.beginAnswer() else { throw KeyError.avFoundation(KeyError.operationNotAllowed) }
        // Rule 27: the plain request is not answered any more. Its status is unknown; here it does not change.
        state.withLock { $0.close(request) }
        var cause = request.cause
        if request.renewsExpiringResponseData, cause.renewed == nil { cause.renewed = request }
        provide([AVPersistableContentKeyRequest(self, cause)])
    }

    /// Fulfills a request with an advisory key of the system (rule 70): there is nothing to send and to answer.
    func fulfillWithAdvisoryKey(_ request: AVContentKeyRequest) -> Bool {
        let slot = request.cause.slot
        guard
            state.withLock({ $0.supportsAdvisoryKeys && $0.advisoryKeys.contains(slot.identifier) }),
            request.beginAnswer()
        else { return false }
        let contentKey = AVContentKey(self, request.contentKeySpecifier)
        request.state.withLock { state in
            (state.canBeFulfilledWithAdvisoryKey, state.contentKey) = (true, contentKey)
        }
        perform { session in
            // The bytes of an advisory key are not public.
            let key = LoadedKey.clear(Data(count: 16))
            let waiters = session.state.withLock { state in
                state.close(request)
                state.keys[slot] = KeyEntry(key: key, request: request, contentKey: contentKey)
                return state.takeWaiters(slot)
            }
            for waiter in waiters { waiter.completion(.success(key)) }
        }
        return true
    }

    /// Sets the keys for which the system has an advisory key.
    package func setAdvisoryKeys(_ identifiers: Set<String>) { state.withLock { $0.advisoryKeys = identifiers } }
}
