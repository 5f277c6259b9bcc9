public import ContentKeySession
import Locking

/// A device without cryptography, for UI tests, previews and tests of a key session itself.
///
/// With a ``TestKeyServer`` it behaves like a device: it requests keys, loads them, stores persistent keys, and obeys
/// leases and expiry by its clock. Its messages are JSON instead of SPCs and CKCs. A test can also script any result:
///
///     let device = server.makeScriptedDevice()
///     device.rejectNextResponse(with: ContentKeyError(.invalidCKC, .device, number: -42668))
///     device.hasProtectedDisplay = false
///     device.accept(ckcOfMyServer, as: ScriptedKey())
public final class ScriptedDevice: PersistentKeyDevice {
    private struct State: Sendable {
        var scripts: [[UInt8]: Result<ScriptedKey, ContentKeyError>] = [:]
        var responseErrors: [ContentKeyError] = []
        var requestErrors: [ContentKeyError] = []
        var parameters: [DeviceKeyRequestParameters] = []
        var hasProtectedDisplay = true
        var responseTime = Duration.zero
        var lastNumber = 0
        /// The current generation of each persistent key whose replacement or deletion this device knows.
        var generations: [String: Int] = [:]
    }

    private final class Request: DeviceKeyRequest {
        let number: Int
        let requestData: [UInt8]
        init(_ spc: ScriptedSPC) { (number, requestData) = (spc.number, spc.bytes) }
    }

    /// The clock of leases and expiry.
    public let clock: TestClock
    /// True if the device supports persistent keys.
    public let supportsPersistableKeys: Bool
    private let state = Lock(State())

    /// Creates a device.
    public init(clock: TestClock = TestClock(), supportsPersistableKeys: Bool = true) {
        (self.clock, self.supportsPersistableKeys) = (clock, supportsPersistableKeys)
    }

    // MARK: Scripts

    /// Loads a key for a response with these bytes: a CKC, or a persistent key.
    public func accept(_ response: [UInt8], as key: ScriptedKey) {
        state.withLock { $0.scripts[response] = .success(key) }
    }

    /// Rejects a response with these bytes: a CKC, or a persistent key.
    public func reject(_ response: [UInt8], with error: ContentKeyError) {
        state.withLock { $0.scripts[response] = .failure(error) }
    }

    /// Rejects the next response, whatever it contains.
    public func rejectNextResponse(with error: ContentKeyError) { state.withLock { $0.responseErrors.append(error) } }

    /// Fails to create the next SPC.
    public func failNextRequest(with error: ContentKeyError) { state.withLock { $0.requestErrors.append(error) } }

    /// Whether the attached display supports HDCP. Call `checkExternalProtection()` of the session after a change.
    public var hasProtectedDisplay: Bool {
        get { state.withLock { $0.hasProtectedDisplay } }
        set { state.withLock { $0.hasProtectedDisplay = newValue } }
    }

    /// The time, by ``clock``, until the device has loaded the key of a CKC; zero by default.
    public var responseTime: Duration {
        get { state.withLock { $0.responseTime } }
        set { state.withLock { $0.responseTime = newValue } }
    }

    /// The parameters of the key requests so far.
    public var keyRequests: [DeviceKeyRequestParameters] { state.withLock { $0.parameters } }

    // MARK: ContentProtectionDevice

    /// Returns 8 bytes that are the same for each session.
    public func makeSessionIdentifier() -> ContentProtectionSessionIdentifier { .init([1, 2, 3, 4, 5, 6, 7, 8]) }

    /// Creates a message in place of an SPC.
    public func makeKeyRequest(
        _ parameters: DeviceKeyRequestParameters
    ) async throws(ContentKeyError) -> any DeviceKeyRequest {
        let (number, error) = state.withLock { state -> (Int, ContentKeyError?) in
            state.parameters.append(parameters)
            state.lastNumber += 1
            return (state.lastNumber, state.requestErrors.isEmpty ? nil : state.requestErrors.removeFirst())
        }
        if let error { throw error }
        return Request(
            ScriptedSPC(
                number: number,
                assetID: String(decoding: parameters.contentIdentifier, as: UTF8.self),
                isRenewal: parameters.renewing != nil,
                route: parameters.route,
                version: parameters.protocolVersions.max() ?? 1
            )
        )
    }

    /// Loads the key of a CKC.
    ///
    /// - Throws: `invalid-ckc` (-42668) for a CKC that is not from a ``TestKeyServer``, is for another request, or was
    ///   not scripted.
    public func process(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) async throws(ContentKeyError) -> any ProtectedContentKey {
        let time = responseTime
        // A task that was cancelled gets its key at once.
        if time > .zero { try? await clock.sleep(until: clock.now.advanced(by: time), tolerance: nil) }
        if let key = try scripted(ckc) { return key }
        return ScriptedKey(try read(ckc, request), on: self)
    }

    /// Creates a persistent key from a CKC. For a CKC that is not from a ``TestKeyServer``, the persistent key has the
    /// bytes of the CKC, so that ``accept(_:as:)`` determines what it does.
    public func makePersistableKey(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) async throws(ContentKeyError) -> [UInt8] {
        if try scripted(ckc) != nil { return ckc }
        let ckc = try read(ckc, request)
        guard let persistence = ckc.persistence else {
            throw ContentKeyError(.persistenceNotAllowed, .device, reason: "the CKC does not allow a persistent key")
        }
        var random = SystemRandomNumberGenerator()
        let id = String(random.next(), radix: 16)
        return ScriptedPersistentKey(id: id, ckc, persistence, acquired: now).bytes
    }

