import HTTPTypes
import Hummingbird

/// Whether a request comes from the server's own pages, as far as the browser says. Programs that are no browsers say nothing,
/// and have no cookie that somebody else could use.
enum SameOrigin {
    /// - Throws: ``ProblemDocument`` with `forbidden`, reason `cross-origin`.
    static func require(_ request: Request) throws(ProblemDocument) {
        let site = request.headers[.secFetchSite]
        let fits = request.headers[.origin].map { authority(ofOrigin: $0) == host(of: request) } ?? true
        guard fits, site == nil || site == "same-origin" || site == "none" else {
            throw ProblemDocument(.forbidden, detail: "Another site's page may not do this.", reason: "cross-origin")
        }
    }

    /// Whether the browser came over TLS, which may end at a proxy.
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

    /// An authority without the port that needs no mention. That of the other scheme is another origin, on which nothing of
    /// ours could answer.
    private static func withoutPort(_ authority: String) -> String {
        for port in [":80", ":443"] where authority.hasSuffix(port) { return String(authority.dropLast(port.count)) }
        return authority
    }
}

extension HTTPField.Name {
    /// Where a request comes from, in the browser's words.
    static let secFetchSite = Self("Sec-Fetch-Site")!
    /// Proves that a change comes from a page that may read the server's answers.
    static let changeToken = Self("Keyway-Change")!
    /// Says that nobody did something: the page keeps itself up to date.
    static let unattended = Self("Keyway-Unattended")!
}
