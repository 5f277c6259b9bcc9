import FoundationEssentials

/// A URL to which the server sends requests: https, or http on the loopback interface.
package struct OutgoingURL: Sendable, Equatable, CustomStringConvertible {
    /// The whole URL.
    let text: String

    /// Scheme, host and port, without the path, which may contain a secret.
    package let description: String

    /// Parses a URL.
    ///
    /// - Throws: ``AuthorizationConfigurationError`` if it is not valid, has a user or a fragment, or is not encrypted.
    package init(_ text: String) throws(AuthorizationConfigurationError) {
        guard text.utf8.count <= 2_000, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.host?.lowercased(), !host.isEmpty
        else { throw AuthorizationConfigurationError("expected a URL of at most 2,000 bytes") }
        let isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
        guard scheme == "https" || scheme == "http" && isLoopback else {
            throw AuthorizationConfigurationError("the URL must be https, or http on the loopback interface")
        }
        guard url.user == nil, url.password == nil, url.fragment == nil else {
            throw AuthorizationConfigurationError("the URL must not contain a user, a password or a fragment")
        }
        self.text = text
        description = "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")"
    }
}
