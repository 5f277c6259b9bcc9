import FPSCrypto
import KeyServerModule

// From what the configuration says of authorisation to what decides. The check of a configuration and the start of a server
// both come here, so that the one cannot pass what the other refuses.

extension TokenIssuer {
    /// Takes an issuer from the configuration.
    ///
    /// - Throws: ``AuthorizationConfigurationError``.
    init(_ setting: ServerConfiguration.TokenIssuer) throws(AuthorizationConfigurationError) {
        guard let audience = setting.audience else {
            throw AuthorizationConfigurationError(
                "issuer \(setting.issuer) has no audience: tokens made for other services would be taken too"
            )
        }
        self.init(
            issuer: setting.issuer,
            audience: audience,
            keys: try setting.keySource(),
            algorithms: Set(setting.algorithms.compactMap { TokenAlgorithm(rawValue: $0.rawValue) }),
            clockSkew: Int64(setting.clockSkew.rawValue),
            mayLoosen: setting.mayLoosen
        )
        try validate()
    }
}

extension ServerConfiguration.TokenIssuer {
    /// Where its keys are: in a file, if it is a path, otherwise at a URL.
    func keySource() throws(AuthorizationConfigurationError) -> JWKSSource {
        jwks.contains("://") && !jwks.hasPrefix("/") ? .url(try OutgoingURL(jwks)) : .file(path: jwks)
    }
}

extension WebhookConfiguration {
    /// Takes a webhook from the configuration.
    ///
    /// - Parameter secret: what stands in its file; nil leaves that out.
    /// - Throws: ``AuthorizationConfigurationError``.
    init(
        _ setting: ServerConfiguration.Webhook,
        secret: SecretBytes?
    ) throws(AuthorizationConfigurationError) {
        self.init(
            url: try OutgoingURL(setting.url),
            secret: secret,
            mayLoosen: setting.mayLoosen,
            asksWithoutToken: setting.asksWithoutToken
        )
        timeout = .seconds(Int64(setting.timeout.rawValue))
        budget = max(budget, timeout)
        retries = setting.retries
        try validate()
    }
}

extension ServerConfiguration.Webhook {
    /// What stands in its secret's file; nil where none is named.
    func secret() throws(AuthorizationConfigurationError) -> SecretBytes? {
        guard let secretFile else { return nil }
        return SecretBytes(copying: try SecretFile.bytes(secretFile))
    }
}
