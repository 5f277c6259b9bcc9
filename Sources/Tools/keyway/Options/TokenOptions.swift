import ArgumentParser
import FileWriting
import Foundation
import JWTKit
import TextCoding

/// Which playback tokens requests carry.
struct TokenOptions: ParsableArguments {
    /// How tokens are signed.
    enum Algorithm: String, ExpressibleByArgument, CaseIterable {
        case none
        case es256
        case hs256
    }

    @Option(help: .init("Playback tokens: none, es256 or hs256.", valueName: "how"))
    var tokens = Algorithm.none

    @Option(
        help: .init(
            "For es256: the private key in PEM, made if the file is not there. Without it, a new key for each run.",
            valueName: "file"
        ),
        transform: OutputPath.parse
    )
    var tokenKey: String?

    @Option(help: .init("For hs256: a file with the secret, at least 32 bytes.", valueName: "@file"))
    var tokenSecret: String?

    @Option(
        help: .init("Write the key set that checks the tokens, for the server.", valueName: "file"),
        transform: OutputPath.parse
    )
    var writeJwks: String?

    @Option(help: .init("The tokens' issuer.", valueName: "text"))
    var tokenIssuer: String?

    @Option(help: .init("The tokens' audience.", valueName: "text"))
    var tokenAudience: String?

    func validate() throws {
        guard (tokens == .hs256) == (tokenSecret != nil) else {
            throw ValidationError("--tokens hs256 and --token-secret go together.")
        }
        guard tokenSecret?.hasPrefix("@") ?? true else {
            throw ValidationError("--token-secret takes @FILE: a command line can be seen by everybody.")
        }
        guard tokenKey == nil || tokens == .es256 else {
            throw ValidationError("--token-key goes with --tokens es256.")
        }
        guard writeJwks == nil || tokens != .none else { throw ValidationError("--write-jwks goes with --tokens.") }
    }

    /// What signs the tokens, and the key set on disk where it is wanted; nil for none.
    func signer() async throws -> PlaybackTokenSigner? {
        let signer: PlaybackTokenSigner
        switch tokens {
        case .none: return nil
        case .es256: signer = try await PlaybackTokenSigner(es256: try key())
        case .hs256:
            let secret = try InputFile.readLine(String((tokenSecret ?? "").dropFirst()))
            signer = try await PlaybackTokenSigner(hs256: secret)
        }
        if let writeJwks {
            try OutputFile.write(
                Array(signer.keySet.indented.utf8),
                to: writeJwks,
                access: signer.keySetIsSecret ? .owner : .everybody
            )
        }
        return signer
    }

    /// The claims of an account's next token, which is valid for `lifetime` seconds.
    func claims(account: String, lifetime: Int64) -> PlaybackClaims {
        var claims = PlaybackClaims(account: account, lifetime: lifetime)
        claims.iss = tokenIssuer
        claims.aud = tokenAudience
        return claims
    }

    private func key() throws -> ES256PrivateKey {
        guard let tokenKey else { return ES256PrivateKey() }
        guard FileManager.default.fileExists(atPath: tokenKey) else {
            let key = ES256PrivateKey()
            try OutputFile.write(Array(key.pemRepresentation.utf8), to: tokenKey, access: .owner, replacing: false)
            return key
        }
        guard let key = try? ES256PrivateKey(pem: try InputFile.readSecret(tokenKey)) else {
            throw CommandFailure.input("\(tokenKey) holds no private key on P-256", next: "remove it to have one made")
        }
        return key
    }
}
