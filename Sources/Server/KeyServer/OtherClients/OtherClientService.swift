import FPSCrypto
import KeyServerModule
import KeyStore
import TextCoding

/// Issues keys to clients without FairPlay. It combines authorization, policies, the store and the audit log,
/// independent of HTTP.
///
/// A request is authorized once, and each key is checked against the authorization. A response is sent only after its
/// audit records have been committed, one for each requested key. Rate limits are those of licenses, and each key
/// counts as one license.
package struct OtherClientService: Sendable {
    private let licenses: LicenseService
    private let authorizer: any PlaybackAuthorizer
    private let signer: KeyURLSigner?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - licenses: The service for licenses, which provides content, policies, limits, metrics and the audit log.
    ///   - authorizer: The authorizer for tokens.
    ///   - signer: The signer of key URLs; nil if there are no secrets, so that every signed URL is refused.
    package init(licenses: LicenseService, authorizer: any PlaybackAuthorizer, signer: KeyURLSigner?) {
        self.licenses = licenses
        self.authorizer = authorizer
        self.signer = signer
    }

    /// The server's clocks.
    var time: ServerTime { licenses.time }

    /// Returns a Clear Key license. It omits unknown keys, and keys that this client may not have.
    ///
    /// - Throws: ``ProblemDocument`` if there are no keys (with the first refusal), or if the request is not
    ///   authorized; `KeyStoreError`.
    func clearKeyLicense(_ request: ClearKeyRequest, _ playback: PlaybackRequest) async throws -> JSONValue {
        let wanted = LicenseAttempt.KeysRequest(keyIDs: request.keyIDs, client: .clearKey)
        let found = try await keys(wanted, playback) { try await authorizer.authorize($0) }
        var keys: [(keyID: [UInt8], key: [UInt8])] = []
        var refusals: [ProblemDocument] = []
        for (keyID, result) in zip(request.keyIDs, found) {
            switch result {
            case .success(let key): keys.append((keyID, key))
            case .failure(let problem) where Self.isAboutKey(problem): refusals.append(problem)
            case .failure(let problem): throw problem
            }
        }
        // A refusal is more informative than an unknown key.
        guard !keys.isEmpty else {
            throw refusals.first { $0.type != .unknownAsset } ?? ProblemDocument(.unknownAsset)
        }
        return .clearKeyLicense(keys)
    }

    /// Returns an AES-128 key, 16 bytes. A URL with `sig` is authorized by its signature, any other URL by the token.
    ///
    /// - Throws: ``ProblemDocument`` for every refusal; `KeyStoreError`.
    func key(
        _ keyID: [UInt8],
        _ playback: PlaybackRequest,
        query: @Sendable (String) -> [String]
    ) async throws -> [UInt8] {
        let wanted = LicenseAttempt.KeysRequest(keyIDs: [keyID], client: .aes128)
        let found = try await keys(wanted, playback) { request in
            guard !query("sig").isEmpty else { return try await authorizer.authorize(request) }
            guard let signer else { throw ProblemDocument(.keyURLSignature) }
            let grant = try signer.verify(
                keyID: keyID,
                remoteAddress: request.facts.remoteAddress,
                now: request.now,
                query: query
            )
            return PlaybackAuthorization(account: grant.account, expires: grant.expires)
        }
        guard let key = found.first else { throw ProblemDocument(.unknownAsset) }
        return try key.get()
    }

    /// Authorizes a request, decides about each key, and records the results.
    private func keys(
        _ wanted: LicenseAttempt.KeysRequest,
        _ playback: PlaybackRequest,
        _ authorize: (PlaybackRequest) async throws -> PlaybackAuthorization
    ) async throws -> [Result<[UInt8], ProblemDocument>] {
        do {
            let keyIDs = wanted.keyIDs
            try licenses.limits.requireItems(keyIDs.count, from: playback.facts.address)
            // The authorizer gets the asset if there is only one. Only authorized clients learn whether the key exists.
            let single = keyIDs.count == 1 ? try await licenses.store.lookup(keyID: keyIDs[0]) : nil
            var playback = playback
            playback.assetID = single?.record.info.assetID
            let authorization = try await authorization(of: playback, for: wanted, authorize)
            var answers: [KeyAnswer] = []
            for keyID in keyIDs {
                let content = keyIDs.count == 1 ? single : try await licenses.store.lookup(keyID: keyID)
                var attempt = LicenseAttempt(
                    .keys(LicenseAttempt.KeysRequest(keyIDs: [keyID], client: wanted.client)),
                    playback.facts,
                    authorization: authorization
                )
                attempt.assetID = content?.record.info.assetID
                answers.append(try await answer(attempt, content, wanted.client))
            }
            try await licenses.recording.append(answers.map(\.record))
            // As for FairPlay, the duration ends when the result has been committed, not when it has been decided.
            for answer in answers { answer.count(by: licenses.recording) }
            return answers.map(\.result)
        } catch let problem as ProblemDocument {
            throw problem
        } catch {
            licenses.recording.count(.failed, playback.facts, client: wanted.client)
            throw error
        }
    }

    /// Returns the authorization, after the account and the address have been charged.
    private func authorization(
        of playback: PlaybackRequest,
        for wanted: LicenseAttempt.KeysRequest,
        _ authorize: (PlaybackRequest) async throws -> PlaybackAuthorization
    ) async throws -> PlaybackAuthorization {
        let facts = playback.facts
        let authorization = try await licenses.recording.authorization(of: facts, for: wanted.summary) {
            try await authorize(playback)
        }
        do throws(ProblemDocument) {
            try licenses.limits.require(
                .license,
                account: authorization.knownAccount,
                address: facts.address,
                count: wanted.keyIDs.count
            )
        } catch {
            let attempt = LicenseAttempt(.keys(wanted), facts, authorization: authorization)
            throw try await licenses.recording.failure(of: attempt, error)
        }
        return authorization
    }

    /// The decision about one key.
    private struct KeyAnswer {
        let attempt: LicenseAttempt
        let result: Result<[UInt8], ProblemDocument>
        /// The reason of a refusal; nil if the key is issued.
        let reason: String?
        /// The audit record to write.
        let record: AuditRecord

        /// Counts the result with its duration up to now.
        func count(by recording: LicenseRecording) {
            recording.count(reason == nil ? .issued : .refused, reason: reason, attempt)
            recording.finish(attempt)
        }
    }

    /// Decides about one key.
    ///
    /// - Throws: `KeyStoreError`.
    private func answer(
        _ attempt: LicenseAttempt,
        _ content: ContentLookup?,
        _ client: OtherClientKind
    ) async throws -> KeyAnswer {
        var attempt = attempt
        do {
            let key = try await key(of: content, for: &attempt, client)
            let record = attempt.auditRecord("issued")
            return KeyAnswer(attempt: attempt, result: .success(key), reason: nil, record: record)
        } catch {
            guard let refusal = LicenseRefusal(error) else { throw error }
            let record = attempt.auditRecord(refusal.outcome, detail: refusal.detail)
            return KeyAnswer(
                attempt: attempt,
                result: .failure(refusal.problem),
                reason: refusal.reason,
                record: record
            )
        }
    }

    /// Returns the key of content, if authorization and policy allow it.
    private func key(
        of content: ContentLookup?,
        for attempt: inout LicenseAttempt,
        _ client: OtherClientKind
    ) async throws -> [UInt8] {
        guard let content else { throw ProblemDocument(.unknownAsset) }
        let (facts, authorization) = (attempt.facts, attempt.authorization)
        try authorization.require(
            assetID: content.record.info.assetID,
            title: content.title?.name,
            deviceHash: nil
        )
        guard authorization.binding == nil else {
            throw ProblemDocument(
                .tokenDevice,
                detail: "The token can be used by one device only, and this client cannot prove its device.",
                reason: "once"
            )
        }
        let policy = try await licenses.decision.mergedPolicy(for: content, authorization)
        attempt.terms = LicenseTerms(content: content, policy: policy, rental: nil)
        try content.requireValid(at: facts.now, under: policy)
        let verdict = OtherClientRules.decide(
            policy,
            client,
            authorization,
            remoteAddress: facts.remoteAddress,
            origin: facts.origin,
            now: facts.now
        )
        if case .refuse(let refusal) = verdict { throw refusal }
        return content.record.contentKey.reveal()
    }

    /// Returns whether a problem concerns only this key, so that other keys may still be issued.
    private static func isAboutKey(_ problem: ProblemDocument) -> Bool {
        [.unknownAsset, .refusedByPolicy, .tokenAsset].contains(problem.type)
    }
}
