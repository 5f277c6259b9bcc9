/// An address to listen on: `host:port` or `[IPv6]:port`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host name or IP address; IPv6 without brackets.
    package let host: String
    /// The port; 0 means any free port.
    package let port: Int

    /// Parses an address; returns nil if the text is not one.
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

    /// True if only this machine can reach the address.
    package var isLoopback: Bool {
        host == "localhost" || ClientAddress(host)?.isLoopback == true
    }

    /// The address as `host:port`, with IPv6 in brackets.
    package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// Returns the URL of a listener at this address, with the port it is bound to.
    package func url(port: Int, isSecure: Bool = false) -> String {
        (isSecure ? "https://" : "http://") + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}
