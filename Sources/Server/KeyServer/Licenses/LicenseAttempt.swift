import FPSMessages
import KeyServerModule
import KeyStore
import TextCoding

/// A request for a license or a key, from the socket to the response: the facts of the HTTP request, what the client
/// requests, its authorization, and what is learned while the request is processed. Its audit record and its event on
/// the dashboard follow from it.
struct LicenseAttempt: Sendable {
    /// The requested license or keys.
    enum Subject: Sendable {
        /// A license for an SPC.
        case spc(LicenseRequest)
        /// Unprotected keys, for a client without FairPlay.
        case keys(KeysRequest)
    }

    /// A request for the keys with some key IDs.
    struct KeysRequest: Sendable {
        /// The key IDs, 16 bytes each; at least one.
        let keyIDs: [[UInt8]]
        /// The kind of client.
        let client: OtherClientKind

        /// The kind of client and the key IDs, for the audit log.
        var summary: String {
            "\(client.rawValue), key ID " + keyIDs.map { Hexadecimal.encode($0) }.joined(separator: ", ")
        }
    }

    // From the client.

    /// The facts of the HTTP request.
    let facts: RequestFacts
    /// The requested license or keys.
    let subject: Subject
    /// True if the request may contain a Sync SPC; otherwise a Sync SPC is refused and has no effect.
    var acceptsSync = true
    /// The account and the permissions of the token; those of no account as long as the authorization is pending.
    private(set) var authorization: PlaybackAuthorization
    /// The registered asset that was authorized: the one that the asset ID in the request referred to at that time; nil
    /// if the authorization was for no asset in particular.
    private(set) var authorizedAssetID: [UInt8]?
    /// The authorization that has not been granted; nil if the request is authorized.
    private(set) var pending: PendingAuthorization?

    // What is learned, in this order.

    /// The start of the processing, from which durations are measured. For an SPC, it is after the authorization.
    var start: StartTime
    /// The class that the account and the address were charged for the SPC; nil if there are no limits, or if the limit
    /// was exceeded.
    var charged: RequestClass?
    /// True if the account was charged for the SPC, not only the address: the account was known at that time.
    var isAccountCharged = false
    /// The decrypted SPC and its sender; an error if it could not be decrypted, or has not been yet.
    var opening: Result<SPCSender, any Error> = .failure(WorkPoolError.stopped)
    /// The evidence in the SPC; nil if its integrity check failed, or if a plug-in decrypted it.
    var evidence: SPCEvidence?
    /// The registered asset ID; nil if it is unknown.
    var assetID: [UInt8]?
    /// The terms of the key, once they are decided.
    var terms: LicenseTerms?

    /// Creates an attempt for an authorized request.
    init(
        _ subject: Subject,
        _ facts: RequestFacts,
        authorization: PlaybackAuthorization,
        authorizedAssetID: [UInt8]? = nil
    ) {
        self.subject = subject
        self.facts = facts
        self.authorization = authorization
        self.authorizedAssetID = authorizedAssetID
        start = facts.start
    }

    /// Creates an attempt whose authorization is pending.
    init(_ subject: Subject, _ facts: RequestFacts, pending: PendingAuthorization) {
        var none = PlaybackAuthorization(account: OpenAuthorizer.account, expires: facts.now)
        none.isAnonymous = true
        self.init(subject, facts, authorization: none)
        self.pending = pending
    }

    /// Grants the pending authorization.
    ///
    /// - Parameter assetID: The registered asset that was authorized; nil for no asset in particular.
    mutating func authorize(_ authorization: PlaybackAuthorization, for assetID: [UInt8]?) {
        self.authorization = authorization
        authorizedAssetID = assetID
        pending = nil
        opening = opening.map { SPCSender($0.spc, device: $0.device, authorization, at: $0.now) }
    }

    /// Records that the authorizer has not granted the pending authorization.
    mutating func refuse(_ error: any Error) { pending?.refuse(error) }

    /// Checks that the authorization has been granted.
    ///
    /// - Throws: The error of the authorizer.
    func requireAuthorization() throws {
        guard let pending else { return }
        throw pending.error ?? ProblemDocument(.unavailable)
    }

    /// The license request; nil for a client without FairPlay.
    var request: LicenseRequest? { if case .spc(let request) = subject { request } else { nil } }

    /// The sender of the SPC, once it is decrypted.
    var sender: SPCSender? { if case .success(let sender) = opening { sender } else { nil } }

    /// The account that limits apply to; nil if it is unknown.
    var account: String? { pending == nil ? sender?.account ?? authorization.knownAccount : nil }

    /// True if the client requests a persistent key, and the token does not deny it.
    var wantsPersistableKey: Bool { request?.wantsPersistableKey == true && authorization.persist != false }

    /// True if the key is loaded before playback.
    var isPreload: Bool { request?.isPreload == true }

    /// Checks that the content is the one that was authorized. If the catalog changes in between, a name can have
    /// another meaning.
    ///
    /// - Throws: `asset-id-mismatch`.
    func requireAuthorized(_ assetID: [UInt8]) throws(KSMError) {
        guard let authorizedAssetID, authorizedAssetID != assetID else { return }
        throw KSMError(.policy, .assetIDMismatch, "the SPC's asset ID is not the authorized one")
    }
}

