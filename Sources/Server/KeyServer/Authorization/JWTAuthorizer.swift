package import Logging

/// Authorizes requests by tokens from trusted issuers: JWTs with HS256, ES256 or RS256.
///
/// A signature is normally verified on the current thread: with ES256 this takes less than 0.1 ms, and two thread
/// switches would add half of that. Only if several keys have to be tried, they are tried on the given pool, where they
/// are queued and shed like other CPU-bound work.
package struct JWTAuthorizer: PlaybackAuthorizer {
    private struct TrustedIssuer: Sendable {
        let issuer: TokenIssuer
        let keys: JWKSCache
        let verified = VerifiedTokens()
    }

    private let trusted: [String: TrustedIssuer]
    private let pool: BoundedWorkPool?
    /// The maximum number of keys to try on the current thread.
    var keysTriedInPlace = 1
    private let logger: Logger

    /// Creates an authorizer.
    ///
    /// - Parameters:
    ///   - issuers: The trusted issuers; at least one, with unique names.
    ///   - pool: The threads on which several keys are tried; nil means the current thread, for tests and tools.
    ///   - staleness: The time for which an issuer's keys are used after their source last responded.
    ///   - timeout: The timeout of a whole request to a source.
    ///   - http: The client that fetches key sets.
    ///   - clock: Returns the time in milliseconds, for the age of key sets. The time for tokens is in each request.
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
        guard !issuers.isEmpty else { throw AuthorizationConfigurationError("there are no issuers") }
        var trusted: [String: TrustedIssuer] = [:]
        for issuer in issuers {
            try issuer.validate()
            guard trusted[issuer.issuer] == nil else {
                throw AuthorizationConfigurationError("issuer \(issuer.issuer) is listed more than once")
            }
            let keys = JWKSCache(
                source: issuer.keys,
                staleness: staleness,
                timeout: timeout,
                http: http,
                logger: logger,
                clock: clock
            )
            trusted[issuer.issuer] = TrustedIssuer(issuer: issuer, keys: keys)
        }
        self.trusted = trusted
        self.pool = pool
        self.logger = logger
    }

    /// Fetches all keys: used at startup and for readiness.
    ///
    /// - Returns: The issuers whose keys could not be fetched.
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

    /// The age of each issuer's keys.
    package var condition: AuthorizerCondition {
        var condition = AuthorizerCondition()
        condition.keyAges = trusted.compactMapValues { $0.keys.age }
        return condition
    }

    /// Parses and verifies the token and checks it for the request, in the order described in docs/authorization.md.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        guard let text = request.token, !text.isEmpty else { throw ProblemDocument(.tokenMissing) }
        let token = try CompactToken(text)
        guard let trust = trusted[try TokenClaims.issuer(of: token)] else { throw ProblemDocument(.tokenIssuer) }
        guard trust.issuer.algorithms.contains(token.algorithm) else {
            throw ProblemDocument(
                .tokenAlgorithm,
                detail: "The issuer does not use \(token.algorithm.rawValue).",
                auditDetail: "issuer \(trust.issuer.issuer)"
            )
        }
        let keys: VerificationKeySet
        do throws(JWKSCache.Unavailable) {
            keys = try await trust.keys.keys(including: token.keyID)
        } catch {
            throw ProblemDocument(.unavailable, retryAfter: 5, auditDetail: "no keys of issuer \(trust.issuer.issuer)")
        }
        let candidates = try keys.candidates(for: token)
        // HMAC costs as much as the hash for the cache, so HS256 tokens are not cached.
        let hash = token.algorithm == .hs256 ? nil : VerifiedTokens.hash(token)
        if hash.map({ trust.verified.contains($0, keys: keys.identity) }) != true {
            guard try await verifies(token, candidates) else { throw ProblemDocument(.tokenSignature) }
            if let hash { trust.verified.insert(hash, keys: keys.identity) }
        }
        do throws(ProblemDocument) {
            return try TokenClaims(token, issuer: trust.issuer).authorization(for: request)
        } catch {
            // The issuer has signed the account, so the audit log can contain it.
            var problem = error
            problem.auditAccount = TokenClaims.account(of: token)
            throw problem
        }
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
