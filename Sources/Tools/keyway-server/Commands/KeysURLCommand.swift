import ArgumentParser
import Foundation
import KeyServer
import KeyServerModule
import TextCoding
import ToolSupport

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
    var config: InputPath?
    @Option(help: ArgumentHelp("The key ID, 16 bytes in hexadecimal digits.", valueName: "hex"))
    var keyID: HexArgument
    @Option(
        help: ArgumentHelp(
            "The account that requests the key, 1 to 200 bytes; limits and the audit log use this name.",
            valueName: "account"
        )
    )
    var account: AccountArgument
    @Option(
        help: ArgumentHelp(
            """
            How long the URL is valid, such as 2m. (default: the setting `licenses.keyURLs.lifetime`, \
            \(Self.standardLifetime) unless it is set)
            """,
            valueName: "duration"
        )
    )
    var lifetime: DurationArgument?
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
            valueName: "url"
        )
    )
    var server: URLArgument?
    @OptionGroup var output: JSONOption

    private static let standardLifetime = DurationArgument.seconds(
        Int64(ServerConfiguration().licenses.keyURLs.lifetime.rawValue)
    )

    func run() async throws {
        let keyID = try keyID.bytes(16, option: "--key-id")
        let licenses = try LoadedConfiguration.load(config?.path).configuration.licenses
        guard licenses.otherClients.contains(.aes128) else {
            throw CommandFailure.input(
                "a server with this configuration issues no AES-128 keys, and would answer the URL with 404",
                next: "set licenses.otherClients: [aes128]"
            )
        }
        let settings = licenses.keyURLs
        guard let signer = try settings.signer() else {
            throw CommandFailure.input(
                "the configuration has no licenses.keyURLs.secretFile",
                next: "set it to the file with the signing secret"
            )
        }
        let longest = Int64(Seconds.maximum.rawValue)
        let lifetime = try lifetime?.wholeSeconds(in: 1...longest, option: "--lifetime")
        let end = systemMilliseconds() / 1000 + (lifetime ?? Int64(settings.lifetime.rawValue))
        guard let path = signer.path(keyID: keyID, account: account.name, expires: end, network: network?.network)
        else {
            throw ValidationError("--account: expected 1 to 200 bytes.")
        }
        let url = (server?.base ?? "") + path
        try output.print(.object(["url": .string(url), "expires": .integer(Int(end))])) { url }
    }
}
