import FPSCrypto
import Glibc
import KeyServerModule
public import Logging

/// From configuration to what decides who may ask.
public enum AuthorizerFactory {
    /// Makes the authorizer that the configuration asks for. With `--dev` whoever sends no token is let in as well.
    ///
    /// - Throws: ``AuthorizationConfigurationError`` when it contradicts itself, or a file cannot be read.
    public static func make(
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
    public func signer() throws(AuthorizationConfigurationError) -> KeyURLSigner? {
        guard let secretFile else { return nil }
        let lines = try SecretFile.bytes(secretFile).split(separator: 10)
        var secrets: [KeyURLSecret] = []
        for (index, line) in lines.enumerated() {
            let parts = line.split(separator: 32)
            guard parts.count == 2,
                let secret = KeyURLSecret(
                    id: String(decoding: parts[0], as: UTF8.self),
                    secret: SecretBytes(copying: Array(parts[1]))
                )
            else {
                throw AuthorizationConfigurationError(
                    "\(secretFile), line \(index + 1): an ID, a space and a secret of 32 to 1,024 bytes were expected"
                )
            }
            secrets.append(secret)
        }
        guard let current = secrets.first,
            let signer = KeyURLSigner(current: current, former: Array(secrets.dropFirst()))
        else { throw AuthorizationConfigurationError("\(secretFile) has no secret, or an ID twice") }
        return signer
    }
}

/// Secrets in files.
enum SecretFile {
    private static let maximumSize = 16_384

    /// What stands in a file, without the line break at its end.
    static func bytes(_ file: String) throws(AuthorizationConfigurationError) -> [UInt8] {
        guard let stream = fopen(file, "re") else {
            throw AuthorizationConfigurationError("\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: maximumSize + 1)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, stream))
        while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
        guard bytes.count <= maximumSize else {
            throw AuthorizationConfigurationError("\(file) is longer than \(maximumSize) bytes")
        }
        return bytes
    }
}
