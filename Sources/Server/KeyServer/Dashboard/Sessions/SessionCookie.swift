import HTTPTypes
import Hummingbird

/// The cookie with the session ID. Scripts cannot read it, and browsers do not send it with requests from other sites.
///
/// Over TLS its name starts with `__Host-`: browsers accept such a cookie only over TLS, only from this host, and only
/// for all paths, so that neither another host in the domain nor a network attacker can set it.
enum SessionCookie {
    static let name = "keyway-session"
    static let secureName = "__Host-keyway-session"

    /// Returns the `Set-Cookie` value for a session.
    static func set(_ id: String, isSecure: Bool) -> String {
        "\(isSecure ? secureName : name)=\(id); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    /// The `Set-Cookie` values that delete the cookie, under both names.
    static let clear = [
        "\(name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
        "\(secureName)=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0",
    ]

    /// Returns the session IDs in a request, normally only one.
    static func ids(in headers: HTTPFields) -> [Substring] {
        headers[values: .cookie].flatMap { field in
            field.split(separator: ";").compactMap { part -> Substring? in
                let pair = part.drop { $0 == " " }
                guard let equals = pair.firstIndex(of: "=") else { return nil }
                let value = pair[pair.index(after: equals)...]
                guard pair[..<equals] == name || pair[..<equals] == secureName, value.utf8.count == 64 else {
                    return nil
                }
                return value
            }
        }
    }
}
