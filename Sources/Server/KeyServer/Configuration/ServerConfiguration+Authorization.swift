import FPSCrypto
import KeyServerModule

// Conversions from the configuration to the types that authorize requests. Both the check of a configuration and the
// server's start use them, so that they accept the same configurations.

extension TokenIssuer {
    /// Creates an issuer from the configuration.
    ///
    /// - Throws: ``AuthorizationConfigurationError``.
    init(_ setting: ServerConfiguration.TokenIssuer) throws(AuthorizationConfigurationError) {
        guard let audience = setting.audience else {
            throw AuthorizationConfigurationError(
                "issuer \(setting.issuer) has no audience, so tokens for other services would be accepted too"
            )
        }
        try setting.checkSecretFile()
        self.init(
            issuer: setting.issuer,
            audience: audience,
            keys: try setting.keySource(),
            algorithms: Set(setting.algorithms.compactMap { TokenAlgorithm(rawValue: $0.rawValue) }),
            clockSkew: Int64(setting.clockSkew.rawValue),
            allowPolicyOverride: setting.allowPolicyOverride
        )
        try validate()
    }
}

extension ServerConfiguration.TokenIssuer {
    /// Returns the source of the issuer's keys: a file if `jwks` is a path, otherwise a URL.
    func keySource() throws(AuthorizationConfigurationError) -> JWKSSource {
        isFile ? .file(path: jwks, isSecret: algorithms.contains(.hs256)) : .url(try OutgoingURL(jwks))
    }

    private var isFile: Bool { jwks.hasPrefix("/") || !jwks.contains("://") }

    /// Checks the file of a key set with secrets. A missing file is not an error: the server waits for it, as for other
    /// key sets.
    fileprivate func checkSecretFile() throws(AuthorizationConfigurationError) {
        guard isFile, algorithms.contains(.hs256) else { return }
        do throws(SecretFileError) {
            _ = try SecretFile.readIfPresent(jwks, limit: VerificationKeySet.maximumSize)
        } catch {
            throw AuthorizationConfigurationError(error.description)
        }
    }
}

extension WebhookConfiguration {
    /// Creates a webhook from the configuration.
    ///
    /// - Parameter secret: The contents of the secret file; nil omits the secret.
    /// - Throws: ``AuthorizationConfigurationError``.
    init(
        _ setting: ServerConfiguration.Webhook,
        secret: SecretBytes?
    ) throws(AuthorizationConfigurationError) {
        self.init(
            url: try OutgoingURL(setting.url),
            secret: secret,
            allowPolicyOverride: setting.allowPolicyOverride,
            allowMissingToken: setting.allowMissingToken
        )
        timeout = .seconds(Int64(setting.timeout.rawValue))
        budget = max(budget, timeout)
        retries = setting.retries
        try validate()
    }
}

extension ServerConfiguration.Webhook {
    /// Reads the secret file; returns nil if none is configured.
    func secret() throws(AuthorizationConfigurationError) -> SecretBytes? {
        guard let secretFile else { return nil }
        return try AuthorizationConfigurationError.reading(secretFile)
    }
}
