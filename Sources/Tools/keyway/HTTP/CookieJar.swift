import Foundation
import HTTPRequests
import Synchronization

/// The cookies of one run of a command (RFC 6265). They are only in memory.
///
/// Stricter than the RFC: a cookie for a public suffix is not accepted. Without the list of public suffixes, these are
/// names with one label, and names with two labels of at most three letters under a country code, such as `co.uk`.
final class CookieJar: Sendable {
    /// A stored cookie.
    private struct Cookie: Sendable {
        var name: String
        var value: String
        var domain: String
        /// True if only the host that set the cookie receives it.
        var isHostOnly: Bool
        var path: String
        var isSecure: Bool
        /// The expiry; nil for the end of the run.
        var expiry: Date?

        func isSameCookie(as other: Cookie) -> Bool {
            name == other.name && domain == other.domain && path == other.path
        }
    }

    private static let maximumCount = 300
    private static let maximumSize = 4096

    private let cookies = Mutex<[Cookie]>([])
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// Stores the cookie of a Set-Cookie header field; does nothing if it is not valid for the URL.
    func store(_ field: String, from url: URL) {
        guard field.utf8.count <= Self.maximumSize, let cookie = cookie(field, from: url) else { return }
        cookies.withLock { cookies in
            let position = cookies.firstIndex { $0.isSameCookie(as: cookie) }
            guard cookie.expiry.map({ $0 > now() }) ?? true else {
                if let position { cookies.remove(at: position) }
                return
            }
            if let position {
                cookies[position] = cookie
            } else if cookies.count < Self.maximumCount {
                cookies.append(cookie)
            }
        }
    }

    /// Returns the value of the Cookie header field for a URL; nil if there are no cookies for it.
    func field(for url: URL) -> String? {
        guard let host = Self.host(of: url) else { return nil }
        let path = Self.path(of: url)
        let isSecure = url.scheme?.lowercased() == "https"
        let matching = cookies.withLock { $0 }.filter { cookie in
            (cookie.isHostOnly ? host == cookie.domain : Self.matches(host, domain: cookie.domain))
                && Self.matches(path, cookiePath: cookie.path) && (isSecure || !cookie.isSecure)
                && cookie.expiry.map { $0 > now() } ?? true
        }
        // Cookies with longer paths come first; the sort keeps the order of the others.
        let sorted = matching.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        return sorted.isEmpty ? nil : sorted.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    // MARK: Parsing

    private func cookie(_ field: String, from url: URL) -> Cookie? {
        guard let host = Self.host(of: url), field.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return nil
        }
        var parts = field.split(separator: ";", omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: "=") else { return nil }
        let name = Self.trimmed(pair[..<equals])
        guard !name.isEmpty else { return nil }
        var cookie = Cookie(
            name: name,
            value: Self.trimmed(pair[pair.index(after: equals)...]),
            domain: host,
            isHostOnly: true,
            path: Self.defaultPath(of: url),
            isSecure: false
        )
        var maximumAge: Date?
        for part in parts {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            let value = words.count > 1 ? words[1] : ""
            switch words[0].lowercased() {
            case "domain":
                let domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                guard !domain.isEmpty else { continue }
                guard Self.matches(host, domain: domain) else { return nil }
                // A host may set a cookie for itself even if its name is a public suffix.
                guard !Self.isPublicSuffix(domain) || domain == host else { return nil }
                (cookie.domain, cookie.isHostOnly) = (domain, Self.isPublicSuffix(domain))
            case "path": if value.hasPrefix("/") { cookie.path = value }
            case "secure": cookie.isSecure = true
            case "expires": cookie.expiry = HTTPDate.parse(value) ?? cookie.expiry
            case "max-age":
                guard value.wholeMatch(of: /-?[0-9]{1,18}/) != nil, let seconds = Double(value) else { continue }
                maximumAge = seconds <= 0 ? .distantPast : now().addingTimeInterval(min(seconds, 1e9))
            default: break
            }
        }
        cookie.expiry = maximumAge ?? cookie.expiry
        guard !cookie.isSecure || url.scheme?.lowercased() == "https", Self.keepsPrefixPromise(cookie) else {
            return nil
        }
        return cookie
    }

    /// Returns whether a cookie has the properties that the prefix of its name promises.
    private static func keepsPrefixPromise(_ cookie: Cookie) -> Bool {
        let name = cookie.name.lowercased()
        if name.hasPrefix("__host-") { return cookie.isSecure && cookie.isHostOnly && cookie.path == "/" }
        return !name.hasPrefix("__secure-") || cookie.isSecure
    }

    private static func trimmed(_ text: Substring) -> String { text.trimmingCharacters(in: .whitespaces) }

    private static func host(of url: URL) -> String? {
        guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    private static func path(of url: URL) -> String {
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        return path.hasPrefix("/") ? path : "/"
    }

    /// Returns the default path of a cookie: the path of the URL up to its last slash (section 5.1.4).
    private static func defaultPath(of url: URL) -> String {
        let path = path(of: url)
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns whether a host belongs to a domain (section 5.1.3). An IP address belongs only to itself.
    private static func matches(_ host: String, domain: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)") && !isAddress(host)
    }

    /// Returns whether a path is within the path of a cookie (section 5.1.4).
    private static func matches(_ path: String, cookiePath: String) -> Bool {
        path == cookiePath
            || path.hasPrefix(cookiePath)
                && (cookiePath.hasSuffix("/") || path.dropFirst(cookiePath.count).first == "/")
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.split(separator: ".").allSatisfy { $0.allSatisfy(\.isNumber) }
    }

    private static func isPublicSuffix(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count < 2 || labels.count == 2 && labels[1].count == 2 && labels[0].count <= 3
    }
}
