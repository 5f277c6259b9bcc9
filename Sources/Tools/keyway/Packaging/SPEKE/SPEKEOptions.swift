import ArgumentParser
import DRMSignaling
import ToolSupport

/// A SPEKE version on the command line.
enum SPEKEVersionArgument: String, ChoiceArgument {
    case v2_0 = "2.0"
    case v2_1 = "2.1"

    /// The version of documents.
    var document: CPIXDocument.Version {
        switch self {
        case .v2_0: .v2_3
        case .v2_1: .v2_4
        }
    }
}

/// The options for keys from a SPEKE server.
struct SPEKEOptions: ParsableArguments {
    @Option(
        help: .init(
            "Request the keys from a SPEKE server at this URL; it requires --content-id, and "
                + "cannot be combined with other keys. (default: no SPEKE server)",
            valueName: "url"
        )
    )
    var speke: String?

    @Option(
        name: .customLong("content-id"),
        help: .init("The content ID on the SPEKE server; required with --speke.", valueName: "text")
    )
    var contentID: String?

    @Option(
        name: .customLong("speke-version"),
        help: .init(
            "The SPEKE version: 2.0 with CPIX 2.3, or 2.1 with CPIX 2.4. With 2.1, live key periods are requested "
                + "by their start and end, and the output protection that the server requires is signaled.",
            valueName: "2.0|2.1"
        )
    )
    var version = SPEKEVersionArgument.v2_0

    @Option(
        name: .customLong("speke-token-file"),
        help: .init(
            "A file with the server's token. (default: the environment variable KEYWAY_SPEKE_TOKEN, "
                + "which contains the token itself)",
            valueName: "file"
        )
    )
    var tokenFile: InputPath?

    @Option(
        name: .customLong("speke-certificate"),
        help: .init(
            "The certificate for encrypting the keys and for TLS client authentication, in PEM; it "
                + "requires --speke-private-key. (default: none)",
            valueName: "file"
        )
    )
    var certificate: InputPath?

    @Option(
        name: .customLong("speke-private-key"),
        help: .init("The private key of the certificate, in PEM.", valueName: "file")
    )
    var privateKey: InputPath?

    @Option(
        name: .customLong("speke-ca"),
        help: .init(
            "The CA certificates for the server's certificate, in PEM. (default: the system's CAs)",
            valueName: "file"
        )
    )
    var authorities: InputPath?

    func validate() throws {
        guard let speke else {
            let files = [tokenFile, certificate, privateKey, authorities]
            guard contentID == nil, version == .v2_0, files.allSatisfy({ $0 == nil }) else {
                throw ValidationError("--content-id and the --speke-… options require --speke.")
            }
            return
        }
        guard URLArgument.url(speke) != nil else {
            throw ValidationError(
                "--speke: expected a URL such as https://keys.example.com/speke/v2.0/copyProtection."
            )
        }
        guard contentID != nil else { throw ValidationError("--speke requires --content-id.") }
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError(
                "--speke-certificate and --speke-private-key require each other: give both, or neither."
            )
        }
    }
}
