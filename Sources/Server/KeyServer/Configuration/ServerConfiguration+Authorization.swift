import FPSCrypto
import KeyServerModule

// From what the configuration says of authorization to what decides. The check of a configuration and the start of a server
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
        try setting.checkSecretFile()
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
        isFile ? .file(path: jwks, isSecret: algorithms.contains(.hs256)) : .url(try OutgoingURL(jwks))
    }

    private var isFile: Bool { jwks.hasPrefix("/") || !jwks.contains("://") }

    /// Checks the file of a key set with secrets. One that is not there yet is waited for, as other key sets are.
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
        return try AuthorizationConfigurationError.reading(secretFile)
    }
}
