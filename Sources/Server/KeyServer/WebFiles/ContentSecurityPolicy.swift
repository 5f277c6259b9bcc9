import HTTPTypes

/// The Content Security Policy (Level 3) of a page: nothing is allowed except the listed sources. Pages contain no
/// inline scripts or styles, so these are never allowed.
struct ContentSecurityPolicy: Sendable {
    /// The directives with their sources, in the order in which they are written.
    private var directives: [(name: String, sources: [String])] = [
        ("default-src", ["'none'"]),
        ("script-src", ["'self'"]),
        ("style-src", ["'self'"]),
        ("img-src", ["'self'"]),
        ("connect-src", ["'self'"]),
        ("base-uri", ["'none'"]),
        ("form-action", ["'self'"]),
        ("frame-ancestors", ["'none'"]),
    ]

    /// A policy that allows only files of the same origin.
    static let strict = ContentSecurityPolicy()

    /// Returns the policy with more sources for one directive, such as `media-src` with `blob:`.
    func allowing(_ directive: String, _ sources: String...) -> ContentSecurityPolicy {
        var policy = self
        if let index = directives.firstIndex(where: { $0.name == directive }) {
            policy.directives[index].sources += sources
        } else {
            policy.directives.append((directive, sources))
        }
        return policy
    }

    /// The value of the `Content-Security-Policy` header.
    var value: String { directives.map { "\($0.name) \($0.sources.joined(separator: " "))" }.joined(separator: "; ") }
}

extension HTTPField.Name {
    /// The header that limits the `Referer` sent to pages that the user navigates to.
    static let referrerPolicy = Self("Referrer-Policy")!
    /// The header that prevents a page that opened this one from accessing it.
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    /// The equivalent of `frame-ancestors` for old browsers.
    static let xFrameOptions = Self("X-Frame-Options")!
}
