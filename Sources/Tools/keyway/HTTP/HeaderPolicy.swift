import Foundation

/// The headers of a command line, and the hosts that receive them. A header may be a secret, so it is sent only to the
/// origins of the URLs on the command line and to hosts that are named, and never over http if a URL on the command line
/// is https.
struct HeaderPolicy: Sendable {
    /// A host that is named on the command line.
    struct Host: Hashable, Sendable {
        let name: String
        /// The port; nil for the default port of the scheme.
        let port: Int?

        /// Parses `HOST` or `HOST:PORT`; an IPv6 address is in brackets.
        init?(_ text: String) {
            guard !text.contains("/"), !text.contains("@"), let url = URL(string: "http://\(text)/"),
                let host = url.host?.lowercased(), !host.isEmpty
            else { return nil }
            (name, port) = (host, url.port)
        }
    }

    /// The headers, in order.
    var headers: [(name: String, value: String)] = []
    /// The hosts that are named.
    var hosts: Set<Host> = []
    /// The origins of the URLs on the command line, each with the Authorization header for the name and password in its
    /// URL.
    private(set) var origins: [String: String?] = [:]
    private var hasSecureOrigin = false

    /// Adds a URL of the command line.
    mutating func add(_ url: URL) {
        // If two URLs have the same origin, the one with a password takes precedence.
        origins[url.origin] = .some(url.basicAuthorization ?? origins[url.origin] ?? nil)
        if url.scheme?.lowercased() == "https" { hasSecureOrigin = true }
    }

    /// Returns the headers for a URL.
    func headers(for url: URL) -> [(name: String, value: String)] {
        if let authorization = origins[url.origin] {
            let own = headers.contains { $0.name.lowercased() == "authorization" }
            return (own ? [] : authorization.map { [("Authorization", $0)] } ?? []) + headers
        }
        let isSecure = url.scheme?.lowercased() == "https"
        guard isSecure || !hasSecureOrigin, let name = url.host?.lowercased() else { return [] }
        let standard = isSecure ? 443 : 80
        let isNamed = hosts.contains { $0.name == name && ($0.port ?? standard) == (url.port ?? standard) }
        return isNamed ? headers : []
    }
}
