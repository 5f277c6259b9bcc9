import FPSCrypto
import FPSMessages
public import KeyServerModule
public import KeyStore

/// SPC in, licence or Sync report out: the Key Server Module, the store and the audit log put together, without HTTP.
///
/// Nothing is answered before its audit record is safe; a store that cannot take the record means no licence.
public struct LicenseService: Sendable {
    /// One request for a licence.
    public struct Question: Sendable {
        /// The SPC.
        public let spc: [UInt8]
        /// The asset ID that the client believes to ask for.
        public let assetID: [UInt8]?
        /// Whether the client would like to keep the key.
        public let wantsPersistableKey: Bool
        /// The route, for the audit log.
        public let route: String
        /// The client's address, for the audit log.
        public let remoteAddress: String?
        /// The ID that the answer carries, for the audit log.
        public let requestID: String

        /// Makes a question.
        public init(
            spc: [UInt8],
            assetID: [UInt8]?,
            wantsPersistableKey: Bool,
            route: String,
            remoteAddress: String?,
            requestID: String
        ) {
            self.spc = spc
            self.assetID = assetID
            self.wantsPersistableKey = wantsPersistableKey
            self.route = route
            self.remoteAddress = remoteAddress
            self.requestID = requestID
        }
    }

    /// What came of it.
    public enum Outcome: Sendable {
        /// A CKC.
        case license(LicenseAnswer)
        /// What a Sync SPC reports. There is no key in it, and none is given for it.
        case syncReport(SyncReport)
    }

    private let module: KeyServerModule
    private let store: any KeyStore
    private let pool: BoundedWorkPool
    private let clock: @Sendable () -> Int64

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - module: what opens SPCs and seals CKCs.
    ///   - store: content, policies and the audit log.
    ///   - pool: the threads that RSA runs on.
    ///   - clock: the time, in milliseconds since 1970.
    public init(
        module: KeyServerModule,
        store: any KeyStore,
        pool: BoundedWorkPool,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.module = module
        self.store = store
        self.pool = pool
        self.clock = clock
    }

    /// Answers a question and records it.
    ///
    /// - Throws: ``ProblemDocument`` for what a client may know of a refusal, ``WorkPoolError`` when the server is busy,
    ///   `KeyStoreError` when the store fails.
    public func answer(_ question: Question) async throws -> Outcome {
        var trail = AuditTrail(question, startedAt: clock())
        do {
            let outcome = try await decide(question, &trail)
            try await store.append(trail.record(outcome: outcome.code, detail: nil))
            return outcome
        } catch let refusal as KSMError {
            try await store.append(trail.record(outcome: refusal.code.rawValue, detail: refusal.description))
            throw ProblemDocument(refusal)
        } catch let problem as ProblemDocument {
            try await store.append(trail.record(outcome: problem.type.name, detail: problem.detail))
            throw problem
        }
    }

    private func decide(_ question: Question, _ trail: inout AuditTrail) async throws -> Outcome {
        let (module, spc) = (module, question.spc)
        let opened = try await pool.run { Result { () throws(KSMError) in try module.open(spc) } }.get()
        trail.note(opened, device: opened.deviceID.map { store.deviceHash(hu: $0) })
        try KeyServerModule.requireSameAsset(question.assetID, in: opened)
        if let report = opened.syncReport {
            return .syncReport(SyncReport(report, assetID: opened.request.assetID))
        }
        let assetID = opened.request.assetID.bytes
        guard let record = try await store.content(assetID: assetID) else {
            throw ProblemDocument(.unknownAsset)
        }
        let policy = try await policy(named: record.info.policyName)
        trail.policyName = policy.name
        let license = try await license(for: opened, content: Content(record), policy: policy, question)
        trail.notes += license.notes.map(\.description)
        return .license(
            LicenseAnswer(
                ckc: license.ckc,
                isPersistable: license.terms.isPersistable,
                hasDualExpiry: license.terms.hasDualExpiry
            )
        )
    }

    /// Sealing takes a few microseconds and stays here, unless a plug-in does it: its work may be anything.
    private func license(
        for opened: OpenedSPC,
        content: Content,
        policy: LicensePolicy,
        _ question: Question
    ) async throws -> License {
        let (module, now) = (module, clock() / 1000)
        let seal: @Sendable () -> Result<License, KSMError> = {
            Result { () throws(KSMError) in
                try module.license(
                    for: opened,
                    content: content,
                    policy: policy,
                    wantsPersistable: question.wantsPersistableKey,
                    at: now
                )
            }
        }
        return try opened.isSealedByPlugin ? await pool.run(seal).get() : seal().get()
    }

    /// The policy of that name. Content without one gets the policy called `default`: the stored one, if there is one.
    private func policy(named name: String?) async throws -> LicensePolicy {
        let sought = name ?? "default"
        guard let record = try await store.policy(name: sought) else {
            guard name == nil else {
                throw KeyStoreError(.missingReference, place: "policy \(sought)", reason: "content refers to it")
            }
            return .default
        }
        do {
            var policy = try LicensePolicy(json: record.document)
            policy.name = sought
            return policy
        } catch {
            // It was valid when it was stored; a newer or older version of this server may see it otherwise.
            throw KSMError(.policy, .policyInvalid, "policy \(sought): \(error)")
        }
    }
}

extension LicenseService.Outcome {
    /// What the audit log calls it.
    fileprivate var code: String {
        switch self {
        case .license(let answer): answer.isPersistable ? "issued-persistable" : "issued"
        case .syncReport: "sync-report"
        }
    }
}

extension Content {
    fileprivate init(_ record: ContentRecord) throws(KeyStoreError) {
        // The store holds sizes to 16 bytes on the way in and out, so neither of these is nil.
        guard let key = ContentKey(key: record.contentKey, iv: record.iv),
            let content = Content(
                key: key,
                track: TrackKind(record.info.track),
                streamID: record.info.streamID,
                titleID: record.info.titleID
            )
        else { throw KeyStoreError(.corrupt, place: "content", reason: "a size is wrong") }
        self = content
    }
}
