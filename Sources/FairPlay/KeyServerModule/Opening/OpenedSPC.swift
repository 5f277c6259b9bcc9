package import FPSCrypto
public import FPSMessages

/// An SPC whose integrity has been proven: what it asks for, who asks, and the secrets to answer with.
///
/// Nothing of it changes. It is an object because it is handed on a dozen times for a license, and as a value each time its
/// thirty or so parts would be counted one by one.
public final class OpenedSPC: Sendable {
    /// The bundle that opened it.
    public let bundle: CertificateBundle
    /// The version of the SPC.
    public let version: SPCVersion
    /// What is asked for. The asset ID in it governs.
    public let request: SPCRequest
    /// What the device says of itself.
    public let device: ReportedDevice
    /// The anonymous ID of the device, 20 bytes. Of the adapter where that is the route: see ``deviceID``.
    public let hu: [UInt8]
    /// What is worth recording.
    public let notes: [Note]
    /// What to remember of the message; nil where a plug-in opened it, which answers for all of it.
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

    /// The same SPC of a device that has reported more against itself before.
    public func bound(by earlier: EarlierReports) -> OpenedSPC {
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

    /// The anonymous ID to count devices by, 20 bytes; nil where HU is that of a digital AV adapter (Table 2-7).
    public var deviceID: [UInt8]? { device.route == .digitalAVAdapter ? nil : hu }

    /// Whether a plug-in has part in the making of the CKC, so that it may take any time.
    public var isSealedByPlugin: Bool {
        if case .open = session { false } else { true }
    }

    /// The report of a Sync SPC; nil for an ordinary one. A Sync SPC is never answered with a key.
    public var syncReport: Sync? { request.sync }

    /// SK and R1, where they are known in this process: for the tools that check a CKC, never for a server.
    package var sessionSecrets: (sessionKey: SecretBytes, r1: SecretBytes, payload: SPCPayload)? {
        guard case .open(let sessionKey, let r1, let payload) = session else { return nil }
        return (sessionKey, r1, payload)
    }

    /// What tells one request from another: R1, of which each SPC has its own. It is authenticated, as the SPC's bytes
    /// are not. Nil where a plug-in opened the SPC and keeps R1 to itself.
    package var replaySeed: SecretBytes? {
        switch session {
        case .open(_, let r1, _), .keyPayload(_, _, let r1, _): r1
        case .whole: nil
        }
    }

    /// What the CKC is made with.
    enum Session: Sendable {
        /// SK and R1 are known here.
        case open(sessionKey: SecretBytes, r1: SecretBytes, payload: SPCPayload)
        /// A plug-in encrypts the content key; the rest is made here.
        case keyPayload(any KeyPayloadProvider, KeyPayload, r1: SecretBytes, payload: SPCPayload)
        /// A plug-in makes the CKC.
        case whole(any WholeSPCSession)
    }
}
