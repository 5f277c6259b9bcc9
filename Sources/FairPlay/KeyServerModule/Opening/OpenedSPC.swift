package import FPSCrypto
public import FPSMessages

/// A decrypted SPC whose integrity has been verified: the request, the device, and the secrets for the CKC.
///
/// The type is immutable. It is a class because a license request passes it about a dozen times, and copying a struct
/// would retain each of its about thirty references.
public final class OpenedSPC: Sendable {
    /// The bundle that opened the SPC.
    public let bundle: CertificateBundle
    /// The version of the SPC.
    public let version: SPCVersion
    /// The request. Its asset ID takes precedence over an asset ID elsewhere.
    public let request: SPCRequest
    /// The device's properties as reported in the SPC.
    public let device: ReportedDevice
    /// The anonymous ID of the device, 20 bytes, or of the digital AV adapter if that is the route; see ``deviceID``.
    public let hu: [UInt8]
    /// The notes to log.
    public let notes: [Note]
    /// The authenticated part of the message, which the server should record; nil if a plug-in opened the whole SPC.
    public let authenticated: AuthenticatedSPC?
    let session: Session

    init(
        bundle: CertificateBundle,
        version: SPCVersion,
        request: SPCRequest,
        device: ReportedDevice,
        hu: [UInt8],
        notes: [Note],
        authenticated: AuthenticatedSPC?,
        session: Session
    ) {
        self.bundle = bundle
        self.version = version
        self.request = request
        self.device = device
        self.hu = hu
        self.notes = notes
        self.authenticated = authenticated
        self.session = session
    }

    /// Returns the same SPC with the device's earlier reports applied.
    public func bound(by earlier: RestrictingReports) -> OpenedSPC {
        OpenedSPC(
            bundle: bundle,
            version: version,
            request: request,
            device: device.bound(by: earlier),
            hu: hu,
            notes: notes,
            authenticated: authenticated,
            session: session
        )
    }

    /// The anonymous ID for device limits, 20 bytes; nil if HU is the ID of a digital AV adapter (Table 2-7).
    public var deviceID: [UInt8]? { device.route == .digitalAVAdapter ? nil : hu }

    /// True if a plug-in takes part in the creation of the CKC, so that the creation can take any length of time.
    public var isSealedByPlugin: Bool {
        if case .open = session { false } else { true }
    }

    /// The report of a Sync SPC; nil for a key request. A Sync SPC never gets a key.
    public var syncReport: Sync? { request.sync }

    /// SK, R1 and the payload, if this process has decrypted them. Only for tools that check a CKC, never for a server.
    package var sessionSecrets: (sessionKey: SecretBytes, r1: SecretBytes, payload: SPCPayload)? {
        guard case .open(let sessionKey, let r1, let payload) = session else { return nil }
        return (sessionKey, r1, payload)
    }

    /// The value that identifies a request for replay detection: R1, which is unique for each SPC. R1 is authenticated,
    /// unlike the bytes of the SPC. Nil if a plug-in opened the SPC and does not return R1.
    package var replaySeed: SecretBytes? {
        switch session {
        case .open(_, let r1, _), .keyPayload(_, _, let r1, _): r1
        case .whole: nil
        }
    }

    /// The secrets or the provider that the CKC is created with.
    enum Session: Sendable {
        /// This process has SK and R1.
        case open(sessionKey: SecretBytes, r1: SecretBytes, payload: SPCPayload)
        /// A plug-in encrypts the content key; the module creates the rest.
        case keyPayload(any KeyPayloadProvider, KeyPayload, r1: SecretBytes, payload: SPCPayload)
        /// A plug-in creates the whole CKC.
        case whole(any WholeSPCSession)
    }
}
