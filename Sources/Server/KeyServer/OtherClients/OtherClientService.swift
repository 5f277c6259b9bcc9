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
    /// The properties of a request.
    package struct Caller: Sendable {
        /// The token, from `Authorization: Bearer`.
        package var token: String?
        /// The client's address.
        package var address: ClientAddress?
        /// The request's `Origin` header.
        package var origin: String?
        /// The request ID of the response.
        package var requestID: String
        /// The trace that the request belongs to.
        package var trace: TraceContext?

        /// Creates the properties of a request.
        package init(token: String?, address: ClientAddress?, origin: String?, requestID: String) {
            self.token = token
            self.address = address
            self.origin = origin
            self.requestID = requestID
        }
    }

    /// The context of a request.
    private struct Context {
        let keyIDs: [[UInt8]]
        let kind: OtherClientKind
        let route: String
        let caller: Caller
        /// The time at which the request arrived, in milliseconds since 1970.
        let milliseconds: Int64
        /// A stopwatch that was started at the same time.
        let stopwatch: Stopwatch

        /// Returns the kind of client and the key IDs, for the audit log.
        func about(_ keyIDs: some Sequence<[UInt8]>) -> String {
            "\(kind.rawValue), key ID " + keyIDs.map { Hexadecimal.encode($0) }.joined(separator: ", ")
        }
    }

    /// The result for one key, for the audit log.
    private struct KeyResult {
        var outcome = "issued"
        var detail: String?
        var assetID: [UInt8]?
        var policyName: String?

        mutating func refused(_ problem: ProblemDocument) {
            // A refusal by the policy has already set its code and description.
            guard outcome == "issued" else { return }
            (outcome, detail) = (problem.outcome, problem.auditDetail ?? problem.detail)
        }
    }

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

    /// Returns a Clear Key license. It omits unknown keys, and keys that this client may not have.
    ///
    /// - Throws: ``ProblemDocument`` if there are no keys (with the first refusal), or if the request is not
    ///   authorized; `KeyStoreError`.
    func clearKeyLicense(_ request: ClearKeyRequest, _ caller: Caller) async throws -> JSONValue {
        let found = try await keys(request.keyIDs, .clearKey, "/clearkey", caller) { request in
            try await authorizer.authorize(request)
        }
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
    func key(_ keyID: [UInt8], _ caller: Caller, query: @Sendable (String) -> [String]) async throws -> [UInt8] {
        let found = try await keys([keyID], .aes128, "/keys/{kid}", caller) { request in
            guard !query("sig").isEmpty else { return try await authorizer.authorize(request) }
            guard let signer else { throw ProblemDocument(.keyURLSignature) }
            let grant = try signer.verify(
                keyID: keyID,
                remoteAddress: caller.address?.description,
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
        _ keyIDs: [[UInt8]],
        _ kind: OtherClientKind,
        _ route: String,
        _ caller: Caller,
        authorize: (PlaybackRequest) async throws -> PlaybackAuthorization
    ) async throws -> [Result<[UInt8], ProblemDocument>] {
        let context = Context(
            keyIDs: keyIDs,
            kind: kind,
            route: route,
            caller: caller,
            milliseconds: licenses.clock(),
            stopwatch: Stopwatch(licenses.monotonicClock)
        )
        do {
            try licenses.requireItems(keyIDs.count, from: caller.address)
            // The authorizer gets the asset if there is only one. Only authorized clients learn whether the key exists.
            let single = keyIDs.count == 1 ? try await licenses.store.lookup(keyID: keyIDs[0]) : nil
            let authorization = try await authorization(for: context, asset: single?.record.info.assetID, authorize)
            var results: [Result<[UInt8], ProblemDocument>] = []
            var records: [AuditRecord] = []
            for keyID in keyIDs {
                let content = keyIDs.count == 1 ? single : try await licenses.store.lookup(keyID: keyID)
                var keyResult = KeyResult(assetID: content?.record.info.assetID)
                let result = try await decide(content, context, authorization, &keyResult)
                if case .failure(let problem) = result { keyResult.refused(problem) }
                results.append(result)
                records.append(record(context, authorization, about: [keyID], keyResult))
            }
            try await append(records)
            return results
        } catch let problem as ProblemDocument {
            throw problem
        } catch {
            count(.failed, context, KeyResult())
            throw error
        }
    }

    /// Returns the authorization, after the account and the address have been charged.
    private func authorization(
        for context: Context,
        asset: [UInt8]?,
        _ authorize: (PlaybackRequest) async throws -> PlaybackAuthorization
    ) async throws -> PlaybackAuthorization {
        let caller = context.caller
        var request = PlaybackRequest(
            token: caller.token,
            assetID: asset,
            address: caller.address,
            requestID: caller.requestID,
            now: context.milliseconds / 1000
        )
        request.trace = caller.trace
        let about = context.about(context.keyIDs)
        let authorization = try await licenses.recordingRefusal(of: request, route: context.route, about: about) {
            try await authorize(request)
        }
        do throws(ProblemDocument) {
            try licenses.requireRate(
                of: .license,
                account: authorization.isAnonymous ? nil : authorization.account,
                address: caller.address,
                count: context.keyIDs.count
            )
        } catch {
            count(.refused, reason: error.outcome, context, KeyResult(), authorization)
            if licenses.chargeRefusalBudget(for: caller.address) == .recorded {
                var keyResult = KeyResult()
                keyResult.refused(error)
                try await licenses.store.append(record(context, authorization, about: context.keyIDs, keyResult))
            }
            throw error
        }
        return authorization
    }

    /// Decides about one key.
    ///
    /// - Throws: `KeyStoreError`.
    private func decide(
        _ content: ContentLookup?,
        _ context: Context,
        _ authorization: PlaybackAuthorization,
        _ keyResult: inout KeyResult
    ) async throws -> Result<[UInt8], ProblemDocument> {
        do {
            guard let content else { throw ProblemDocument(.unknownAsset) }
            let now = context.milliseconds / 1000
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
            let policy = try await licenses.mergedPolicy(for: content, authorization)
            keyResult.policyName = policy.name
            try content.requireValid(at: now, under: policy)
            let verdict = OtherClientRules.decide(
                policy,
                context.kind,
                authorization,
                remoteAddress: context.caller.address?.description,
                origin: context.caller.origin,
                now: now
            )
            if case .refuse(let refusal) = verdict { throw refusal }
            count(.issued, context, keyResult, authorization)
            return .success(content.record.contentKey.reveal())
        } catch let refusal as KSMError {
            let problem = ProblemDocument(refusal)
            count(.refused, reason: problem.reason ?? problem.type.name, context, keyResult, authorization)
            (keyResult.outcome, keyResult.detail) = (refusal.code.rawValue, refusal.description)
            return .failure(problem)
        } catch let problem as ProblemDocument {
            count(.refused, reason: problem.outcome, context, keyResult, authorization)
            return .failure(problem)
        }
    }

    /// Counts the result for one key.
    private func count(
        _ outcome: ServerMetrics.Outcome,
        reason: String? = nil,
        _ context: Context,
        _ keyResult: KeyResult,
        _ authorization: PlaybackAuthorization? = nil
    ) {
        licenses.count(
            ActivityEvent(
                milliseconds: licenses.clock(),
                route: context.route,
                outcome: outcome,
                reason: reason,
                microseconds: Int(context.stopwatch.microseconds),
                client: ActivityEvent.Client(kind: context.kind.rawValue, system: nil, level: nil),
                account: authorization.flatMap { $0.isAnonymous ? nil : $0.account },
                assetID: keyResult.assetID,
                policyName: keyResult.policyName
            )
        )
    }

    private func record(
        _ context: Context,
        _ authorization: PlaybackAuthorization,
        about keyIDs: [[UInt8]],
        _ keyResult: KeyResult
    ) -> AuditRecord {
        var record = AuditRecord(
            milliseconds: context.milliseconds,
            route: context.route,
            outcome: keyResult.outcome,
            microseconds: context.stopwatch.microseconds
        )
        record.detail = context.about(keyIDs) + (keyResult.detail.map { "; \($0)" } ?? "")
        record.assetID = keyResult.assetID
        record.policyName = keyResult.policyName
        record.account = authorization.isAnonymous ? nil : authorization.account
        record.remoteAddress = context.caller.address?.description
        record.requestID = context.caller.requestID
        return record
    }

    /// Writes records concurrently, so that the records of one request share a commit.
    private func append(_ records: [AuditRecord]) async throws {
        guard records.count > 1 else {
            if let record = records.first { try await licenses.store.append(record) }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for record in records { tasks.addTask { try await licenses.store.append(record) } }
            try await tasks.waitForAll()
        }
    }

    /// Returns whether a problem concerns only this key, so that other keys may still be issued.
    private static func isAboutKey(_ problem: ProblemDocument) -> Bool {
        [.unknownAsset, .refusedByPolicy, .tokenAsset].contains(problem.type)
    }
}