    /// Loads a persistent key.
    ///
    /// - Throws: `persistent-key-expired` (-42800) or `invalid-persistent-key` (-42803).
    public func loadPersistableKey(
        _ stored: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) async throws(ContentKeyError) -> any ProtectedContentKey {
        if let key = try scripted(stored) { return key }
        let key = try current(stored)
        try requireUnexpired(key)
        return ScriptedKey(key, on: self)
    }

    /// Creates a report about a persistent key, which a ``TestKeyServer`` accepts.
    public func makeSecureToken(
        forExpirationDateOf stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        let key = try current(stored)
        return ScriptedReport(
            assetID: key.assetID,
            challenge: context.serverChallenge,
            remaining: key.end.map { max(0, $0 - now) },
            isDeletion: false
        ).bytes
    }

    /// Deletes a persistent key, or all of the app if it is nil, and creates the proof, which a ``TestKeyServer``
    /// accepts. Scripted keys stop.
    public func invalidate(
        _ stored: [UInt8]?,
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        let key = stored.flatMap(ScriptedPersistentKey.init)
        let stopped = state.withLock { state in
            if let key { state.generations[key.id] = .max }
            return state.scripts.compactMap { stored == nil || stored == $0.key ? try? $0.value.get() : nil }
        }
        for key in stopped { key.stop() }
        return ScriptedReport(
            assetID: key?.assetID ?? "all",
            challenge: context.serverChallenge,
            remaining: 0,
            isDeletion: true
        ).bytes
    }

    /// Creates a report without content.
    public func makeExpiredSessionReport(
        for key: any ProtectedContentKey
    ) async throws(ContentKeyError) -> ExpiredSessionReport? {
        ExpiredSessionReport(appIdentifier: [], data: key.isUsable ? [1] : [0])
    }

    // MARK: PersistentKeyDevice

    /// Returns the durations and dates of a persistent key.
    public func facts(ofPersistableKey stored: [UInt8]) async throws(ContentKeyError) -> PersistentKeyInformation {
        guard let key = ScriptedPersistentKey(stored) else { throw Self.invalidPersistentKey }
        return PersistentKeyInformation(
            acquired: Int64(key.acquired),
            firstPlayed: key.firstPlayed.map { Int64($0) },
            storage: key.persistence.storage.map { Int64($0) },
            playback: key.persistence.playback.map { Int64($0) },
            hasDualExpiry: key.persistence.hasDualExpiry,
            isCurrent: isCurrent(key)
        )
    }

    /// Deletes a persistent key; a scripted device does not know which keys belong to a title.
    public func invalidateTitle(
        ofPersistableKey stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] {
        try await invalidate(stored, context)
    }

    /// Starts playback with a persistent key; at first playback with two expiry periods, returns its replacement.
    func beginPlayback(_ key: ScriptedPersistentKey) throws(ContentKeyError) -> [UInt8]? {
        guard isCurrent(key) else { throw Self.invalidPersistentKey }
        try requireUnexpired(key)
        guard key.persistence.hasDualExpiry, key.firstPlayed == nil else { return nil }
        var next = key
        next.firstPlayed = now
        next.generation += 1
        state.withLock { $0.generations[key.id] = next.generation }
        return next.bytes
    }

    // MARK: Helpers

    private var now: Int { Int(clock.secondsSince1970) }

    private static let invalidPersistentKey = ContentKeyError(.invalidPersistentKey, .device, number: -42803)

    /// Returns the result that a test has scripted, if any.
    private func scripted(_ response: [UInt8]) throws(ContentKeyError) -> ScriptedKey? {
        let script = state.withLock { state -> Result<ScriptedKey, ContentKeyError>? in
            state.responseErrors.isEmpty ? state.scripts[response] : .failure(state.responseErrors.removeFirst())
        }
        return try script?.get()
    }

    private func read(_ ckc: [UInt8], _ request: any DeviceKeyRequest) throws(ContentKeyError) -> ScriptedCKC {
        guard let license = ScriptedCKC(ckc), let request = request as? Request, license.number == request.number else {
            throw ContentKeyError(
                .invalidCKC,
                .device,
                reason: "the CKC is not from a TestKeyServer, or is for another request; see ScriptedDevice.accept",
                number: -42668
            )
        }
        return license
    }

    private func current(_ stored: [UInt8]) throws(ContentKeyError) -> ScriptedPersistentKey {
        guard let key = ScriptedPersistentKey(stored), isCurrent(key) else { throw Self.invalidPersistentKey }
        return key
    }

    private func isCurrent(_ key: ScriptedPersistentKey) -> Bool {
        state.withLock { $0.generations[key.id] ?? key.generation } == key.generation
    }

    private func requireUnexpired(_ key: ScriptedPersistentKey) throws(ContentKeyError) {
        guard let end = key.end, now >= end else { return }
        throw ContentKeyError(.persistentKeyExpired, .device, number: -42800)
    }
}
