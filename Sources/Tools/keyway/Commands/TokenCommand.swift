import ArgumentParser
import Foundation

/// `keyway token`: one playback token, for tests and for trying a server out.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a playback token, for tests.",
        discussion: """
            In production, the service that knows who has paid makes tokens. This makes one as that service would, and \
            with --write-jwks the key set by which the server checks it:

              keyway token --tokens es256 --token-key token.pem --write-jwks jwks.json --account anna
            """
    )

    @OptionGroup var tokens: TokenOptions

    @Option(help: .init("Whose token it is; 1 to 200 bytes.", valueName: "name"))
    var account: String

    @Option(help: .init("How long it is valid, in seconds; negative: it has expired.", valueName: "seconds"))
    var lifetime: Int64 = 600

    @Option(help: .init("The assets that it is for, with commas; all without it.", valueName: "ids"))
    var assets: String?

    @Option(help: .init("The title that it is for.", valueName: "name"))
    var title: String?

    @Option(help: .init("A policy to merge with the content's.", valueName: "name"))
    var policy: String?

    @Option(help: .init("The only device that may use it, as the audit log shows it.", valueName: "hex"))
    var device: String?

    @Option(help: .init("Whether a key to keep may be given: true or false.", valueName: "flag"))
    var persist: Bool?

    @Flag(help: "The token belongs to the first device and session that use it.")
    var once = false

    func validate() throws {
        guard tokens.tokens != .none else { throw ValidationError("Give --tokens es256 or --tokens hs256.") }
        guard (1...200).contains(account.utf8.count) else { throw ValidationError("--account has 1 to 200 bytes.") }
        guard tokens.tokenKey != nil || tokens.tokenSecret != nil || tokens.writeJwks != nil else {
            throw ValidationError("Nobody could check the token: give --token-key or --write-jwks.")
        }
    }

    func run() async throws {
        guard let signer = try await tokens.signer() else { throw CommandFailure.usage("there is no --tokens") }
        var claims = tokens.claims(account: account, lifetime: lifetime)
        claims.assets = assets?.split(separator: ",").map(String.init)
        claims.title = title
        claims.policy = policy
        claims.device = device
        claims.persist = persist
        claims.once = once ? true : nil
        try Terminal.write(try await signer.token(claims) + "\n")
    }
}
