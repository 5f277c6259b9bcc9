import ArgumentParser
import Foundation
import KeyServer
import KeyServerModule

/// `keys url`.
struct KeysURLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Sign the URL of an AES-128 key, for a player that sends no header.",
        discussion: """
            Prints the URL with a line break. Whoever has it gets the key until it ends, if licenses.otherClients lists \
            aes128 and the key's policy allows otherClients. A service that makes playlists signs such URLs itself: docs/other-clients.md has the bytes. \
            The secret is the first of the file that licenses.keyURLs.secretFile names.
            """
    )

    @Option(help: ArgumentHelp("The server's configuration; without it, the environment alone.", valueName: "file"))
    var config: String?
    @Option(help: ArgumentHelp("The key ID, 16 bytes.", valueName: "hex"))
    var keyID: HexArgument
    @Option(help: ArgumentHelp("Who is to have the key, 1 to 200 bytes: limits and the audit log know this name."))
    var account: String
    @Option(
        help: ArgumentHelp(
            "How long the URL can be used, in ISO 8601, such as PT2M; without it licenses.keyURLs.lifetime.",
            valueName: "duration"
        )
    )
    var lifetime: SecondsArgument?
    @Option(help: ArgumentHelp("The network that the client must be in, in CIDR notation.", valueName: "network"))
    var network: NetworkArgument?
    @Option(help: ArgumentHelp("What to put before the path, such as https://keys.example.com.", valueName: "URL"))
    var base: String?

    func run() async throws {
        let keyID = try keyID.requireCount(16, "--key-id")
        let licenses = try LoadedConfiguration.load(config).configuration.licenses
        guard licenses.otherClients.contains(.aes128) else {
            throw CommandFailure(
                "a server with this configuration gives out no AES-128 keys, so that the URL would be answered with 404; "
                    + "set licenses.otherClients: [aes128]"
            )
        }
        let settings = licenses.keyURLs
        guard let signer = try settings.signer() else {
            throw CommandFailure("the configuration has no licenses.keyURLs.secretFile: there is nothing to sign with")
        }
        let end = systemMilliseconds() / 1000 + Int64((lifetime?.seconds ?? settings.lifetime).rawValue)
        guard let path = signer.path(keyID: keyID, account: account, expires: end, network: network?.network) else {
            throw ValidationError("--account takes 1 to 200 bytes.")
        }
        var base = base ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        print(base + path)
    }
}

/// A duration on the command line.
struct SecondsArgument: ExpressibleByArgument {
    let seconds: Seconds

    init?(argument: String) {
        guard let seconds = Seconds(iso8601: argument), seconds.rawValue > 0 else { return nil }
        self.seconds = seconds
    }
}

/// A network on the command line.
struct NetworkArgument: ExpressibleByArgument {
    let network: IPNetwork

    init?(argument: String) {
        guard let network = IPNetwork(rawValue: argument) else { return nil }
        self.network = network
    }
}
