package import Logging

/// Authorizes requests by tokens that somebody trusted has signed: JWTs with HS256, ES256 or RS256.
///
/// A signature is verified where it is asked: with ES256 that takes less than a tenth of a millisecond, and handing it to
/// another thread and back half of that again. Only where several keys have to be tried they are tried on the given pool,
/// where they queue and shed with the other work that keeps a core busy.
package struct JWTAuthorizer: PlaybackAuthorizer {
    private struct Trust: Sendable {
        let issuer: TokenIssuer
        let keys: JWKSCache
        let verified = VerifiedTokens()
    }

    private let trusted: [String: Trust]
    private let pool: BoundedWorkPool?
    /// With more keys to try than these the pool tries them.
    var keysTriedInPlace = 1
    private let logger: Logger

    /// Makes an authorizer.
    ///
    /// - Parameters:
    ///   - issuers: Whom to believe; at least one, each name once.
    ///   - pool: The threads that several keys are tried on; nil tries them where it is asked, for tests and tools.
    ///   - staleness: How long an issuer's keys are used after their source last answered.
    ///   - timeout: The time that a source's whole answer may take.
    ///   - http: What fetches key sets.
    ///   - clock: Milliseconds for the age of key sets. What time it is for tokens comes with each request.
    /// - Throws: ``AuthorizationConfigurationError``.
    package init(
        issuers: [TokenIssuer],
        pool: BoundedWorkPool?,
        staleness: Duration = .seconds(86_400),
        timeout: Duration = JWKSCache.timeout,
        http: OutgoingHTTP = .shared,
        logger: Logger,
        clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds
    ) throws(AuthorizationConfigurationError) {
        guard !issuers.isEmpty else { throw AuthorizationConfigurationError("there is no issuer") }
        var trusted: [String: Trust] = [:]
        for issuer in issuers {
            try issuer.validate()
            guard trusted[issuer.issuer] == nil else {
                throw AuthorizationConfigurationError("issuer \(issuer.issuer) stands there twice")
            }
            let keys = JWKSCache(
                source: issuer.keys,
                staleness: staleness,
                timeout: timeout,
                http: http,
                logger: logger,
                clock: clock
            )
            trusted[issuer.issuer] = Trust(issuer: issuer, keys: keys)
        }
        self.trusted = trusted
        self.pool = pool
        self.logger = logger
    }

    /// Fetches all keys: for the start, and to tell whether the server is ready.
    ///
    /// - Returns: The issuers whose keys cannot be had.
    package func warmUp() async -> [String] {
        await withTaskGroup(of: String?.self) { tasks in
            for (name, trust) in trusted {
                tasks.addTask {
                    do throws(JWKSCache.Unavailable) { try await trust.keys.warmUp() } catch { return name }
                    return nil
                }
            }
            return await tasks.reduce(into: []) { names, name in if let name { names.append(name) } }.sorted()
        }
    }

    /// How old the issuers' keys are.
    package var condition: AuthorizerCondition {
        var condition = AuthorizerCondition()
        condition.keyAges = trusted.compactMapValues { $0.keys.age }
        return condition
    }

    /// Reads, verifies and holds the token against the request, in the order that docs/authorization.md gives.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        guard let text = request.token, !text.isEmpty else { throw ProblemDocument(.tokenMissing) }
        let token = try CompactToken(text)
        guard let trust = trusted[try TokenClaims.issuer(of: token)] else { throw ProblemDocument(.tokenIssuer) }
        guard trust.issuer.algorithms.contains(token.algorithm) else {
            throw ProblemDocument(
                .tokenAlgorithm,
                detail: "The issuer does not sign with \(token.algorithm.rawValue).",
                auditDetail: "issuer \(trust.issuer.issuer)"
            )
        }
        let keys: VerificationKeySet
        do throws(JWKSCache.Unavailable) {
            keys = try await trust.keys.keys(knowing: token.keyID)
        } catch {
            throw ProblemDocument(.unavailable, retryAfter: 5, auditDetail: "no keys of issuer \(trust.issuer.issuer)")
        }
        let candidates = try keys.candidates(for: token)
        // HMAC costs no more than the hash that it would be remembered by.
        let hash = token.algorithm == .hs256 ? nil : VerifiedTokens.hash(token)
        if hash.map({ trust.verified.contains($0, keys: keys.identity) }) != true {
            guard try await verifies(token, candidates) else { throw ProblemDocument(.tokenSignature) }
            if let hash { trust.verified.insert(hash, keys: keys.identity) }
        }
        return try TokenClaims(token, issuer: trust.issuer).authorization(for: request)
    }

    private func verifies(_ token: CompactToken, _ keys: [VerificationKey]) async throws(ProblemDocument) -> Bool {
        let (signature, message) = (token.signature, token.signedPart)
        let verify: @Sendable () -> Bool = { keys.contains { $0.verifies(signature, over: message) } }
        guard let pool, token.algorithm != .hs256, keys.count > keysTriedInPlace else { return verify() }
        do throws(WorkPoolError) {
            return try await pool.run(verify)
        } catch {
            throw error.problem
        }
    }
}
