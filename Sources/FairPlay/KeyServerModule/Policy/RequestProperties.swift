public import FPSMessages

/// The data of one request that a policy's rules inspect. It contains no secret: no key, no HU, and no encrypted part
/// of the SPC. So the data can be stored, and the request can be evaluated again under another policy.
public struct RequestProperties: Sendable {
    /// The request in the SPC.
    public let request: SPCRequest
    /// The device's properties as reported in the SPC.
    public let device: ReportedDevice
    /// The type of track that the key encrypts.
    public let track: TrackKind
    /// True if the app requests a persistent key.
    public let wantsPersistable: Bool
    /// The time of the request, in seconds since 1970.
    public let now: Int64
    /// The client's address; nil if it is unknown.
    public let remoteAddress: String?
    /// The request's `Origin` header, which browsers send and apps do not.
    public let origin: String?
    let streamID: [UInt8]?
    let titleID: [UInt8]?

    /// Creates the facts of a request.
    ///
    /// - Parameters:
    ///   - opened: the SPC of the request.
    ///   - track: the type of track that the key encrypts.
    ///   - streamID: the ID of the stream, 16 bytes, which dual expiry requires.
    ///   - titleID: the ID of the title, 16 bytes.
    ///   - wantsPersistable: whether the app requests a persistent key.
    ///   - now: the time, in seconds since 1970.
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
    /// Returns the terms of a policy for a request, after checking every rule in order. Licenses use this function too.
    ///
    /// - Throws: ``KSMError`` with the stage `policy`.
    public func terms(of policy: LicensePolicy, for facts: RequestProperties) throws(KSMError) -> KeyTerms {
        do {
            try policy.requireCoherent(for: facts.track)
        } catch {
            throw KSMError(.policy, .policyInvalid, error.description)
        }
        let question = LicenseCheckInput(
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
