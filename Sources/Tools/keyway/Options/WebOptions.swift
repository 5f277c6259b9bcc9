import ArgumentParser
import Foundation
import NIOSSL
import TextCoding
import ToolSupport

/// The options that control how streams are loaded from the web: one group for all commands that load streams.
struct WebOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: .init(
            "An HTTP header, sent only to the hosts of the URLs on the command line and to those given with "
                + "--header-host; @FILE contains one header per line. Repeatable.",
            valueName: "name: value|@file"
        )
    )
    var headers: [SecretArgument] = []

    @Option(
        name: .customLong("header-host"),
        help: .init(
            "A further host that receives the --header headers, such as cdn.example.com or cdn.example.com:8443. "
                + "Repeatable. (default: none)",
            valueName: "host[:port]"
        )
    )
    var headerHosts: [String] = []

    @Option(
        name: .customLong("user"),
        help: .init(
            "The user name and password for basic authentication, sent to the same hosts as --header; @FILE contains "
                + "them. (default: those in the URL)",
            valueName: "name:password|@file"
        )
    )
    var user: SecretArgument?

    @Option(
        name: .customLong("user-agent"),
        help: .init("The User-Agent header, sent to all hosts. (default: keyway)", valueName: "text")
    )
    var userAgent: String?

    @Option(
        help: .init(
            "The proxy for all hosts except those in the environment variable no_proxy, such as "
                + "http://proxy.example.com:3128 or socks5://127.0.0.1:1080; @FILE contains it, for one with a "
                + "password. (default: the environment variables http_proxy, https_proxy, and all_proxy, also in uppercase)",
            valueName: "url|@file"
        )
    )
    var proxy: SecretArgument?

    @Option(
        name: .customLong("ca-file"),
        help: .init(
            "Certificate authorities to trust in addition to those of the system or of the environment variable "
                + "SSL_CERT_FILE, in PEM. (default: none)",
            valueName: "file"
        )
    )
    var authorities: InputPath?

    @Option(
        name: .customLong("client-certificate"),
        help: .init(
            "The certificate for TLS client authentication, with its chain, in PEM; it requires --client-key. "
                + "(default: none)",
            valueName: "file"
        )
    )
    var clientCertificate: InputPath?

    @Option(
        name: .customLong("client-key"),
        help: .init("The private key of --client-certificate, in PEM.", valueName: "file")
    )
    var clientKey: InputPath?

    func validate() throws {
        for host in headerHosts where HeaderPolicy.Host(host) == nil {
            throw ValidationError("--header-host: expected HOST or HOST:PORT, not \(escaped(host))")
        }
        guard headerHosts.isEmpty || !headers.isEmpty || user != nil else {
            throw ValidationError("--header-host requires --header or --user.")
        }
        guard userAgent.map(Self.isFieldValue) ?? true else {
            throw ValidationError("--user-agent: expected text without control characters.")
        }
        guard (clientCertificate == nil) == (clientKey == nil) else {
            throw ValidationError("--client-certificate and --client-key require each other: give both, or neither.")
        }
    }

    /// Returns a client for the URLs on a command line.
    func client(for urls: [URL]) throws(CommandFailure) -> WebClient {
        var policy = HeaderPolicy()
        for url in urls { policy.add(url) }
        var lines: [String] = []
        for header in headers { lines += try Self.lines(header) }
        guard (lines.isEmpty && user == nil) || !urls.isEmpty else {
            let option = lines.isEmpty ? "--user" : "--header"
            throw .usage("\(option) applies only to http and https URLs, and no input is one")
        }
        if let user { lines.append("Authorization: \(try Self.basicAuthorization(user))") }
        for line in lines { policy.headers.append(try Self.header(line)) }
        policy.hosts = Set(headerHosts.compactMap { HeaderPolicy.Host($0) })
        var client = WebClient(proxies: try proxies(), tls: try tls())
        client.headers = policy
        client.userAgent = userAgent
        return client
    }

    private func proxies() throws(CommandFailure) -> HTTPProxies {
        guard let proxy else { return .environment }
        guard let chosen = HTTPProxy(try proxy.text(option: "--proxy")) else {
            throw .usage("--proxy: expected http://HOST:PORT or socks5://HOST:PORT")
        }
        return HTTPProxies(ProcessInfo.processInfo.environment, chosen: chosen)
    }

    private func tls() throws(CommandFailure) -> TLSConfiguration {
        var tls = try TrustedAuthorities.configuration()
        if let authorities {
            let found = try? NIOSSLCertificate.fromPEMBytes(try InputFile.read(authorities.path))
            guard let found, !found.isEmpty else {
                throw .input("--ca-file: \(authorities) contains no certificates", next: "give certificates in PEM")
            }
            tls.additionalTrustRoots = [.certificates(found)]
        }
        if let clientCertificate, let clientKey {
            let chain = try? NIOSSLCertificate.fromPEMBytes(try InputFile.read(clientCertificate.path))
            guard let chain, !chain.isEmpty else {
                throw .input(
                    "--client-certificate: \(clientCertificate) contains no certificate",
                    next: "give a certificate in PEM"
                )
            }
            guard let key = try? NIOSSLPrivateKey(bytes: try InputFile.readSecret(clientKey.path), format: .pem) else {
                throw .input(
                    "--client-key: \(clientKey) contains no private key without a passphrase",
                    next: "give a private key in PEM"
                )
            }
            tls.certificateChain = chain.map { .certificate($0) }
            tls.privateKey = .privateKey(key)
        }
        return tls
    }

    private static func basicAuthorization(_ user: SecretArgument) throws(CommandFailure) -> String {
        let text = try user.text(option: "--user")
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw .usage("--user: expected NAME:PASSWORD")
        }
        return "Basic " + Base64.encode(Array(text.utf8))
    }

    /// Returns whether a text can be the value of a header field.
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func lines(_ header: SecretArgument) throws(CommandFailure) -> [String] {
        let text = String(decoding: try header.bytes(), as: UTF8.self)
        return header.isFile ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
    }

    /// Returns the name and value of a header. A value may be secret, so the failure does not contain it.
    private static func header(_ line: String) throws(CommandFailure) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        let isToken = { (byte: UInt8) in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard parts.count == 2, let name = parts.first, !name.isEmpty, name.utf8.allSatisfy(isToken),
            isFieldValue(String(parts[1]))
        else {
            throw .usage("--header: expected 'NAME: VALUE'", next: "give for example 'Authorization: Bearer ...'")
        }
        return (String(name), parts[1].trimmingPrefix(while: \.isWhitespace).description)
    }
}
