/// An address to listen on: `host:port` or `[IPv6]:port`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host name or IP address; IPv6 without brackets.
    package var host: String
    /// The port; 0 means any free port.
    package var port: Int

    /// Creates an address.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses an address; returns nil if the text is not one.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...].utf8
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        // What separates the parts of a URL is not part of a host; % is that of an IPv6 zone.
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/@[]?#\\".utf8.contains($0) })
        else { return nil }
        self.init(host: String(host), port: Int(port))
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
