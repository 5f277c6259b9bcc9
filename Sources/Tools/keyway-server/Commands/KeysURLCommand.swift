import ArgumentParser
import Foundation
import KeyServer
import KeyServerModule

/// `keys url`.
struct KeysURLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Sign the URL of an AES-128 key, for a player that cannot send an Authorization header.",
        discussion: """
            Prints a URL for the playlist tag EXT-X-KEY with METHOD=AES-128. Anyone with the URL gets the key until \
            the URL expires, if `licenses.otherClients` lists aes128 and a policy of the key sets `otherClients` to \
            allow. A service that writes playlists signs such URLs itself: docs/other-clients.md specifies the \
            bytes. The signing secret is the first one in the file of the setting `licenses.keyURLs.secretFile`. The \
            settings are read from --config and KEYWAY_… environment variables; see `keyway-server serve --help`.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The server's configuration file. Without it, only the environment is read.",
            valueName: "file"
        )
    )
    var config: String?
    @Option(help: ArgumentHelp("The key ID, 16 bytes in hexadecimal digits.", valueName: "hex"))
    var keyID: HexArgument
    @Option(
        help: ArgumentHelp(
            "The account that requests the key, 1 to 200 bytes; limits and the audit log use this name.",
            valueName: "account"
        )
    )
    var account: String
    @Option(
        help: ArgumentHelp(
            """
            How long the URL is valid, an ISO 8601 duration such as PT2M. (default: the setting \
            `licenses.keyURLs.lifetime`, PT5M unless it is set)
            """,
            valueName: "duration"
        )
    )
    var lifetime: SecondsArgument?
    @Option(
        help: ArgumentHelp(
            "The network that the client's address must belong to, in CIDR notation. (default: any)",
            valueName: "network"
        )
    )
    var network: NetworkArgument?
    @Option(
        help: ArgumentHelp(
            """
            The server's base URL, which precedes the path, such as https://keys.example.com. (default: none, so \
            that only the path and the query are printed)
            """,
            valueName: "URL"
        )
    )
    var base: String?

    func run() async throws {
        let keyID = try keyID.requireCount(16, "--key-id")
        let licenses = try LoadedConfiguration.load(config).configuration.licenses
        guard licenses.otherClients.contains(.aes128) else {
            throw CommandFailure(
                "a server with this configuration issues no AES-128 keys, and would answer the URL with 404; "
                    + "set licenses.otherClients: [aes128]"
            )
        }
        let settings = licenses.keyURLs
        guard let signer = try settings.signer() else {
            throw CommandFailure(
                "the configuration has no licenses.keyURLs.secretFile: set it to the file with the signing secret"
            )
        }
        let end = systemMilliseconds() / 1000 + Int64((lifetime?.seconds ?? settings.lifetime).rawValue)
        guard let path = signer.path(keyID: keyID, account: account, expires: end, network: network?.network) else {
            throw ValidationError("--account: expected 1 to 200 bytes.")
        }
        var base = base ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        print(base + path)
    }
}

/// A duration on the command line, in ISO 8601 and longer than zero.
struct SecondsArgument: ExpressibleByArgument {
    let seconds: Seconds

    init?(argument: String) {
        guard let seconds = Seconds(iso8601: argument), seconds.rawValue > 0 else { return nil }
        self.seconds = seconds
    }
}

/// A network on the command line, in CIDR notation.
struct NetworkArgument: ExpressibleByArgument {
    let network: IPNetwork

    init?(argument: String) {
        guard let network = IPNetwork(rawValue: argument) else { return nil }
        self.network = network
    }
}
