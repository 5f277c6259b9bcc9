import ArgumentParser
import FileWriting
import Foundation
import JWTKit
import TextCoding
import ToolSupport

/// The options for the playback tokens of requests.
struct TokenOptions: ParsableArguments {
    /// The kind of tokens: none, development tokens, or the signature algorithm.
    enum Algorithm: String, ExpressibleByArgument, CaseIterable {
        case none
        /// `dev:ACCOUNT`, which a server accepts with `serve --dev`.
        case dev
        case es256
        case hs256
    }

    @Option(
        name: .customLong("token-algorithm"),
        help: .init(
            "The signature algorithm of playback tokens: es256 or hs256; dev for dev:ACCOUNT, which "
                + "keyway-server serve --dev accepts; none for requests without a token. keyway token "
                + "requires es256 or hs256. (default: dev)",
            valueName: "algorithm"
        )
    )
    var givenTokens: Algorithm?

    /// The kind of tokens.
    var tokens: Algorithm { givenTokens ?? .dev }

    /// True if tokens are signed.
    var areSigned: Bool { tokens == .es256 || tokens == .hs256 }

    @Option(
        help: .init(
            "The private key (P-256) for es256, in PEM; created if the file does not exist. (default: "
                + "a new key for each run)",
            valueName: "file"
        )
    )
    var tokenKey: OutputPath?

    @Option(
        help: .init(
            "The secret for hs256: @ and the path of a file, because command lines are visible to "
                + "other users. The content of the file, without a trailing newline, is used as raw bytes, "
                + "not decoded from hexadecimal; at least 32 bytes. Required for hs256.",
            valueName: "@file"
        )
    )
    var tokenSecret: SecretArgument?

    @Option(
        help: .init(
            "A file for the key set (JWKS) that the server verifies the tokens with. (default: none)",
            valueName: "file"
        )
    )
    var writeJwks: OutputPath?

    @Option(help: .init("The issuer (iss) of the tokens. (default: no iss claim)", valueName: "text"))
    var tokenIssuer: String?

    @Option(help: .init("The audience (aud) of the tokens. (default: no aud claim)", valueName: "text"))
    var tokenAudience: String?

    func validate() throws {
        guard (tokens == .hs256) == (tokenSecret != nil) else {
            throw ValidationError(
                "--token-algorithm hs256 and --token-secret require each other: give both, or neither."
            )
        }
        guard tokenSecret?.isFile ?? true else {
            throw ValidationError("--token-secret: expected @FILE, because command lines are visible to other users.")
        }
        guard tokenKey == nil || tokens == .es256 else {
            throw ValidationError("--token-key requires --token-algorithm es256.")
        }
        guard writeJwks == nil || areSigned else {
            throw ValidationError("--write-jwks requires --token-algorithm es256 or --token-algorithm hs256.")
        }
    }

    /// Returns the signer of the tokens, or nil if they are not signed; writes the key set if the option is given.
    func signer() async throws -> PlaybackTokenSigner? {
        let signer: PlaybackTokenSigner
        switch tokens {
        case .none, .dev: return nil
        case .es256: signer = try await PlaybackTokenSigner(es256: try key())
        case .hs256:
            signer = try await PlaybackTokenSigner(hs256: try tokenSecret?.bytes() ?? [])
        }
        if let writeJwks {
            try OutputFile.write(
                Array(signer.keySet.indented.utf8),
                to: writeJwks.path,
                access: signer.keySetIsSecret ? .owner : .allUsers
            )
        }
        return signer
    }

    /// Returns the claims of the next token of an account, which is valid for `lifetime` seconds.
    func claims(account: String, lifetime: Int64) -> PlaybackClaims {
        var claims = PlaybackClaims(account: account, lifetime: lifetime)
        claims.iss = tokenIssuer
        claims.aud = tokenAudience
        return claims
    }

    private func key() throws -> ES256PrivateKey {
        guard let tokenKey = tokenKey?.path else { return ES256PrivateKey() }
        guard FileManager.default.fileExists(atPath: tokenKey) else {
            let key = ES256PrivateKey()
            try OutputFile.write(Array(key.pemRepresentation.utf8), to: tokenKey, access: .owner, replacing: false)
            return key
        }
        guard let key = try? ES256PrivateKey(pem: try InputFile.readSecret(tokenKey)) else {
            throw CommandFailure.input(
                "\(tokenKey) is not a P-256 private key",
                next: "delete the file to have a new key created"
            )
        }
        return key
    }
}
