public import ContentKeySession
public import VirtualDevice

/// A virtual FairPlay device as the device of a ``KeySession``: an app's key handling runs in unit tests as on a device.
extension FPSDevice: ContentProtectionDevice {
    /// Whether apps can keep keys on it.
    public var keepsPersistableKeys: Bool { profile.keepsPersistentKeys && profile.output == .local }

    /// Begins the playback of a title: the 8 bytes of its session ID.
    public func makeSessionIdentifier() -> ContentProtectionSessionIdentifier {
        let session = beginSession()
        return ContentProtectionSessionIdentifier(withUnsafeBytes(of: session.id.bigEndian) { Array($0) })
    }

    /// Makes an SPC. To renew a key that does not play it makes one for another key in its place.
    public func makeKeyRequest(
        _ parameters: DeviceKeyRequestParameters
    ) throws(ContentKeyError) -> any DeviceKeyRequest {
        try translating { () throws(FPSError) in
            if let key = parameters.renewing as? DeviceKey {
                do throws(FPSError) {
                    return try makeSPC(renewing: key)
                } catch  where error == .notPlaying {
                    // A lease may near its end before playback starts.
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
        try translating { () throws(FPSError) in try process(ckc: ckc, for: try own(request)) as DeviceKey }
    }

    /// Opens a CKC and makes a key to be stored.
    public func makePersistableKey(ckc: [UInt8], for request: any DeviceKeyRequest) throws(ContentKeyError) -> [UInt8] {
        try translating { () throws(FPSError) in try makePersistentKey(ckc: ckc, for: try own(request)) }
    }

    /// Takes a stored key into use.
    public func loadPersistableKey(
        _ stored: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) throws(ContentKeyError) -> any ProtectedContentKey {
        try translating { () throws(FPSError) in
            try loadPersistentKey(stored, session: PlaybackSession(session))
        }
    }

    /// Makes a Sync SPC that reports how long a stored key is still valid.
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

    /// Removes a stored key, or every one of the app, and makes the Sync SPC that proves it. Where there is no key to
    /// take an asset ID from, the SPC's is "all".
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

    /// Makes an SPC that says that playback has halted; nil for stored keys, whose playbacks no server counts.
    public func makeExpiredSessionReport(
        for key: any ProtectedContentKey
    ) throws(ContentKeyError) -> ExpiredSessionReport? {
        guard let key = key as? DeviceKey, !key.isPersistent else { return nil }
        return try translating { () throws(FPSError) in
            let request = try makeSPC(renewing: key, state: .halted)
            return ExpiredSessionReport(appIdentifier: key.applicationCertificate, data: request.spc)
        }
    }

    private func own(_ request: any DeviceKeyRequest) throws(FPSError) -> KeyRequest {
        guard let request = request as? KeyRequest else {
            throw .invalidCKC.because("another kind of device made the request")
        }
        return request
    }
}

extension KeyRequest: DeviceKeyRequest {
    /// The SPC.
    public var requestData: [UInt8] { spc }
}

extension FPSDevice.PlaybackSession {
    /// From the 8 bytes of a session ID; nil for another number of bytes.
    init?(_ identifier: ContentProtectionSessionIdentifier) {
        guard identifier.bytes.count == 8 else { return nil }
        self.init(id: identifier.bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension DeviceProfile.Output {
    /// Nil leaves the local route to the profile.
    init?(_ route: ContentKeyRoute) {
        switch route {
        case .local: return nil
        case .airPlay: self = .airPlay
        case .digitalAVAdapter: self = .digitalAVAdapter
        }
    }
}

/// Runs `body` and turns the device's error into the session's.
func translating<Value>(_ body: () throws(FPSError) -> Value) throws(ContentKeyError) -> Value {
    do throws(FPSError) {
        return try body()
    } catch {
        throw ContentKeyError(.init(rawValue: error.name), .device, reason: error.reason, number: error.code)
    }
}
