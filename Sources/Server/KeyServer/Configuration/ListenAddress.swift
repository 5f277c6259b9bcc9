/// An address to listen on: `host:port` or `[v6]:port`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    package let host: String
    /// The port; 0 means any free one.
    package let port: Int

    /// Takes it apart; nil when it is none.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = Int(port)
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        host == "localhost" || ClientAddress(host)?.isLoopback == true
    }

    /// `host:port`, IPv6 in brackets.
    package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// The URL of a listener there, with the port that was really taken.
    package func url(port: Int, isSecure: Bool = false) -> String {
        (isSecure ? "https://" : "http://") + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}
