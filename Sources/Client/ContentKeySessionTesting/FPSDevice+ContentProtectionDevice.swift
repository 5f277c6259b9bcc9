public import ContentKeySession
public import VirtualDevice

/// A virtual FairPlay device as the device of a ``KeySession``, so that an app's key handling can be unit-tested.
extension FPSDevice: ContentProtectionDevice {
    /// True if the device supports persistent keys on its current output.
    public var supportsPersistableKeys: Bool { profile.supportsPersistentKeys && profile.output == .local }

    /// Starts a playback session and returns the 8 bytes of its session ID.
    public func makeSessionIdentifier() -> ContentProtectionSessionIdentifier {
        let session = beginSession()
        return ContentProtectionSessionIdentifier(withUnsafeBytes(of: session.id.bigEndian) { Array($0) })
    }

    /// Creates an SPC. If a key to renew is not playing, the SPC requests a new key instead.
    public func makeKeyRequest(
        _ parameters: DeviceKeyRequestParameters
    ) throws(ContentKeyError) -> any DeviceKeyRequest {
        try translating { () throws(FPSError) in
            if let key = parameters.renewing as? DeviceKey {
                do throws(FPSError) {
                    return try makeSPC(renewing: key)
                } catch  where error == .notPlaying {
                    // A lease may almost expire before playback starts.
                }
            }
            return try makeSPC(
                certificate: parameters.certificate,
                assetID: parameters.contentIdentifier,
                versions: parameters.protocolVersions,
                options: SPCOptions(
                    session: PlaybackSession(parameters.session),
                    output: DeviceProfile.Output(parameters.route)
                )
            )
        }
    }

    /// Opens a CKC.
    public func process(
        ckc: [UInt8],
        for request: any DeviceKeyRequest
    ) throws(ContentKeyError) -> any ProtectedContentKey {
        try translating { () throws(FPSError) in try process(ckc: ckc, for: try keyRequest(request)) as DeviceKey }
    }

    /// Opens a CKC and creates a persistent key.
    public func makePersistableKey(ckc: [UInt8], for request: any DeviceKeyRequest) throws(ContentKeyError) -> [UInt8] {
        try translating { () throws(FPSError) in try makePersistentKey(ckc: ckc, for: try keyRequest(request)) }
    }

    /// Loads a persistent key for playback.
    public func loadPersistableKey(
        _ stored: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) throws(ContentKeyError) -> any ProtectedContentKey {
        try translating { () throws(FPSError) in
            try loadPersistentKey(stored, session: PlaybackSession(session))
        }
    }

    /// Creates a Sync SPC that reports the remaining validity of a persistent key.
    public func makeSecureToken(
        forExpirationDateOf stored: [UInt8],
        _ context: ServerPlaybackContext
    ) throws(ContentKeyError) -> [UInt8] {
        try translating { () throws(FPSError) in
            try makeSyncSPC(
                for: stored,
                certificate: context.certificate,
                challenge: context.serverChallenge,
                versions: context.protocolVersions
            )
        }
    }

    /// Invalidates a persistent key, or all persistent keys of the app, and creates the Sync SPC that proves it.
    /// Without a key that provides an asset ID, the asset ID of the SPC is "all".
    public func invalidate(_ stored: [UInt8]?, _ context: ServerPlaybackContext) throws(ContentKeyError) -> [UInt8] {
        try translating { () throws(FPSError) in
            try invalidate(
                stored.map { .stream($0) } ?? .all(assetID: Array("all".utf8)),
                certificate: context.certificate,
                challenge: context.serverChallenge,
                versions: context.protocolVersions
            )
        }
    }

    /// Creates an SPC that reports that playback has stopped; nil for persistent keys, whose playback a server does not
    /// track.
    public func makeExpiredSessionReport(
        for key: any ProtectedContentKey
    ) throws(ContentKeyError) -> ExpiredSessionReport? {
        guard let key = key as? DeviceKey, !key.isPersistent else { return nil }
        return try translating { () throws(FPSError) in
            let request = try makeSPC(renewing: key, state: .halted)
            return ExpiredSessionReport(appIdentifier: key.applicationCertificate, data: request.spc)
        }
    }

    private func keyRequest(_ request: any DeviceKeyRequest) throws(FPSError) -> KeyRequest {
        guard let request = request as? KeyRequest else {
            throw .invalidCKC.because("the request was made by another type of device")
        }
        return request
    }
}

extension KeyRequest: DeviceKeyRequest {
    /// The SPC.
    public var requestData: [UInt8] { spc }
}

extension FPSDevice.PlaybackSession {
    /// Creates a session from the 8 bytes of its ID; nil for another number of bytes.
    init?(_ identifier: ContentProtectionSessionIdentifier) {
        guard identifier.bytes.count == 8 else { return nil }
        self.init(id: identifier.bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension DeviceProfile.Output {
    /// Creates the output for a route; nil for the local route, which the profile determines.
    init?(_ route: ContentKeyRoute) {
        switch route {
        case .local: return nil
        case .airPlay: self = .airPlay
        case .digitalAVAdapter: self = .digitalAVAdapter
        }
    }
}

/// Runs a function and converts the device's error into the session's.
func translating<Value>(_ body: () throws(FPSError) -> Value) throws(ContentKeyError) -> Value {
    do throws(FPSError) {
        return try body()
    } catch {
        throw ContentKeyError(.init(rawValue: error.name), .device, reason: error.reason, number: error.code)
    }
}
