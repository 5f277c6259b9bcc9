import FPSCrypto
import KeyServerModule
package import Logging

/// Creates authorizers from the configuration.
package enum AuthorizerFactory {
    /// Creates the authorizer for a configuration. With `--dev` and without a configured authorization, every request is
    /// allowed.
    ///
    /// - Parameter clock: Returns the time of a monotonic clock, in milliseconds.
    /// - Throws: ``AuthorizationConfigurationError`` if the configuration is not valid, or a file cannot be read.
    package static func make(
        _ configuration: ServerConfiguration.Authorization,
        isDevelopment: Bool,
        pool: BoundedWorkPool,
        logger: Logger,
        metrics: ServerMetrics? = nil,
        clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds
    ) throws(AuthorizationConfigurationError) -> any PlaybackAuthorizer {
        if configuration.none { return OpenAuthorizer() }
        if let webhook = configuration.webhook { return try authorizer(webhook, logger, metrics, clock) }
        if let tokens = try authorizer(configuration.tokens, pool, logger, clock) { return tokens }
        guard isDevelopment else {
            throw AuthorizationConfigurationError("authorization is missing: set tokens, webhook or none")
        }
        return DevelopmentAuthorizer()
    }

    private static func authorizer(
        _ issuers: [ServerConfiguration.TokenIssuer],
        _ pool: BoundedWorkPool,
        _ logger: Logger,
        _ clock: @escaping @Sendable () -> Int64
    ) throws(AuthorizationConfigurationError) -> (any PlaybackAuthorizer)? {
        guard !issuers.isEmpty else { return nil }
        let trusted = try issuers.map { issuer throws(AuthorizationConfigurationError) in try TokenIssuer(issuer) }
        return try JWTAuthorizer(issuers: trusted, pool: pool, logger: logger, clock: clock)
    }

    private static func authorizer(
        _ webhook: ServerConfiguration.Webhook,
        _ logger: Logger,
        _ metrics: ServerMetrics?,
        _ clock: @escaping @Sendable () -> Int64
    ) throws(AuthorizationConfigurationError) -> any PlaybackAuthorizer {
        try WebhookAuthorizer(
            WebhookConfiguration(webhook, secret: webhook.secret()),
            logger: logger,
            metrics: metrics,
            clock: clock
        )
    }
}

extension ServerConfiguration.KeyURLs {
    /// Returns the signer of key URLs; nil if there is no secret. Each line of the file is `ID SECRET`: first the
    /// secret that signs, then previous ones.
    ///
    /// - Throws: ``AuthorizationConfigurationError`` if the file cannot be read or parsed.
    package func signer() throws(AuthorizationConfigurationError) -> KeyURLSigner? {
        guard let secretFile else { return nil }
        let text = try AuthorizationConfigurationError.reading(secretFile)
        let secrets = try text.withUnsafeBytes { text throws(AuthorizationConfigurationError) in
            var secrets: [KeyURLSecret] = []
            for (index, line) in text.split(separator: 10).enumerated() {
                let parts = line.split(separator: 32)
                guard parts.count == 2,
                    let secret = KeyURLSecret(
                        id: String(decoding: parts[0], as: UTF8.self),
                        secret: SecretBytes(copying: parts[1])
                    )
                else {
                    throw AuthorizationConfigurationError(
                        "\(secretFile), line \(index + 1): expected an ID, a space and a secret of 32 to 1,024 bytes"
                    )
                }
                secrets.append(secret)
            }
            return secrets
        }
        guard let current = secrets.first,
            let signer = KeyURLSigner(current: current, former: Array(secrets.dropFirst()))
        else { throw AuthorizationConfigurationError("\(secretFile) contains no secret, or an ID more than once") }
        return signer
    }
}

extension AuthorizationConfigurationError {
    /// Reads a secret file, without the line break at its end.
    static func reading(_ file: String) throws(AuthorizationConfigurationError) -> SecretBytes {
        do throws(SecretFileError) {
            return try SecretFile.readText(file, limit: 16_384)
        } catch {
            throw AuthorizationConfigurationError(error.description)
        }
    }
}
