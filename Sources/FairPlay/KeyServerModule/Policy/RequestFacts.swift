public import FPSMessages

/// What a policy's rules look at in one request, and nothing secret: neither key nor HU, and no byte of the SPC that would
/// open anything. So a request can be decided again later, under another policy.
public struct RequestFacts: Sendable {
    /// What the SPC asks for.
    public let request: SPCRequest
    /// What the device says of itself.
    public let device: ReportedDevice
    /// What the key is for.
    public let track: TrackKind
    /// Whether the app asks for a key to keep.
    public let wantsPersistable: Bool
    /// When it was asked, in seconds since 1970.
    public let now: Int64
    /// The client's address, where it is known.
    public let remoteAddress: String?
    /// The request's `Origin`, which browsers send and apps do not.
    public let origin: String?
    let streamID: [UInt8]?
    let titleID: [UInt8]?

    /// Takes the facts of a request.
    ///
    /// - Parameters:
    ///   - opened: its SPC.
    ///   - track: what the key is for.
    ///   - streamID: the ID of the stream, 16 bytes, which dual expiry needs.
    ///   - titleID: the ID of the title, 16 bytes.
    ///   - wantsPersistable: whether the app asks for a key to keep.
    ///   - now: seconds since 1970.
    ///   - remoteAddress: the client's address.
    ///   - origin: the request's `Origin`.
    public init(
        _ opened: OpenedSPC,
        track: TrackKind,
        streamID: [UInt8]?,
        titleID: [UInt8]?,
        wantsPersistable: Bool,
        at now: Int64,
        remoteAddress: String? = nil,
        origin: String? = nil
    ) {
        request = opened.request
        device = opened.device
        self.track = track
        self.streamID = streamID
        self.titleID = titleID
        self.wantsPersistable = wantsPersistable
        self.now = now
        self.remoteAddress = remoteAddress
        self.origin = origin
    }
}

extension KSM {
    /// What a policy comes to for a request: every rule in its order, then the terms. Licenses are decided here too.
    ///
    /// - Throws: ``KSMError`` of the stage policy.
    public func terms(of policy: LicensePolicy, for facts: RequestFacts) throws(KSMError) -> KeyTerms {
        do {
            try policy.requireCoherent(for: facts.track)
        } catch {
            throw KSMError(.policy, .policyInvalid, error.description)
        }
        let question = LicenseQuestion(
            policy: policy,
            track: facts.track,
            request: facts.request,
            device: facts.device,
            configuration: configuration,
            now: facts.now,
            remoteAddress: facts.remoteAddress,
            origin: facts.origin
        )
        for check in LicenseChecks.all {
            if case .refuse(let error) = check.decide(question) { throw error }
        }
        return try KeyTerms(
            policy: policy,
            wantsPersistable: facts.wantsPersistable,
            streamID: facts.streamID,
            titleID: facts.titleID,
            request: facts.request,
            device: facts.device
        )
    }
}
