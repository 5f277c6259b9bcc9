import ArgumentParser

/// Keys from a key server, as encoders get them.
struct SPEKEOptions: ParsableArguments {
    @Option(
        help: .init("Get the keys from a server that speaks SPEKE v2.0: the whole address.", valueName: "url")
    )
    var speke: String?

    @Option(
        name: .customLong("content-id"),
        help: .init("What the server calls the content.", valueName: "text")
    )
    var contentID: String?

    @Option(
        name: .customLong("speke-token-file"),
        help: .init("A file with the server's token; KEYWAY_SPEKE_TOKEN otherwise.", valueName: "file")
    )
    var tokenFile: String?

    @Option(
        name: .customLong("speke-certificate"),
        help: .init(
            "A certificate that the keys come encrypted to, and that https proves who asks with; PEM.",
            valueName: "file"
        )
    )
    var certificate: String?

    @Option(
        name: .customLong("speke-private-key"),
        help: .init("Its private key, PEM.", valueName: "file")
    )
    var privateKey: String?

    @Option(
        name: .customLong("speke-ca"),
        help: .init(
            "Who issued the server's certificate, PEM; those whom the system trusts otherwise.",
            valueName: "file"
        )
    )
    var authorities: String?

    func validate() throws {
        guard let speke else {
            guard [contentID, tokenFile, certificate, privateKey, authorities].allSatisfy({ $0 == nil }) else {
                throw ValidationError("--content-id and the --speke-… options go with --speke.")
            }
            return
        }
        guard KeyServerClient.url(speke) != nil else {
            throw ValidationError("--speke is an address such as https://keys.example.com/speke/v2.0/copyProtection.")
        }
        guard contentID != nil else { throw ValidationError("--speke needs --content-id.") }
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--speke-certificate and --speke-private-key go together.")
        }
    }
}
