import HTTPTypes
import Hummingbird

/// The cookie that carries a session's ID. Scripts cannot read it, and no other site's page makes a browser send it.
///
/// Over TLS its name begins with `__Host-`: browsers take such a cookie over TLS alone, from this host alone, and for all of
/// its paths, so that neither a neighbor's host name nor a network between can put one in place.
enum SessionCookie {
    static let name = "keyway-session"
    static let secureName = "__Host-keyway-session"

    /// The field that sets it.
    static func set(_ id: String, isSecure: Bool) -> String {
        "\(isSecure ? secureName : name)=\(id); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    /// The fields that take it away, under either name.
    static let clear = [
        "\(name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
        "\(secureName)=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0",
    ]

    /// The IDs that a request carries: one, unless somebody tries something.
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
