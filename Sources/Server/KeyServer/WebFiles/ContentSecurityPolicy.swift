import HTTPTypes

/// What a page may load and do (Content Security Policy Level 3): nothing, but for what is listed. No script and no style
/// stands in a page itself, so neither is ever allowed to.
struct ContentSecurityPolicy: Sendable {
    /// A directive and its sources, in the order in which they are written.
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

    /// The page's own files, and nothing else.
    static let strict = ContentSecurityPolicy()

    /// The same with more sources for one directive: `media-src`, `blob:`.
    func allowing(_ directive: String, _ sources: String...) -> ContentSecurityPolicy {
        var policy = self
        if let index = directives.firstIndex(where: { $0.name == directive }) {
            policy.directives[index].sources += sources
        } else {
            policy.directives.append((directive, sources))
        }
        return policy
    }

    /// The value of the header field.
    var value: String { directives.map { "\($0.name) \($0.sources.joined(separator: " "))" }.joined(separator: "; ") }
}

extension HTTPField.Name {
    /// What the pages that are left for learn of where the browser comes from.
    static let referrerPolicy = Self("Referrer-Policy")!
    /// Keeps a page that opened this one from reaching it.
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    /// `frame-ancestors` for browsers that do not know it.
    static let xFrameOptions = Self("X-Frame-Options")!
}
