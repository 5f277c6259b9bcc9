import Foundation

/// A proxy for HTTP requests.
struct HTTPProxy: Hashable, Sendable {
    /// The protocol of the proxy.
    enum Kind: Hashable, Sendable {
        case http
        case socks5
    }

    let kind: Kind
    let host: String
    let port: Int
    /// The value of the Proxy-Authorization header, if any.
    let authorization: String?

    /// The host and port of the proxy, without its password, for messages.
    var name: String { "\(host):\(port)" }

    /// Parses a proxy from an environment variable: `host:port`, with or without a scheme and user information.
    ///
    /// - Returns: nil if the text is not a supported proxy.
    init?(_ text: String) {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"), let host = url.host, !host.isEmpty
        else { return nil }
        switch url.scheme?.lowercased() {
        case "http": kind = .http
        case "socks5", "socks5h": kind = .socks5
        default: return nil
        }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        // The default of libcurl, for both protocols.
        port = url.port ?? 1080
        authorization = url.basicAuthorization
    }
}

/// The proxies that environment variables specify, by the rules of libcurl: lowercase before uppercase; `no_proxy` for
/// exceptions. `HTTP_PROXY` is ignored under CGI (`REQUEST_METHOD`), which sets it from a request header.
struct HTTPProxies: Sendable {
    /// A variable with an invalid value.
    struct BadVariable: Error {
        let name: String
    }

    /// The proxies of the process environment.
    static let environment = HTTPProxies(ProcessInfo.processInfo.environment)

    private let variables: [String: String]
    /// The proxy that a command line specifies instead of the variables.
    private let chosen: HTTPProxy?
    private let exceptions: [Substring]

    /// Creates the proxies that variables specify.
    ///
    /// - Parameter chosen: A proxy for all hosts except those in `no_proxy`.
    init(_ variables: [String: String], chosen: HTTPProxy? = nil) {
        (self.variables, self.chosen) = (variables, chosen)
        let text = Self.first(["no_proxy", "NO_PROXY"], variables)?.value ?? ""
        exceptions = text.split { $0 == "," || $0.isWhitespace }
    }

    /// Returns the proxy for a URL; nil for a direct connection.
    func proxy(for url: URL) throws(BadVariable) -> HTTPProxy? {
        if let chosen { return url.host.map { isException(Self.plain($0[...])) } ?? true ? nil : chosen }
        let isSecure = url.scheme?.lowercased() == "https"
        var names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        if !isSecure, variables["REQUEST_METHOD"] == nil { names.append("HTTP_PROXY") }
        names += ["all_proxy", "ALL_PROXY"]
        guard let (name, value) = Self.first(names, variables), let host = url.host, !isExempt(host) else { return nil }
        guard let proxy = HTTPProxy(value) else { throw BadVariable(name: name) }
        return proxy
    }

    private static func first(_ names: [String], _ variables: [String: String]) -> (name: String, value: String)? {
        for name in names {
            if let value = variables[name], !value.isEmpty { return (name, value) }
        }
        return nil
    }

    /// Returns whether a host is connected directly. This machine always is, because a proxy cannot reach its ports.
    private func isExempt(_ host: String) -> Bool {
        let host = Self.plain(host[...])
        return ["localhost", "127.0.0.1", "::1"].contains(host) || isException(host)
    }

    /// Returns whether `no_proxy` contains a host.
    private func isException(_ host: String) -> Bool {
        // An asterisk matches every host, but only if it is the only entry.
        if exceptions == ["*"] { return true }
        return exceptions.contains { exception in
            if let slash = exception.firstIndex(of: "/") {
                guard let network = Self.address(Self.plain(exception[..<slash])), let address = Self.address(host),
                    network.count == address.count, let bits = Int(exception[exception.index(after: slash)...]),
                    (0...network.count * 8).contains(bits)
                else { return false }
                return Self.share(bits: bits, network, address)
            }
            let name = Self.plain(exception)
            guard !name.isEmpty else { return false }
            return host == name || Self.address(host) == nil && host.hasSuffix(".\(name)")
        }
    }

    /// Returns a host in lowercase, without brackets and without leading and trailing dots.
    private static func plain(_ host: Substring) -> String {
        var host = host.lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.hasPrefix(".") { host.removeFirst() }
        if host.hasSuffix(".") { host.removeLast() }
        return host
    }

    /// Returns the 4 or 16 bytes of an IP address; nil for a host name.
    private static func address(_ text: String) -> [UInt8]? {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    private static func share(bits: Int, _ first: [UInt8], _ second: [UInt8]) -> Bool {
        let whole = bits / 8
        guard first.prefix(whole) == second.prefix(whole) else { return false }
        guard bits % 8 > 0 else { return true }
        return (first[whole] ^ second[whole]) >> (8 - bits % 8) == 0
    }
}
