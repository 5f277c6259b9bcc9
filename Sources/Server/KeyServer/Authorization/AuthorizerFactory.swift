import FPSCrypto
import KeyServerModule
package import Logging

/// From configuration to what decides who may ask.
package enum AuthorizerFactory {
    /// Makes the authorizer that the configuration asks for. With `--dev` whoever sends no token is let in as well.
    ///
    /// - Throws: ``AuthorizationConfigurationError`` when it contradicts itself, or a file cannot be read.
    package static func make(
        _ configuration: ServerConfiguration.Authorization,
        isDevelopment: Bool,
        pool: BoundedWorkPool,
        logger: Logger,
        metrics: ServerMetrics? = nil
    ) throws(AuthorizationConfigurationError) -> any PlaybackAuthorizer {
        if configuration.none { return OpenAuthorizer() }
        if let webhook = configuration.webhook { return try authorizer(webhook, logger, metrics) }
        let tokens = try authorizer(configuration.tokens, pool, logger)
        if isDevelopment { return DevelopmentAuthorizer(tokens: tokens) }
        guard let tokens else {
            throw AuthorizationConfigurationError("nothing says who may ask: give tokens, a webhook or none")
        }
        return tokens
    }

    private static func authorizer(
        _ issuers: [ServerConfiguration.TokenIssuer],
        _ pool: BoundedWorkPool,
        _ logger: Logger
    ) throws(AuthorizationConfigurationError) -> (any PlaybackAuthorizer)? {
        guard !issuers.isEmpty else { return nil }
        let trusted = try issuers.map { issuer throws(AuthorizationConfigurationError) in try TokenIssuer(issuer) }
        return try JWTAuthorizer(issuers: trusted, pool: pool, logger: logger)
    }

    private static func authorizer(
        _ webhook: ServerConfiguration.Webhook,
        _ logger: Logger,
        _ metrics: ServerMetrics?
    ) throws(AuthorizationConfigurationError) -> any PlaybackAuthorizer {
        try WebhookAuthorizer(WebhookConfiguration(webhook, secret: webhook.secret()), logger: logger, metrics: metrics)
    }
}

extension ServerConfiguration.KeyURLs {
    /// What signs and checks the URLs of keys; nil where there is no secret. The file's lines are `ID SECRET`, the one that
    /// signs first and former ones after it.
    ///
    /// - Throws: ``AuthorizationConfigurationError`` when the file cannot be read, or has no such lines.
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
                        "\(secretFile), line \(index + 1): an ID, a space and a secret of 32 to 1,024 bytes were expected"
                    )
                }
                secrets.append(secret)
            }
            return secrets
        }
        guard let current = secrets.first,
            let signer = KeyURLSigner(current: current, former: Array(secrets.dropFirst()))
        else { throw AuthorizationConfigurationError("\(secretFile) has no secret, or an ID twice") }
        return signer
    }
}

extension AuthorizationConfigurationError {
    /// The text of a file with a secret, without the line break at its end.
    static func reading(_ file: String) throws(AuthorizationConfigurationError) -> SecretBytes {
        do throws(SecretFileError) {
            return try SecretFile.readText(file, limit: 16_384)
        } catch {
            throw AuthorizationConfigurationError(error.description)
        }
    }
}
