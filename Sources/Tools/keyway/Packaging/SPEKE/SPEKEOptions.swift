import ArgumentParser

/// The options for keys from a SPEKE server.
struct SPEKEOptions: ParsableArguments {
    @Option(
        help: .init("Request the keys from a SPEKE v2.0 server at this URL.", valueName: "url")
    )
    var speke: String?

    @Option(
        name: .customLong("content-id"),
        help: .init("The content ID on the SPEKE server.", valueName: "text")
    )
    var contentID: String?

    @Option(
        name: .customLong("speke-token-file"),
        help: .init("A file with the server's token. (default: KEYWAY_SPEKE_TOKEN)", valueName: "file")
    )
    var tokenFile: String?

    @Option(
        name: .customLong("speke-certificate"),
        help: .init(
            "The PEM certificate for encrypting the keys and for TLS client authentication.",
            valueName: "file"
        )
    )
    var certificate: String?

    @Option(
        name: .customLong("speke-private-key"),
        help: .init("The private key of the certificate, in PEM.", valueName: "file")
    )
    var privateKey: String?

    @Option(
        name: .customLong("speke-ca"),
        help: .init(
            "The CA certificates for the server's certificate, in PEM. (default: the system's CAs)",
            valueName: "file"
        )
    )
    var authorities: String?

    func validate() throws {
        guard let speke else {
            guard [contentID, tokenFile, certificate, privateKey, authorities].allSatisfy({ $0 == nil }) else {
                throw ValidationError("--content-id and the --speke-… options require --speke.")
            }
            return
        }
        guard KeyServerClient.url(speke) != nil else {
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
