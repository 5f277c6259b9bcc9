import HTTPTypes
import Hummingbird

/// Checks that a request comes from the server's own pages, by the headers of browsers. Other programs do not send
/// these headers, but also have no cookies that another page could use.
enum SameOrigin {
    /// Checks a request.
    ///
    /// - Throws: ``ProblemDocument`` with `forbidden`, reason `cross-origin`.
    static func require(_ request: Request) throws(ProblemDocument) {
        let site = request.headers[.secFetchSite]
        let fits = request.headers[.origin].map { authority(ofOrigin: $0) == host(of: request) } ?? true
        guard fits, site == nil || site == "same-origin" || site == "none" else {
            throw ProblemDocument(
                .forbidden,
                detail: "Other sites' requests are not permitted.",
                reason: "cross-origin"
            )
        }
    }

    /// Returns whether the browser used TLS, which may be terminated at a proxy.
    static func isSecure(_ request: Request) -> Bool {
        request.headers[.origin]?.lowercased().hasPrefix("https://") ?? false
    }

    private static func host(of request: Request) -> String? {
        request.head.authority.map { withoutPort($0.lowercased()) }
    }

    private static func authority(ofOrigin origin: String) -> String? {
        let origin = origin.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { origin.hasPrefix($0) }) else { return nil }
        return withoutPort(String(origin.dropFirst(scheme.count)))
    }

    /// Returns an authority without the default port. The default port of the other scheme would be another origin, but
    /// this server cannot respond on it.
    private static func withoutPort(_ authority: String) -> String {
        for port in [":80", ":443"] where authority.hasSuffix(port) { return String(authority.dropLast(port.count)) }
        return authority
    }
}

extension HTTPField.Name {
    /// The header in which browsers describe the origin of a request.
    static let secFetchSite = Self("Sec-Fetch-Site")!
    /// The header with the CSRF token of a change.
    static let changeToken = Self("Keyway-Change")!
    /// The header that marks automatic updates of a page, without a user's action.
    static let unattended = Self("Keyway-Unattended")!
}
