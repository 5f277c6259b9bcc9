import FPSCrypto
public import KeyServerModule
public import KeyStore

/// Finds what a client without FairPlay asks for: it knows key IDs and no asset IDs.
public protocol KeyIDLookup: Sendable {
    /// The content with a key ID of 16 bytes, or nil.
    ///
    /// - Throws: ``ProblemDocument`` when the key may not be given at the moment, `KeyStoreError` when the store fails.
    func content(keyID: [UInt8]) async throws -> ContentLookup?

    /// The terms of content for somebody: the policies of title, track, key and token in one.
    ///
    /// - Throws: `KSMError` when they cannot be merged, ``ProblemDocument``, `KeyStoreError`.
    func policy(for content: ContentLookup, _ authorization: PlaybackAuthorization) async throws -> LicensePolicy
}

/// Keys for clients without FairPlay: authorisation, terms, store and audit log put together, without HTTP.
///
/// Nothing is answered before its audit record is safe, one for each key that was asked for.
public struct OtherClientService: Sendable {
    /// What is known about a request.
    public struct Caller: Sendable {
        /// The token, from `Authorization: Bearer`.
        public var token: String?
        /// The client's address.
        public var remoteAddress: String?
        /// The request's `Origin`.
        public var origin: String?
        /// The ID that the answer carries.
        public var requestID: String

        /// Makes a caller.
        public init(token: String?, remoteAddress: String?, origin: String?, requestID: String) {
            self.token = token
            self.remoteAddress = remoteAddress
            self.origin = origin
            self.requestID = requestID
        }
    }

    private let lookup: any KeyIDLookup
    private let authorizer: any PlaybackAuthorizer
    private let signer: KeyURLSigner?
    private let audit: any AuditLog
    private let clock: @Sendable () -> Int64

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - lookup: content and terms.
    ///   - authorizer: who decides about tokens.
    ///   - signer: the secrets of signed URLs; nil when there are none, and every signed URL is refused.
    ///   - audit: the log.
    ///   - clock: the time, in milliseconds since 1970.
    public init(
        lookup: any KeyIDLookup,
        authorizer: any PlaybackAuthorizer,
        signer: KeyURLSigner?,
        audit: any AuditLog,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.lookup = lookup
        self.authorizer = authorizer
        self.signer = signer
        self.audit = audit
        self.clock = clock
    }

    /// A Clear Key licence. Keys that are not known, or not for this client, are left out of it.
    ///
    /// - Throws: ``ProblemDocument`` when no key is left (the first key's), or nobody may ask; `KeyStoreError`.
    func clearKeyLicense(_ request: ClearKeyRequest, _ caller: Caller) async throws -> JSONValue {
        var keys: [(keyID: [UInt8], key: [UInt8])] = []
        var refusals: [ProblemDocument] = []
        for keyID in request.keyIDs {
            do {
                let key = try await recorded(keyID, .clearKey, "/clearkey", caller) { content in
                    try await authorization(content, caller)
                }
                keys.append((keyID, key))
            } catch let problem as ProblemDocument where Self.isAboutKey(problem) {
                refusals.append(problem)
            }
        }
        // That one key is not known says less than that another one is refused.
        guard !keys.isEmpty else {
            throw refusals.first { $0.type != .unknownAsset } ?? ProblemDocument(.unknownAsset)
        }
        return .clearKeyLicense(keys)
    }

    /// An AES-128 key, 16 bytes. A URL with `sig` is judged by its signature, any other one by its token.
    ///
    /// - Throws: ``ProblemDocument`` for every refusal; `KeyStoreError`.
    func key(_ keyID: [UInt8], _ caller: Caller, query: @Sendable (String) -> [String]) async throws -> [UInt8] {
        try await recorded(keyID, .aes128, "/keys/{kid}", caller) { content in
            guard !query("sig").isEmpty else { return try await authorization(content, caller) }
            guard let signer else { throw ProblemDocument(.keyURLSignature) }
            let grant = try signer.verify(
                keyID: keyID,
                remoteAddress: caller.remoteAddress,
                now: clock() / 1000,
                query: query
            )
            return PlaybackAuthorization(account: grant.account, expires: grant.expires)
        }
    }

    /// What a token says, held against the key.
    private func authorization(_ content: ContentLookup?, _ caller: Caller) async throws -> PlaybackAuthorization {
        let authorization = try await authorizer.authorize(
            PlaybackRequest(
                token: caller.token,
                assetID: content?.record.info.assetID,
                remoteAddress: caller.remoteAddress,
                requestID: caller.requestID,
                now: clock() / 1000
            )
        )
        guard let content else { return authorization }
        try authorization.require(
            assetID: content.record.info.assetID,
            title: content.title?.name,
            deviceHash: nil
        )
        guard authorization.binding == nil else {
            throw ProblemDocument(
                .tokenDevice,
                detail: "A token for one use is bound to a device, and this client cannot prove which it is.",
                reason: "once"
            )
        }
        return authorization
    }

    /// Decides about one key and records what came of it.
    private func recorded(
        _ keyID: [UInt8],
        _ kind: OtherClientKind,
        _ route: String,
        _ caller: Caller,
        authorize: (ContentLookup?) async throws -> PlaybackAuthorization
    ) async throws -> [UInt8] {
        let began = clock()
        var content: ContentLookup?
        var policyName: String?
        func record(_ outcome: String, _ detail: String?) async throws {
            var record = AuditRecord(
                milliseconds: began,
                route: route,
                outcome: outcome,
                microseconds: max(clock() - began, 0) * 1000
            )
            record.detail = "\(kind.rawValue), key ID \(hexadecimal(keyID))" + (detail.map { "; \($0)" } ?? "")
            record.assetID = content?.record.info.assetID
            record.policyName = policyName
            record.remoteAddress = caller.remoteAddress
            record.requestID = caller.requestID
            try await audit.append(record)
        }
        do {
            content = try await lookup.content(keyID: keyID)
            // Asked before it is said whether there is such a key.
            let authorization = try await authorize(content)
            guard let content else { throw ProblemDocument(.unknownAsset) }
            let policy = try await lookup.policy(for: content, authorization)
            policyName = policy.name
            let verdict = OtherClientRules.decide(
                policy,
                kind,
                authorization,
                remoteAddress: caller.remoteAddress,
                origin: caller.origin,
                now: began / 1000
            )
            if case .refuse(let refusal) = verdict { throw refusal }
            try await record("issued", "account \(authorization.account)")
            return content.record.contentKey.reveal()
        } catch let refusal as KSMError {
            try await record(refusal.code.rawValue, refusal.description)
            throw ProblemDocument(refusal)
        } catch let problem as ProblemDocument {
            let isRule = problem.type == .refusedByPolicy
            try await record(
                isRule ? problem.reason ?? problem.type.name : problem.type.name,
                problem.auditDetail ?? problem.detail
            )
            throw problem
        }
    }

    /// Whether a problem concerns this key alone, so that others may still be given.
    private static func isAboutKey(_ problem: ProblemDocument) -> Bool {
        [.unknownAsset, .refusedByPolicy, .tokenAsset].contains(problem.type)
    }
}