/// A decrypted SPC, and the account and device that it is from.
struct SPCSender: Sendable {
    /// The SPC, with the properties that the device reports in it.
    let spc: OpenedSPC
    /// The SPC with the device's earlier reports applied, once the store has returned them. The rules use it.
    private(set) var boundSPC: OpenedSPC
    /// The account that limits apply to.
    let account: String
    /// The device; nil for a digital AV adapter.
    let device: DeviceHash?
    /// The device or session that receives the key.
    let client: PlaybackClient
    /// The time of the decision, in Unix seconds.
    let now: Int64

    /// Determines the sender. Without authorization, each device is a separate account, so that limits still apply.
    init(_ spc: OpenedSPC, device: DeviceHash?, _ authorization: PlaybackAuthorization, at now: Int64) {
        self.spc = spc
        boundSPC = spc
        self.device = device
        self.now = now
        if let device {
            client = .device(device)
        } else {
            // An SPC from an AV adapter identifies only the session. Without a session ID, the transaction ID is used
            // instead.
            let request = spc.request
            client = .session(request.mediaPlaybackState?.sessionID ?? request.transactionID?.number ?? 0)
        }
        account = authorization.knownAccount ?? "device-\(client.name)"
    }

    /// Returns the sender with earlier reports of the device applied to the SPC.
    func bound(by earlier: RestrictingReports) -> Self {
        var sender = self
        sender.boundSPC = boundSPC.bound(by: earlier)
        return sender
    }
}

extension LicenseAttempt {
    /// Returns the audit record of the attempt.
    ///
    /// - Parameter notes: Notes about the license, in addition to those about the SPC.
    func auditRecord(_ outcome: String, detail: String? = nil, notes: [Note] = []) -> AuditRecord {
        var record = AuditRecord(
            milliseconds: start.milliseconds,
            route: facts.route,
            outcome: outcome,
            microseconds: start.stopwatch.microseconds
        )
        record.account = account
        record.assetID = assetID
        record.policyName = terms?.policy.name
        record.remoteAddress = facts.remoteAddress
        record.requestID = facts.requestID
        var details = [detail].compactMap { $0 }
        if case .keys(let request) = subject { details.insert(request.summary, at: 0) }
        if let sender {
            let request = sender.spc.request
            let name = request.assetID.bytes
            record.assetID = assetID ?? name
            record.transactionID = request.transactionID?.number
            record.sessionID = request.mediaPlaybackState?.sessionID
            record.device = sender.device
            record.deviceClass = sender.spc.device.name
            record.bundleName = sender.spc.bundle.name
            // If the SPC contains an ``AssetAlias``, the record contains both.
            if let assetID, assetID != name { details.append("requested as \(displayName(ofAssetID: name))") }
            if let sync = request.sync { details.append("sync: \(SyncReport(sync, assetID: name).summary)") }
        }
        details += notes.map(\.description)
        record.detail = details.isEmpty ? nil : details.joined(separator: "; ")
        return record
    }

    /// Returns the dashboard's event for the attempt.
    ///
    /// - Parameter milliseconds: The time, in milliseconds since 1970.
    func event(_ outcome: ServerMetrics.Outcome, reason: String?, at milliseconds: Int64) -> ActivityEvent {
        var event = ActivityEvent(
            milliseconds: milliseconds,
            route: facts.route,
            outcome: outcome,
            reason: reason,
            microseconds: Int(start.stopwatch.microseconds),
            account: account,
            assetID: assetID,
            title: terms?.content.title?.name,
            policyName: terms?.policy.name
        )
        if case .keys(let request) = subject { event.client = ActivityEvent.Client(request.client) }
        if let sender {
            event.client = ActivityEvent.Client(sender.spc.device)
            event.bundleName = sender.spc.bundle.name
            event.osVersion = sender.spc.device.osVersion.map { "\($0)" }
            event.assetID = assetID ?? sender.spc.request.assetID.bytes
            event.facts = terms.map { properties(sender, $0.content) }
        }
        return event
    }

    /// Returns the facts that a policy trial can evaluate again.
    private func properties(_ sender: SPCSender, _ content: ContentLookup) -> RequestProperties {
        RequestProperties(
            sender.boundSPC,
            track: TrackKind(content.kind),
            streamID: content.streamID,
            titleID: content.titleID,
            wantsPersistable: wantsPersistableKey,
            at: sender.now,
            remoteAddress: facts.remoteAddress,
            origin: facts.origin
        )
    }
}

extension ReportedDevice {
    /// The kind of device as one term, for the audit log.
    var name: String {
        switch kind {
        case .apple(let device): isVirtualMachine ? "\(device.rawValue) (virtual machine)" : device.rawValue
        case .partner: "partner"
        case .unknown: "unknown"
        }
    }
}

extension PlaybackClient {
    /// The device hash or session ID in hexadecimal.
    var name: String {
        switch self {
        case .device(let device): Hexadecimal.encode(device.bytes)
        case .session(let session): Hexadecimal.encode(session, digits: 1)
        }
    }
}
