import ArgumentParser
import Foundation
import TextCoding
import ToolSupport

/// `keyway token`: creates one playback token, for tests and for trying out a server.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create a playback token, for tests.",
        discussion: """
            In production, the streaming service's own backend creates tokens. This command creates one in the same \
            way, prints it, and writes the key set that the server verifies it with to --write-jwks:

              keyway token --token-algorithm es256 --token-key token.pem \\
                  --write-jwks jwks.json --account anna

            --token-algorithm es256 or --token-algorithm hs256 is required. es256 also requires --token-key or \
            --write-jwks, because a server could not verify the token otherwise; hs256 requires --token-secret.
            """
    )

    @OptionGroup var tokens: TokenOptions

    @Option(help: .init("The account of the token; 1 to 200 bytes.", valueName: "account"))
    var account: AccountArgument

    @Option(
        help: .init(
            "The lifetime of the token, such as 90s, 10m, 2h, or PT10M; with a hyphen before it, the "
                + "token has already expired: --lifetime=-1m.",
            valueName: "duration"
        )
    )
    var lifetime = LifetimeArgument.tenMinutes

    @Option(
        help: .init("The assets that the token is valid for, separated by commas. (default: all)", valueName: "list")
    )
    var assets: CommaList<String>?

    @Option(help: .init("The title that the token is valid for. (default: all)", valueName: "name"))
    var title: String?

    @Option(
        help: .init(
            "The name of a policy on the server, to merge with the policies of the content. (default: "
                + "none)",
            valueName: "name"
        )
    )
    var policy: String?

    @Option(
        help: .init(
            "The only device that may use the token, as the audit log shows it: 16 bytes. (default: any device)",
            valueName: "hex"
        )
    )
    var device: HexArgument?

    @Option(
        help: .init(
            "Whether a persistent key may be issued: true or false. (default: the policy decides)",
            valueName: "true|false"
        )
    )
    var persist: Bool?

    @Flag(help: "Bind the token to the first device and session that use it.")
    var once = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard tokens.areSigned else {
            throw ValidationError(
                "No signature algorithm is given: give --token-algorithm es256 or --token-algorithm hs256."
            )
        }
        guard tokens.tokenKey != nil || tokens.tokenSecret != nil || tokens.writeJwks != nil else {
            throw ValidationError("The token could not be verified by a server: give --token-key or --write-jwks.")
        }
    }

    func run() async throws {
        let device = try device.map { Hexadecimal.encode(try $0.bytes(16, option: "--device")) }
        guard let signer = try await tokens.signer() else {
            throw CommandFailure.usage("--token-algorithm is required")
        }
        var claims = tokens.claims(account: account.name, lifetime: lifetime.seconds)
        claims.assets = assets?.elements
        claims.title = title
        claims.policy = policy
        claims.device = device
        claims.persist = persist
        claims.once = once ? true : nil
        let token = try await signer.token(claims)
        try output.print(.object(["token": .string(token), "lifetime": .integer(Int(lifetime.seconds))])) { token }
    }
}

/// The lifetime of a token: a duration, which is negative with a hyphen before it.
struct LifetimeArgument: ExpressibleByArgument {
    /// The whole seconds.
    let seconds: Int64

    static let tenMinutes = LifetimeArgument(seconds: 600)

    private init(seconds: Int64) { self.seconds = seconds }

    init?(argument: String) {
        let isNegative = argument.hasPrefix("-")
        guard let duration = DurationArgument(argument: String(argument.dropFirst(isNegative ? 1 : 0))) else {
            return nil
        }
        seconds = isNegative ? -duration.wholeSeconds : duration.wholeSeconds
    }

    var defaultValueDescription: String { DurationArgument.seconds(seconds).description }
}
