import FoundationEssentials

/// A URL that the server itself asks: https, or http on the loopback interface.
package struct OutgoingURL: Sendable, Equatable, CustomStringConvertible {
    /// The whole URL.
    let text: String

    /// Scheme, host and port: a path may hold a secret.
    package let description: String

    /// Takes a URL.
    ///
    /// - Throws: ``AuthorizationConfigurationError`` when it is none, has a user or a fragment, or is not encrypted.
    package init(_ text: String) throws(AuthorizationConfigurationError) {
        guard text.utf8.count <= 2_000, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.host?.lowercased(), !host.isEmpty
        else { throw AuthorizationConfigurationError("this is no URL of at most 2,000 bytes") }
        let isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
        guard scheme == "https" || scheme == "http" && isLoopback else {
            throw AuthorizationConfigurationError("a URL has to be https, or http on the loopback interface")
        }
        guard url.user == nil, url.password == nil, url.fragment == nil else {
            throw AuthorizationConfigurationError("a URL has neither a user nor a fragment here")
        }
        self.text = text
        description = "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")"
    }
}
